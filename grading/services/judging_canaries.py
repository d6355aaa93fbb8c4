"""Items with known marks that show whether a judge still judges as it did: clips, or answers in words.

A set is loaded from a folder once and kept; a definition names it. Some items speak instructions to
the judge, which must not change a mark.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.refusals import Conflict, Invalid
from grading.judges.asking import MARK
from grading.models import JudgeCanary, JudgeCanarySet
from grading.scoring.audio import riff
from grading.scoring.audio.limits import ClipBounds
from grading.scoring.formats.answers import AnswerReference
from grading.scoring.formats.sources import ByteStream
from grading.scoring.recipe import canonical_json
from grading.scoring.tracks import llm_judge_prompt, pillars_reading
from grading.scoring.tracks.base import NOTHING_SHA256
from grading.scoring.tracks.nvv_t2_judge import MOST_MARK
from grading.scoring.tracks.nvv_t2_marks import Marks, MarksInvalid
from grading.scoring.tracks.nvv_t2_params import LANGUAGES

MANIFEST = "canaries.json"
LEAST_A_LANGUAGE = 12
LEAST_SPEAKING = 2
LARGEST_CLIP = 4 * 1024 * 1024


class CanariesInvalid(Invalid):
    """The folder is no set of canaries; lists what is wrong."""

    code = "CANARIES_INVALID"


class CanariesNamed(Conflict):
    """Another set has this name; a set is never changed."""

    code = "CANARIES_NAMED"


def load(*, folder: Path, now: datetime) -> JudgeCanarySet:
    """Store the set of a folder: `canaries.json`, which lists clips, beside their WAVs, or answers.

    The same content may be loaded any number of times. Refuses CanariesInvalid with every fault,
    CanariesNamed where the name has another content.
    """
    name, rows = _read(folder)
    digest = hashlib.sha256(canonical_json([_identity(row) for row in rows])).hexdigest()
    known = JudgeCanarySet.objects.filter(name=name).first()
    if known is None:
        known = _store(name, digest, rows, now)
    if known.digest != digest:
        said = _("Another set of canaries has the name %(name)s; give this one another.")
        raise CanariesNamed(said % {"name": name})
    return known


def _store(name: str, digest: str, rows: list[JudgeCanary], now: datetime) -> JudgeCanarySet:
    try:
        with transaction.atomic():
            made = JudgeCanarySet.objects.create(name=name, digest=digest, loaded_at=now)
            for row in rows:
                row.set = made
            JudgeCanary.objects.bulk_create(rows)
    except IntegrityError:  # loaded by somebody else in this very moment
        return JudgeCanarySet.objects.get(name=name)
    return made


def _identity(row: JudgeCanary) -> list[Any]:
    asked = [row.canary_id, row.language, row.text, row.audio_sha256]
    return [*asked, row.marks, row.speaks_instructions]


def _read(folder: Path) -> tuple[str, list[JudgeCanary]]:
    faults: list[str] = []
    try:
        index = json.loads((folder / MANIFEST).read_bytes())
        name, of_words = str(index["name"]), "answers" in index
        given = list(index["answers" if of_words else "clips"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        said = _("%(name)s cannot be read: it must have name, and clips or answers.")
        raise CanariesInvalid(said % {"name": MANIFEST}) from None
    read = _answer if of_words else partial(_clip, folder)
    rows = [row for one in given if (row := _row(one, read, faults))]
    faults += _set_faults(rows, {row.language for row in rows} if of_words else LANGUAGES)
    if faults:
        raise CanariesInvalid("; ".join(faults), faults=faults)
    return name, sorted(rows, key=lambda row: row.canary_id)


def _row(
    given: Any, read: Callable[[Mapping[str, Any]], JudgeCanary], faults: list[str]
) -> JudgeCanary | None:
    if not isinstance(given, Mapping):
        faults.append("an item is no object")
        return None
    try:
        return read(given)
    except (OSError, KeyError, TypeError, ValueError, OverflowError, MarksInvalid) as error:
        name = str(given.get("id", ""))[:80]
        faults.append(f"{name or '?'}: {type(error).__name__}: {error}")
        return None


def _clip(folder: Path, clip: Mapping[str, Any]) -> JudgeCanary:
    row = JudgeCanary(
        canary_id=str(clip.get("id", ""))[:80],
        language=str(clip["language"]),
        text=str(clip["text"]),
        marks={key: float(mark) for key, mark in dict(clip["marks"]).items()},
        speaks_instructions=clip.get("speaks_instructions") is True,
    )
    Marks.read(row.marks)
    _read_audio(row, folder / Path(str(clip["file"])).name)
    return row


def _answer(given: Mapping[str, Any]) -> JudgeCanary:
    """Return an answer with its known mark; its text is what a judge is given."""
    asked = AnswerReference(str(given["prompt"]), str(given.get("wanted", "")), {})
    language, mark = str(given["language"]), float(given["mark"])
    if language not in pillars_reading.LANGUAGES:
        raise ValueError("the language is none of the track's")
    if not abs(mark) <= MOST_MARK:  # NaN is not either
        raise ValueError("the mark is none")
    text = llm_judge_prompt.question(asked, str(given["answer"]))
    text.encode()  # half a character is refused here, not by the database
    return JudgeCanary(
        canary_id=str(given.get("id", ""))[:80],
        language=language,
        text=text,
        audio=b"",
        audio_sha256=NOTHING_SHA256,
        frames=0,
        marks={MARK: mark},
        speaks_instructions=given.get("speaks_instructions") is True,
    )


def _read_audio(row: JudgeCanary, path: Path) -> None:
    if path.stat().st_size > LARGEST_CLIP:
        raise ValueError("the file is too large")
    data = path.read_bytes()
    clip = riff.examine(ByteStream(iter([data])), len(data), ClipBounds())
    if not clip.is_accepted or not clip.frames:
        raise ValueError("the file is no accepted clip")
    row.audio, row.frames = data, clip.frames
    row.audio_sha256 = hashlib.sha256(data).hexdigest()


def _set_faults(rows: list[JudgeCanary], languages: Collection[str]) -> list[str]:
    counts = Counter(row.language for row in rows)
    faults = [
        f"{language}: {counts[language]} items, not {LEAST_A_LANGUAGE}"
        for language in sorted(languages)
        if counts[language] < LEAST_A_LANGUAGE
    ]
    if sum(row.speaks_instructions for row in rows) < LEAST_SPEAKING:
        faults.append(f"fewer than {LEAST_SPEAKING} items speak instructions")
    ids = Counter(row.canary_id for row in rows)
    faults += [f"{name or '?'}: stands {count} times" for name, count in ids.items() if count > 1]
    return faults + [f"{lang}: is no language" for lang in sorted(set(counts) - set(languages))]
