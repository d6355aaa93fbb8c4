"""What the doorbell rings: load nothing, call one service with an id."""

from __future__ import annotations

import logging
import socket
from threading import Event
from typing import TYPE_CHECKING, Any

from celery import shared_task, signals
from django.conf import settings
from django.utils import timezone

from accounts import triggers
from grading.enums import SubmissionState
from grading.services import (
    board_pace,
    canary,
    checkpoints,
    copies,
    doorbell,
    evaluations,
    judging,
    rescore_checks,
    rescoring_queue,
    validation,
)
from grading.services import sweep as sweeping
from grading.services.final import rankings, recomputing
from grading.services.ratings import stimuli
from grading.services.verification import scoring as held_out

if TYPE_CHECKING:
    from celery import Task

log = logging.getLogger(__name__)

LEAVING = Event()
"""Set once this worker is asked to end: long work then stops where it can be gone on with."""


@signals.worker_shutting_down.connect
def leave(**_: Any) -> None:
    """Let long work know that the worker ends."""
    LEAVING.set()


@signals.worker_ready.connect
def look_at_evidence(**_: Any) -> None:
    """Say in the log at once when a trigger that keeps evidence is missing, or rows break what they keep."""
    missing, broken = triggers.triggers_missing(), triggers.rules_broken()
    if missing or broken:
        log.error("evidence.not_kept", extra={"missing": missing, "broken": broken})


@shared_task(name=doorbell.VALIDATE, bind=True)
def validate_submission(task: Task[Any, Any], submission_id: int) -> str:
    """Check a submission and, once accepted, go straight on to its live evaluation."""
    return _validate(task, submission_id)


@shared_task(  # type: ignore[call-overload, untyped-decorator]  # the stubs know no options of ours
    name=doorbell.VALIDATE_SOUNDS, bind=True, hard_seconds=settings.SOUNDS_TASK_SECONDS
)
def validate_sounds(task: Task[Any, Any], submission_id: int) -> str:
    """Check an archive of clips and keep them; this may take long."""
    return _validate(task, submission_id)


def _validate(task: Task[Any, Any], submission_id: int) -> str:
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


@shared_task(name=doorbell.VERIFY, bind=True)
def score_held_out(task: Task[Any, Any], run_id: int) -> str:
    """Check and score one output for held-out clips."""
    run = held_out.run(run_id=run_id, worker=_worker(task), clock=timezone.now)
    return str(run.state) if run else "nothing to do"


@shared_task(name=doorbell.PREPARE)
def prepare_stimuli(protocol_id: int) -> int:
    """Prepare the sounds of a rating protocol; return how many."""
    return stimuli.prepare(protocol_id=protocol_id, clock=timezone.now)


@shared_task(name=doorbell.JUDGE, bind=True)
def judge_evaluation(task: Task[Any, Any], evaluation_id: int) -> str:
    """Have a judge mark the clips of one waiting evaluation."""
    run = judging.run(
        evaluation_id=evaluation_id,
        worker=_worker(task),
        clock=timezone.now,
        leaving=LEAVING.is_set,
    )
    return str(run.state) if run else "nothing to do"


@shared_task(name=doorbell.REBUILD)
def rebuild_board(board_id: int) -> int:
    """Rebuild a board that is behind and not in its pause; return the number it stands at."""
    return board_pace.keep_up(board_id=board_id, now=timezone.now()).built


@shared_task(name=doorbell.FINAL)
def rebuild_final(board_id: int) -> int:
    """Add a snapshot to a final board that is behind; return the number it stands at."""
    return rankings.rebuild(board_id=board_id, now=timezone.now()).built


@shared_task(name=doorbell.FINAL_CHECK)
def check_final(check_id: int) -> str:
    """Compute one snapshot of a final board again."""
    check = recomputing.run(check_id=check_id, now=timezone.now())
    return str(check.outcome) if check else "nothing to do"


@shared_task(name="grading.sweep")
def sweep() -> dict[str, int]:
    """Put right what was lost; beat rings it."""
    return sweeping.sweep(now=timezone.now()).as_json()


@shared_task(name="grading.canary")
def send_canary() -> str:
    """Send a submission of the server's own when the last one is old; beat rings it."""
    submission = canary.start_if_due(now=timezone.now())
    return submission.code if submission else "nothing to do"


@shared_task(name="grading.checkpoint")
def sign_heads() -> int:
    """Sign the heads of the audit log's chains that have grown; beat rings it. Return how many."""
    return len(checkpoints.take(now=timezone.now()))


@shared_task(name="grading.copies")
def look_after_copies() -> dict[str, int]:
    """Hash the zips of copies that were issued, and tell people of theirs; beat rings it."""
    return copies.look_after(now=timezone.now())


def _evaluate(task: Task[Any, Any], evaluation_id: int) -> str:
    evaluation = evaluations.run(
        evaluation_id=evaluation_id, worker=_worker(task), clock=timezone.now
    )
    return str(evaluation.state) if evaluation else "nothing to do"


def _worker(task: Task[Any, Any]) -> str:
    return str(task.request.hostname or socket.gethostname())
