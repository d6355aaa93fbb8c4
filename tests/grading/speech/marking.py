"""Marks for a waiting evaluation, as rows of a judge's run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from grading.enums import AnswerSource
from grading.models import Evaluation, JudgeAnswer, JudgeRating, JudgeRun
from tests.factories.grading import NOW

JUDGE = {
    "model": "m",
    "base_url": "https://judge.example/v1",
    "label": "Judge M",
    "replicates": 1,
}
GOOD, FAIR, POOR = (4, 4, 4, 4, 4), (3, 3, 3, 3, 3), (0, 2, 2, 2, 5)


def give(evaluation: Evaluation, marks: Mapping[str, Sequence[Sequence[float]]]) -> None:
    """Store marks, utterance by utterance and replicate by replicate, of the neutral profile."""
    run, _is_new = JudgeRun.objects.get_or_create(
        evaluation=evaluation, defaults={"definition_digest": "0" * 64, "created_at": NOW}
    )
    for utt_id, rows in marks.items():
        for replicate, row in enumerate(rows):
            JudgeRating.objects.create(
                run=run,
                utt_id=utt_id,
                profile="neutral",
                replicate=replicate,
                answer=_answer(f"{evaluation.pk} {utt_id} {replicate}", row, replicate),
            )


def _answer(key: str, row: Sequence[float], replicate: int) -> JudgeAnswer:
    a, p, n, q, e = row
    fields: dict[str, Any] = {
        "protocol_digest": "0" * 64,
        "audio_sha256": "0" * 64,
        "text_sha256": "0" * 64,
        "profile": "neutral",
        "replicate": replicate,
        "seed": replicate + 1,
        "source": AnswerSource.values[0],
        "endpoint": "https://judge.example/v1",
        "model_asked": "m",
        "model_answered": "m",
        "prompt_sha256": "0" * 64,
        "answer_format": "json_schema",
        "raw": "{}",
        "cost_micro": 0,
        "latency_ms": 1,
        "answered_at": NOW,
        "is_absent": False,
    }
    return JudgeAnswer.objects.create(
        cache_key=hashlib.sha256(key.encode()).hexdigest(),
        mark_a=a,
        mark_p=p,
        mark_n=n,
        mark_q=q,
        mark_e=e,
        **fields,
    )
