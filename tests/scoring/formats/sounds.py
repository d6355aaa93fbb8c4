"""Makers of Track 2 archives, and a look at them with the test challenge's ids."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from grading.scoring.audio.limits import AudioLimits, ClipBounds
from grading.scoring.formats.waveforms import CheckedSounds, read_waveforms
from grading.scoring.messages import render
from tests.scoring.audio.waves import wav
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.zips import Part, make_zip

IDS: list[str] = json.loads((CASES / "ref/track2_ids.json").read_text("utf-8"))
GOOD = wav()


def check(source: Path | bytes, **options: Any) -> CheckedSounds:
    """Check an archive against the test challenge."""
    settings: dict[str, Any] = {
        "ids": IDS,
        "limits": AudioLimits(),
        "bounds": ClipBounds(),
        **options,
    }
    return read_waveforms(source, **settings)


def members(**changed: bytes | None) -> dict[str, bytes]:
    """Return name -> bytes of a good submission; `utt_0002=…` changes one, None leaves it out."""
    found = {utt_id: changed.get(utt_id, GOOD) for utt_id in IDS}
    return {f"{utt_id}.wav": data for utt_id, data in found.items() if data is not None}


def zipped(files: dict[str, bytes], **more: Any) -> bytes:
    """Return a stored zip of files."""
    return make_zip(*(Part(name, data, **more) for name, data in files.items()))


def tarred(files: dict[str, bytes], *, kind: int = tarfile.GNU_FORMAT) -> bytes:
    """Return a tar of files, as the standard library writes it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=kind) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def gzipped(data: bytes) -> bytes:
    """Return a gzip of bytes without a date in it."""
    return gzip.compress(data, mtime=0)


def codes(checked: CheckedSounds) -> list[str]:
    """Return code and reason of the listed problems, in order."""
    found = [(p.code, p.params.get("reason")) for p in checked.report.problems]
    return [f"{code}.{reason}" if reason else code for code, reason in found]


def sentences(checked: CheckedSounds) -> str:
    """Return all sentences of a report."""
    return "\n".join(f"{p.code} {render(p)}" for p in checked.report.problems)
