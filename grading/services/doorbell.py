"""The only way to ring for work: on commit, by task name, with ids alone.

A message may be lost or come twice; the database is the queue of record and the sweep rings again.
"""

from __future__ import annotations

import logging

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from grading.scoring import registry

VALIDATE = "grading.validate_submission"
VALIDATE_SOUNDS = "grading.validate_sounds"
EVALUATE = "grading.run_evaluation"
EVALUATE_AGAIN = "grading.run_evaluation_again"
REBUILD = "grading.rebuild_board"
FILL_RESCORING = "grading.fill_rescoring"
CHECK_SCORE = "grading.check_score"
JUDGE = "grading.judge_evaluation"
FINAL = "grading.rebuild_final"
FINAL_CHECK = "grading.check_final"
PREPARE = "grading.prepare_stimuli"
VERIFY = "grading.score_held_out"

QUEUES = {
    VALIDATE: "score",
    VALIDATE_SOUNDS: "audio",
    EVALUATE: "score",
    EVALUATE_AGAIN: "score",
    REBUILD: "default",
    FILL_RESCORING: "default",
    CHECK_SCORE: "score",
    JUDGE: "judge",
    FINAL: "default",
    FINAL_CHECK: "default",
    PREPARE: "audio",
    VERIFY: "score",
}

log = logging.getLogger(__name__)


def ring(name: str, row_id: int) -> None:
    """Ring once the transaction has committed; a broker that is down is logged and left to the sweep."""
    transaction.on_commit(lambda: _send(name, row_id))


def validation_of(kind: str) -> str:
    """Return the bell for the validation of a submission of that kind of track.

    Archives of clips have a queue of their own: one of gigabytes holds up no text.
    """
    return VALIDATE_SOUNDS if registry.get(kind).sends_sounds else VALIDATE


def _send(name: str, row_id: int) -> None:
    try:
        current_app.tasks[name].apply_async(args=(row_id,), queue=QUEUES[name])
    except (OperationalError, OSError):
        log.warning(
            "doorbell.unheard", extra={"task": name, "row": row_id}, exc_info=settings.DEBUG
        )
