"""Clips as WAV files and as the archives that entrants of the demo send, the same bytes always."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from grading.demo.synthesis_tables import RATE

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_PCM, _CHANNELS, _BYTES = 1, 1, 2
_HEADER = 44


def wav(samples: NDArray[np.int16], *, rate: int = RATE) -> bytes:
    """Return a RIFF/WAVE file: PCM, one channel, 16 bit, with a `fmt ` and a `data` chunk alone."""
    data = samples.astype("<i2").tobytes()
    fields = (
        (b"RIFF", None), (len(data) + _HEADER - 8, 4), (b"WAVEfmt ", None), (16, 4), (_PCM, 2),
        (_CHANNELS, 2), (rate, 4), (rate * _BYTES, 4), (_BYTES, 2), (8 * _BYTES, 2),
        (b"data", None), (len(data), 4),
    )  # fmt: skip
    header = b"".join(
        value if isinstance(value, bytes) else value.to_bytes(size or 0, "little")
        for value, size in fields
    )
    return header + data


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return the files by name in a zip archive, stored, all of one date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _FIRST_DAY), content)
    return buffer.getvalue()


def tar_gz_of(files: Mapping[str, bytes], *, folder: str) -> bytes:
    """Return the files by name in one folder of a gzip-compressed tar archive, all of one date."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in files.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
