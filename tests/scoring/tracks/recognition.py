"""Corpora for tests of the recognition tracks."""

from __future__ import annotations

import json
import random
from typing import Any

from grading.scoring.tracks.asr_references import TranscriptReferences
from grading.scoring.tracks.asr_tallies import ErrorTallies
from grading.scoring.tracks.asr_wer import TRACK
from grading.scoring.tracks.asr_wer_params import ErrorParams

WORDS = ["red", "green", "blue", "white", "black"]
LANGUAGES = {
    "en": {"unit": "wer", "normalizer": "a5s-1"},
    "yue": {"unit": "cer", "normalizer": "yue-1", "beside": ["mer"]},
}


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def params(**raw: Any) -> ErrorParams:
    return TRACK.params({"languages": {"en": LANGUAGES["en"]}, **raw})


def texts(count: int, seed: int, *, errors: float = 0.2) -> tuple[list[str], list[str]]:
    """Return random references and what was heard."""
    rng = random.Random(seed)  # noqa: S311 - a test's corpus
    wanted = [[rng.choice(WORDS) for _ in range(rng.randint(1, 9))] for _ in range(count)]
    heard = [[w if rng.random() > errors else "zz" for w in text] for text in wanted]
    return [" ".join(text) for text in wanted], [" ".join(text) for text in heard]


def references(
    wanted: list[str], settings: ErrorParams, corpora: list[str] | None = None
) -> TranscriptReferences:
    rows: list[dict[str, Any]] = [
        {"utt_id": f"u{index:03d}", "text": text} for index, text in enumerate(wanted)
    ]
    for row, corpus in zip(rows, corpora or [], strict=False):
        row["corpus"] = corpus
    return TRACK.references(lines(rows), settings)


def score(of: TranscriptReferences, heard: list[str], settings: ErrorParams) -> ErrorTallies:
    given = {f"u{index:03d}": text for index, text in enumerate(heard)}
    return TRACK.score(of, given, settings)
