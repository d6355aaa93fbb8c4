"""The golden values handed over with the protocol, and what the tests build from them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from grading.scoring.text.nvv1 import Transcript, read_transcript
from grading.scoring.tracks.nvv_params import NvvParams
from grading.scoring.tracks.nvv_references import NvvReferences
from grading.scoring.tracks.nvv_t1 import TRACK

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
PARAMS = TRACK.params({})


@cache
def nvv() -> dict[str, Any]:
    return json.loads((GOLDEN / "nvv.json").read_text(encoding="utf-8"))


def cases(kind: str) -> list[dict[str, Any]]:
    every = json.loads((GOLDEN / "scoring.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in every if case["kind"] == kind]


def transcript(text: str, language: str, params: NvvParams = PARAMS) -> Transcript:
    return read_transcript(text, language, params.label_set)


def corpus(rows: list[tuple[str, str, str, str]]) -> tuple[NvvReferences, dict[str, str]]:
    """Return references and predictions of (utt_id, language, reference, hypothesis)."""
    references = NvvReferences.from_rows([row[:3] for row in rows], PARAMS.label_set)
    return references, {utt_id: hypothesis for utt_id, _, _, hypothesis in rows}


def demo_corpus() -> tuple[NvvReferences, dict[str, str]]:
    return corpus(
        [
            (row["utt_id"], row["language"], row["reference"], row["hypothesis"])
            for row in nvv()["demo_corpus"]["rows"]
        ]
    )
