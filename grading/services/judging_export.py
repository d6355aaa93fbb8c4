"""The raw answers of a judge's run for organizers, a line each; a recorded judge reads the same file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grading.models import JudgeAnswer, JudgeRating, JudgeRun

CHUNK = 500
FIELDS = (
    "cache_key",
    "protocol_digest",
    "audio_sha256",
    "text_sha256",
    "profile",
    "replicate",
    "seed",
    "source",
    "endpoint",
    "model_asked",
    "model_answered",
    "fingerprint",
    "prompt_sha256",
    "answer_format",
    "raw",
    "is_absent",
    "input_tokens",
    "audio_tokens",
    "output_tokens",
    "cost_micro",
    "latency_ms",
)


def answer_lines(run: JudgeRun) -> Iterator[bytes]:
    """Yield the run's answers as JSON lines, by utterance, profile and replicate.

    `marks` are those that count before caps. What was asked about is not in it, only its hash.
    """
    ratings = (
        JudgeRating.objects.filter(run=run)
        .select_related("answer")
        .order_by("utt_id", "profile", "replicate")
    )
    for rating in ratings.iterator(chunk_size=CHUNK):
        line = json.dumps(_line(rating.utt_id, rating.answer), ensure_ascii=False)
        yield line.encode("utf-8", "replace") + b"\n"


def _line(utt_id: str, answer: JudgeAnswer) -> dict[str, Any]:
    return {
        "utt_id": utt_id,
        "marks": answer.named_marks,
        **{name: getattr(answer, name) for name in FIELDS},
        "answered_at": answer.answered_at.isoformat(),
    }
