"""What the doorbell rings: load nothing, call one service with an id."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.utils import timezone

from grading.enums import SubmissionState
from grading.services import (
    canary,
    doorbell,
    evaluations,
    rescore_checks,
    rescoring_queue,
    standings,
    validation,
)
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


@shared_task(name=doorbell.EVALUATE_AGAIN, bind=True)
def run_evaluation_again(task: Task[Any, Any], evaluation_id: int) -> str:
    """Score one submission by a candidate recipe, unless fresh work waits: that goes first."""
    return rescoring_queue.answer(
        evaluation_id=evaluation_id, worker=_worker(task), clock=timezone.now
    )


@shared_task(name=doorbell.FILL_RESCORING)
def fill_rescoring(rescoring_id: int) -> int:
    """Queue what a proposed recipe has to score; return how many."""
    return rescoring_queue.fill(rescoring_id=rescoring_id, now=timezone.now())


@shared_task(name=doorbell.CHECK_SCORE, bind=True)
def check_score(task: Task[Any, Any], check_id: int) -> str:
    """Compute one score again on appeal."""
    check = rescore_checks.run(check_id=check_id, worker=_worker(task), clock=timezone.now)
    return str(check.state) if check else "nothing to do"


@shared_task(name=doorbell.REBUILD)
def rebuild_board(board_id: int) -> int:
    """Rebuild a board that is behind; return the number it stands at."""
    return standings.rebuild(board_id=board_id, now=timezone.now()).built


@shared_task(name="grading.sweep")
def sweep() -> dict[str, int]:
    """Put right what was lost; beat rings it."""
    return sweeping.sweep(now=timezone.now()).as_json()


@shared_task(name="grading.canary")
def send_canary() -> str:
    """Send a submission of the server's own when the last one is old; beat rings it."""
    submission = canary.start_if_due(now=timezone.now())
    return submission.code if submission else "nothing to do"


def _evaluate(task: Task[Any, Any], evaluation_id: int) -> str:
    evaluation = evaluations.run(
        evaluation_id=evaluation_id, worker=_worker(task), clock=timezone.now
    )
    return str(evaluation.state) if evaluation else "nothing to do"


def _worker(task: Task[Any, Any]) -> str:
    return str(task.request.hostname or socket.gethostname())
