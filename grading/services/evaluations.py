"""One submission under one recipe: claim, score in a child process, finish or fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, Q, Value
from django.db.models.functions import Coalesce

from accounts.services import audit
from competition.models import Entrant
from grading.enums import EvaluationState, FailureCode, Priority, RecipeRole, SubmissionState
from grading.models import Evaluation, EvaluationTallies, Recipe, Submission
from grading.rules import runs_here
from grading.scoring import registry
from grading.services import (
    board_pace,
    boards,
    child,
    contents,
    doorbell,
    judging_marks,
    known,
    leases,
    news,
    quota,
    recipes,
    second_opinion,
)
from grading.services.child import (
    Bounds,
    ChildFailed,
    ClaimLost,
    ScorerAbsent,
    StorageDown,
)
from grading.services.validation import manifest

Json = dict[str, Any]


def run(*, evaluation_id: int, worker: str, clock: Callable[[], datetime]) -> Evaluation | None:
    """Claim a queued evaluation, score it, store the result and rebuild the board.

    Returns the evaluation, or None when there was nothing to claim. Safe to call any number of
    times: it is scored once. What a rebuild raises is raised; the score stands already, and the
    sweep rings for the board that is behind.
    """
    evaluation = claim(evaluation_id=evaluation_id, worker=worker, now=clock())
    if evaluation is None:
        return None
    try:
        result = _score(evaluation, clock)
        board_id = finish(evaluation=evaluation, result=result, now=clock())
    except (StorageDown, ScorerAbsent):
        put_back(evaluation=evaluation, now=clock())
    except ChildFailed as failure:
        give_up(evaluation=evaluation, failure=failure, now=clock())
    except ClaimLost:
        return None
    else:
        # At once: a bell of its own would wait behind other submissions.
        if board_id is not None:
            board_pace.keep_up(board_id=board_id, now=clock())
    return Evaluation.objects.get(pk=evaluation.pk)


def claim(*, evaluation_id: int, worker: str, now: datetime) -> Evaluation | None:
    """Take a queued evaluation for one lease; None when it is not to be had, or scoring is paused.

    Nor is one to be had whose recipe names a version of the scorer that does not run here.
    """
    found: Evaluation = with_everything().get(pk=evaluation_id)
    if not runs_here(found.recipe):
        return None
    if found.priority == Priority.FRESH and _is_paused(found):
        return None
    taken = Evaluation.objects.filter(
        pk=evaluation_id, state=EvaluationState.QUEUED, attempt=found.attempt
    ).update(
        state=EvaluationState.RUNNING,
        attempt=found.attempt + 1,
        started_at=now,
        lease_until=leases.until(now),
        worker=worker[:120],
        progress_done=0,
        progress_total=0,
    )
    if not taken:
        return None
    found.attempt += 1
    found.state = EvaluationState.RUNNING
    return found


def finish(*, evaluation: Evaluation, result: Json, now: datetime) -> int | None:
    """Store score, tallies and second opinion, and mark the board; only while the claim stands.

    Returns the key of the board that is behind now, None where the score is not a live one. Raises ClaimLost when it does not, ChildFailed when jiwer disagrees or a number is not finite.
    """
    opinion = second_opinion.compare(result["sample"])
    if not opinion.agrees:
        raise SecondOpinionDisagrees(opinion.as_json())
    fields = score_fields(result["score"])
    data = bytes.fromhex(result["tallies"])
    board_id = None
    with audit.audited():
        _move(
            evaluation,
            None,
            state=EvaluationState.SCORED,
            finished_at=now,
            second_opinion=opinion.as_json() if result["sample"] else {},
            **fields,
        )
        EvaluationTallies.objects.create(
            evaluation=evaluation, data=data, sha256=result["tallies_sha256"]
        )
        if _is_live(evaluation):
            news.submission_scored(submission=evaluation.submission, now=now)
            board_id = boards.note_change(phase_id=evaluation.submission.phase_id, now=now)
        _record(
            evaluation,
            "evaluation.scored",
            now,
            score=fields["score"],
            tallies_sha256=result["tallies_sha256"],
        )
    return board_id


class SecondOpinionDisagrees(ChildFailed):
    """jiwer counted other edits than we did; `opinion` is what is stored."""

    def __init__(self, opinion: Json) -> None:
        super().__init__(FailureCode.SECOND_OPINION_DISAGREES, may_retry=False)
        self.opinion = opinion


def give_up(
    *, evaluation: Evaluation, failure: ChildFailed, now: datetime, only: Q | None = None
) -> None:
    """End a run without a score: queued again while another try may help, else failed.

    A failed live evaluation fails its submission and gives the slot back. `only` narrows the claim
    further. Raises ClaimLost.
    """
    if failure.may_retry and evaluation.attempt < settings.EVALUATION_ATTEMPTS:
        _move(evaluation, only, state=EvaluationState.QUEUED, rung_at=now)
        doorbell.ring(bell_of(evaluation.priority), evaluation.pk)
        return
    _fail(evaluation, failure, _mine(evaluation).filter(only or Q()), now)


def _fail(evaluation: Evaluation, failure: ChildFailed, row: Any, now: datetime) -> None:
    """Fail the evaluation while `row`, a query for it alone, still finds it. Raises ClaimLost."""
    opinion = failure.opinion if isinstance(failure, SecondOpinionDisagrees) else {}
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=evaluation.submission.entrant_id)
        Submission.objects.select_for_update().get(pk=evaluation.submission_id)
        if not row.update(
            lease_until=None,
            state=EvaluationState.FAILED,
            finished_at=now,
            failure_code=failure.code,
            second_opinion=opinion,
        ):
            raise ClaimLost
        if _is_live(evaluation):
            _fail_submission(evaluation, failure, now)
            news.submission_ended(submission=evaluation.submission, failed=True, now=now)
        _record(evaluation, "evaluation.failed", now, code=failure.code.value, error=failure.kind)


def put_back(*, evaluation: Evaluation, now: datetime) -> None:
    """Leave a run to the sweep, as if it had not been tried: storage or scorer are not there."""
    with suppress(ClaimLost):
        _move(
            evaluation,
            None,
            state=EvaluationState.QUEUED,
            attempt=evaluation.attempt - 1,
            rung_at=now,
        )


def release_lapsed(*, evaluation_id: int, now: datetime) -> None:
    """Queue again a run whose worker has gone silent, or fail it after the last attempt."""
    lapsed = Q(state=EvaluationState.RUNNING, lease_until__lt=now)
    evaluation = with_everything().filter(lapsed, pk=evaluation_id).first()
    if evaluation is None:
        return
    failure = ChildFailed(FailureCode.WORKER_LOST, may_retry=True)
    # A worker that renewed in this very moment keeps its claim.
    with suppress(ClaimLost):
        give_up(evaluation=evaluation, failure=failure, now=now, only=lapsed)


def release(*, evaluation_id: int, now: datetime) -> bool:
    """Queue an evaluation whose marks are all there; return whether it was waiting.

    May be called any number of times, from anywhere: it is queued and rung for once.
    """
    with transaction.atomic():
        released = Evaluation.objects.filter(
            pk=evaluation_id, state=EvaluationState.WAITING
        ).update(state=EvaluationState.QUEUED, rung_at=now)
        if released:
            priority = Evaluation.objects.values_list("priority", flat=True).get(pk=evaluation_id)
            doorbell.ring(bell_of(priority), evaluation_id)
    return bool(released)


def fail_waiting(*, evaluation_id: int, code: FailureCode, now: datetime, kind: str = "") -> bool:
    """Give up an evaluation whose marks will never be complete; return whether it was waiting.

    `kind` names the error for the log, without a text of anybody's. A failed live evaluation fails
    its submission and gives the slot back.
    """
    waiting = with_everything().filter(state=EvaluationState.WAITING)
    evaluation = waiting.filter(pk=evaluation_id).first()
    if evaluation is None:
        return False
    failure = ChildFailed(code, may_retry=False, kind=kind)
    with suppress(ClaimLost):
        _fail(evaluation, failure, waiting.filter(pk=evaluation_id), now)
        return True
    return False


def note_judging(*, evaluation_id: int, done: int, total: int, now: datetime) -> bool:
    """Store how many of the marks that are needed are there; return whether it still waits.

    The first call stores when the marking began: from then on the submission cannot be cancelled.
    """
    return bool(
        Evaluation.objects.filter(pk=evaluation_id, state=EvaluationState.WAITING).update(
            started_at=Coalesce("started_at", Value(now, output_field=DateTimeField())),
            progress_done=done,
            progress_total=total,
        )
    )


def live_of(submission: Submission) -> Evaluation | None:
    """Return the submission's evaluation under its phase's live recipe, None before it has one."""
    live = recipes.live_recipe(submission.phase)
    return Evaluation.objects.filter(submission=submission, recipe=live).first() if live else None


def bell_of(priority: int) -> str:
    """Return the bell of an evaluation: what is scored again lets fresh work go first."""
    return doorbell.EVALUATE if priority == Priority.FRESH else doorbell.EVALUATE_AGAIN


def with_everything() -> Any:
    """Return evaluations with the rows that scoring them reads."""
    return Evaluation.objects.select_related(
        "recipe__references",
        "submission__entrant__team",
        "submission__phase__track__competition",
        "submission__phase__references",
    )


def _score(evaluation: Evaluation, clock: Callable[[], datetime]) -> Json:
    def renew(now: datetime, done: int, total: int) -> bool:
        return bool(
            _mine(evaluation).update(
                lease_until=leases.until(now), progress_done=done, progress_total=total
            )
        )

    return compute(evaluation, leases.Keeper(renew, clock=clock))


def compute(evaluation: Evaluation, keeper: leases.Keeper) -> Json:
    """Return what the child process finds for an evaluation, whose relations are loaded.

    What was sent is read for a score of what was sent; a score of marks is made without it. Nothing
    is written but what `keeper` renews. Raises ChildFailed, ClaimLost, StorageDown.
    """
    marks: Json = {}
    track = registry.get(evaluation.recipe.scorer)
    is_marked = track.is_marked(evaluation.recipe.read_params)
    if is_marked:
        marks = {"marks": judging_marks.marks_of(evaluation)}
    if is_marked and not track.needs_sent:
        job = job_of(evaluation) | marks
        return child.run(job, bounds=Bounds.from_settings(), watch=keeper.watch)
    with contents.opened(evaluation.submission, keeper.watch) as content:
        job = job_of(evaluation) | marks | contents.file_job(evaluation.submission, content)
        return child.run(job, bounds=Bounds.from_settings(), watch=keeper.watch)


def job_of(evaluation: Evaluation) -> Json:
    """Return the part of a child's job that says under which recipe; its relations are loaded.

    Raises ChildFailed where the references are lost, StorageDown.
    """
    recipe, submission = evaluation.recipe, evaluation.submission
    return {
        "do": "evaluate",
        "track": recipe.scorer,
        "version": recipe.version,
        "params": recipe.params,
        "recipe_digest": recipe.digest,
        **known.references_job(recipe.references),
        "phase_code": submission.phase.code,
        "ids": _more_ids(submission, recipe),
    }


def _more_ids(submission: Submission, recipe: Recipe) -> Json:
    """Return the ids that a file must hold beside those of the recipe's references.

    A corrected version of the references may have dropped some; the files still hold them.
    """
    is_same = submission.phase.references_id == recipe.references_id
    return {} if is_same else manifest(submission)


def _mine(evaluation: Evaluation) -> Any:
    """Return the row as long as this claim on it stands: the attempt number is the fence."""
    return Evaluation.objects.filter(
        pk=evaluation.pk, state=EvaluationState.RUNNING, attempt=evaluation.attempt
    )


def _move(evaluation: Evaluation, only: Q | None, **fields: Any) -> None:
    if not _mine(evaluation).filter(only or Q()).update(lease_until=None, **fields):
        raise ClaimLost


def score_fields(score: Json) -> Json:
    """Return the columns of a result; raises ChildFailed when a number is not finite."""
    low, high = score["interval"] or (None, None)
    fields = {
        "score": score["score"],
        "withheld_reason": score["withheld_reason"],
        "low": low,
        "high": high,
        "interval_reason": score["interval_reason"],
        "seed": str(score["seed"]),
        "components": score["components"],
        "languages": score["languages"],
    }
    if not all(math.isfinite(number) for number in _numbers(fields)):
        # SQLite would store NaN as NULL, which means "none" here.
        raise ChildFailed(FailureCode.SCORER_CRASHED, may_retry=False, kind="NotFinite")
    return fields


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)


def _is_paused(evaluation: Evaluation) -> bool:
    """Return whether its competition's scoring is paused; correcting scores goes on meanwhile."""
    return evaluation.submission.phase.track.competition.paused_at is not None


def _is_live(evaluation: Evaluation) -> bool:
    role = recipes.lock_role(
        phase_id=evaluation.submission.phase_id, recipe_id=evaluation.recipe_id
    )
    return role == RecipeRole.LIVE


def _fail_submission(evaluation: Evaluation, failure: ChildFailed, now: datetime) -> None:
    Submission.objects.filter(pk=evaluation.submission_id, state=SubmissionState.ACCEPTED).update(
        state=SubmissionState.FAILED, failure_code=failure.code, ended_at=now
    )
    quota.release(submission_id=evaluation.submission_id, reason="failed", now=now)


def _record(evaluation: Evaluation, kind: str, now: datetime, **payload: object) -> None:
    audit.record(
        scope=evaluation.submission.phase.track.competition.audit_scope,
        kind=kind,
        actor=None,
        target=f"submission:{evaluation.submission.code}",
        payload={"recipe": evaluation.recipe.digest, "attempt": evaluation.attempt, **payload},
        now=now,
    )
