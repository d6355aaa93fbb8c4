"""The row of a judge's run: made, claimed, kept, put back, stopped, ended. Its attempt number is the fence."""

from __future__ import annotations

from datetime import datetime
from math import ceil
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.services import audit
from grading.enums import AttemptState, EvaluationState, JudgeRunState, JudgeStop
from grading.models import Evaluation, JudgeAttempt, JudgeRating, JudgeRun
from grading.rules import runs_here
from grading.scoring.tracks.nvv_t2_judge import MICRO, JudgeDefinition
from grading.services import doorbell, evaluations, leases
from grading.services.child import ClaimLost
from grading.services.judging_marks import definition_of

AT_ONCE = 50


def claim(*, evaluation_id: int, worker: str, now: datetime) -> JudgeRun | None:
    """Take the judging of a waiting evaluation for one lease; None when it is not to be had.

    What was in flight with an earlier claim is lost from now on.
    """
    evaluation = _with_everything().filter(pk=evaluation_id).first()
    if evaluation is None or not _may_begin(evaluation):
        return None
    definition = definition_of(evaluation)
    run = _run_of(evaluation, definition, now) if definition else None
    if run is None:
        return None
    taken = JudgeRun.objects.filter(
        pk=run.pk, state=JudgeRunState.QUEUED, attempt=run.attempt
    ).update(
        state=JudgeRunState.RUNNING,
        attempt=run.attempt + 1,
        started_at=run.started_at or now,
        lease_until=leases.until(now),
        worker=worker[:120],
    )
    if not taken:
        return None
    _lose_calls(run.pk, now)
    claimed: JudgeRun = JudgeRun.objects.get(pk=run.pk)
    claimed.evaluation = evaluation
    return claimed if claimed.attempt == run.attempt + 1 else None


def mine(run: JudgeRun) -> Any:
    """Return the row as long as this claim on it stands."""
    return JudgeRun.objects.filter(pk=run.pk, state=JudgeRunState.RUNNING, attempt=run.attempt)


def renew(run: JudgeRun, now: datetime) -> bool:
    """Keep the claim for another lease; return whether it still stood."""
    return bool(mine(run).update(lease_until=leases.until(now)))


def put_back(*, run: JudgeRun, now: datetime, ring: bool) -> None:
    """Leave the rest to another claim: at once, or when the sweep rings again. Raises ClaimLost."""
    with transaction.atomic():
        _move(run, state=JudgeRunState.QUEUED, rung_at=now)
        Evaluation.objects.filter(pk=run.evaluation_id).update(rung_at=now)
        if ring:
            doorbell.ring(doorbell.JUDGE, run.evaluation_id)


def stop(*, run: JudgeRun, reason: JudgeStop, detail: dict[str, Any], now: datetime) -> None:
    """Stop a run until an organizer lets it go on. Raises ClaimLost."""
    with audit.audited():
        _move(run, state=JudgeRunState.STOPPED, stop_reason=reason, stop_detail=detail)
        record(run, "judging.stopped", None, now, reason=reason.value)


def finish(*, run: JudgeRun, now: datetime) -> None:
    """End a run whose marks are all there and let the evaluation be scored. Raises ClaimLost."""
    done = JudgeRating.objects.filter(run=run).count()
    with audit.audited():
        _move(run, state=JudgeRunState.DONE, ended_at=now, done=done)
        fresh = JudgeRun.objects.get(pk=run.pk)
        evaluations.note_judging(
            evaluation_id=run.evaluation_id, done=done, total=run.needed, now=now
        )
        evaluations.release(evaluation_id=run.evaluation_id, now=now)
        record(run, "judging.done", None, now, calls=fresh.calls, marks=done)


def cancel(*, run: JudgeRun, now: datetime) -> None:
    """End a run whose evaluation does not wait any more. Raises ClaimLost."""
    _move(run, state=JudgeRunState.CANCELLED, ended_at=now)


def settle(*, now: datetime) -> int:
    """Queue again the runs whose worker has gone silent, and ring; return how many."""
    lapsed = JudgeRun.objects.filter(state=JudgeRunState.RUNNING, lease_until__lt=now)
    found = list(lapsed.values_list("pk", "evaluation_id", "attempt")[:AT_ONCE])
    for run_id, evaluation_id, attempt in found:
        with transaction.atomic():
            # A worker that renewed in this very moment keeps its claim.
            freed = lapsed.filter(pk=run_id, attempt=attempt).update(
                state=JudgeRunState.QUEUED, lease_until=None, rung_at=now
            )
            if freed:
                _lose_calls(run_id, now)
                doorbell.ring(doorbell.JUDGE, evaluation_id)
    return len(found)


def record(run: JudgeRun, kind: str, actor: Any, now: datetime, **payload: object) -> None:
    """Write an act on a run into the competition's log; part of the caller's transaction."""
    submission = run.evaluation.submission
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"submission:{submission.code}",
        payload={"recipe": run.evaluation.recipe.digest, "run": run.code, **payload},
        now=now,
    )


def _with_everything() -> Any:
    return Evaluation.objects.select_related(
        "recipe__references", "submission__entrant", "submission__phase__track__competition"
    )


def _may_begin(evaluation: Evaluation) -> bool:
    is_paused = evaluation.submission.phase.track.competition.paused_at is not None
    is_open = evaluation.state == EvaluationState.WAITING and not is_paused
    return is_open and runs_here(evaluation.recipe)


def _run_of(evaluation: Evaluation, definition: JudgeDefinition, now: datetime) -> JudgeRun:
    found = JudgeRun.objects.filter(evaluation=evaluation).first()
    if found is not None:
        return _revived(found)
    try:
        with transaction.atomic():
            return JudgeRun.objects.create(
                evaluation=evaluation,
                definition_digest=definition.digest,
                created_at=now,
                rung_at=now,
                **_budget(definition),
            )
    except IntegrityError:  # another worker made it in this very moment
        return JudgeRun.objects.get(evaluation=evaluation)


def _revived(run: JudgeRun) -> JudgeRun:
    """Return a run to be claimed; one that ended goes on when its evaluation waits again."""
    ended = [JudgeRunState.DONE, JudgeRunState.CANCELLED]
    if run.state in ended:
        JudgeRun.objects.filter(pk=run.pk, state=run.state, attempt=run.attempt).update(
            state=JudgeRunState.QUEUED, ended_at=None
        )
    return run


def _budget(definition: JudgeDefinition) -> dict[str, int | None]:
    budget = definition.budget
    return {
        "most_calls": budget.calls,
        "most_audio_ms": None
        if budget.audio_minutes is None
        else ceil(budget.audio_minutes * 60_000),
        "most_cost_micro": None if budget.cost is None else ceil(budget.cost * MICRO),
    }


def _lose_calls(run_id: int, now: datetime) -> None:
    JudgeAttempt.objects.filter(Q(run=run_id), state=AttemptState.IN_FLIGHT).update(
        state=AttemptState.LOST, ended_at=now
    )


def _move(run: JudgeRun, **fields: Any) -> None:
    if not mine(run).update(lease_until=None, **fields):
        raise ClaimLost
