"""What the doorbell rings: load nothing, call one service with an id."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.utils import timezone

from grading.enums import SubmissionState
from grading.services import doorbell, evaluations, standings, validation
from grading.services import sweep as sweeping

if TYPE_CHECKING:
    from celery import Task


@shared_task(name=doorbell.VALIDATE, bind=True)
def validate_submission(task: Task[Any, Any], submission_id: int) -> str:
    """Check a submission and, once accepted, go straight on to its live evaluation."""
    submission = validation.validate(submission_id=submission_id, clock=timezone.now)
    if submission is None:
        return "nothing to do"
    if submission.state == SubmissionState.ACCEPTED:
        evaluation = evaluations.live_of(submission)
        if evaluation is not None:
            return _evaluate(task, evaluation.pk)
    return str(submission.state)


@shared_task(name=doorbell.EVALUATE, bind=True)
def run_evaluation(task: Task[Any, Any], evaluation_id: int) -> str:
    """Score one queued evaluation."""
    return _evaluate(task, evaluation_id)


@shared_task(name=doorbell.REBUILD)
def rebuild_board(board_id: int) -> int:
    """Rebuild a board that is behind; return the number it stands at."""
    return standings.rebuild(board_id=board_id, now=timezone.now()).built


@shared_task(name="grading.sweep")
def sweep() -> dict[str, int]:
    """Put right what was lost; beat rings it."""
    return sweeping.sweep(now=timezone.now()).as_json()


def _evaluate(task: Task[Any, Any], evaluation_id: int) -> str:
    worker = str(task.request.hostname or socket.gethostname())
    evaluation = evaluations.run(evaluation_id=evaluation_id, worker=worker, clock=timezone.now)
    return str(evaluation.state) if evaluation else "nothing to do"
