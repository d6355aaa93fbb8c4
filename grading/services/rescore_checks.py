"""A score computed again from scratch on appeal: the same recipe, the same file, every digit compared.

The row of the score is evidence and stays. What the second run found stands in a row of its own; when
it differs an organizer sees both and corrects by a new recipe, as every correction is made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer, require_reason
from grading.enums import CheckState, EvaluationState, FailureCode
from grading.models import Evaluation, EvaluationTallies, RescoreCheck, Submission
from grading.services import doorbell, errors, evaluations, leases, second_opinion
from grading.services.child import ChildFailed, ClaimLost, StorageDown

COMPARED = (
    "score",
    "withheld_reason",
    "low",
    "high",
    "interval_reason",
    "seed",
    "components",
    "languages",
)
AT_ONCE = 50

Json = dict[str, Any]


def request(
    *, actor: User | None, submission: Submission, reason: str, now: datetime
) -> RescoreCheck:
    """Have the submission's score computed again; the answer comes as a row with what differs.

    Refuses NotOrganizer, ReasonMissing, NotScored, CheckUnderWay.
    """
    require_organizer(actor, submission.phase.track.competition)
    text = require_reason(reason)
    evaluation = evaluations.live_of(submission)
    if evaluation is None or evaluation.state != EvaluationState.SCORED:
        raise errors.NotScored(_("Only a submission that has a score can be scored again."))
    with audit.audited():
        check = _make(actor, evaluation, text, now)
        _record(check, "check.requested", actor, now)
        doorbell.ring(doorbell.CHECK_SCORE, check.pk)
    return check


def run(*, check_id: int, worker: str, clock: Callable[[], datetime]) -> RescoreCheck | None:
    """Claim a queued check, compute the score and compare; None when there was nothing to claim.

    Safe to call any number of times: it is computed once.
    """
    check = _claim(check_id, worker, clock())
    if check is None:
        return None
    try:
        _settle(check, _found(check, clock), clock())
    except ChildFailed as failure:
        _give_up(check, failure, clock())
    except StorageDown:
        _put_back(check, clock())
    except ClaimLost:
        return None
    return RescoreCheck.objects.get(pk=check.pk)


def settle(*, now: datetime) -> int:
    """Give back checks whose worker has gone silent and ring for those nobody began; return how many."""
    silent = Q(state=CheckState.RUNNING, lease_until__lt=now)
    lapsed = list(_with_everything(RescoreCheck.objects.filter(silent))[:AT_ONCE])
    for check in lapsed:
        failure = ChildFailed(FailureCode.WORKER_LOST, may_retry=True)
        # A worker that renewed in this very moment keeps its claim.
        with suppress(ClaimLost):
            _give_up(check, failure, now, only=silent)
    long_ago = now - timedelta(seconds=settings.RING_AGAIN_SECONDS)
    old = Q(rung_at__isnull=True) | Q(rung_at__lt=long_ago)
    waiting = RescoreCheck.objects.filter(old, state=CheckState.QUEUED)
    ids = list(waiting.values_list("pk", flat=True)[:AT_ONCE])
    for check_id in ids:
        if waiting.filter(pk=check_id).update(rung_at=now):
            doorbell.ring(doorbell.CHECK_SCORE, check_id)
    return len(lapsed) + len(ids)


def differences(evaluation: Evaluation, tallies_sha256: str, found: Json) -> list[str]:
    """Return the names of stored numbers that are not digit for digit what was found."""
    differing = [name for name in COMPARED if getattr(evaluation, name) != found[name]]
    if tallies_sha256 != found["tallies_sha256"]:
        differing.append("tallies")
    return differing


def _make(actor: User | None, evaluation: Evaluation, reason: str, now: datetime) -> RescoreCheck:
    try:
        with transaction.atomic():
            return RescoreCheck.objects.create(
                evaluation=evaluation,
                reason=reason,
                requested_by=actor,
                requested_at=now,
                rung_at=now,
            )
    except IntegrityError as error:
        raise errors.CheckUnderWay(_("This score is being computed again already.")) from error


def _claim(check_id: int, worker: str, now: datetime) -> RescoreCheck | None:
    found: RescoreCheck = _with_everything(RescoreCheck.objects.all()).get(pk=check_id)
    taken = RescoreCheck.objects.filter(
        pk=check_id, state=CheckState.QUEUED, attempt=found.attempt
    ).update(
        state=CheckState.RUNNING,
        attempt=found.attempt + 1,
        lease_until=leases.until(now),
        worker=worker[:120],
    )
    if not taken:
        return None
    found.attempt += 1
    return found


def _found(check: RescoreCheck, clock: Callable[[], datetime]) -> Json:
    def renew(now: datetime, _done: int, _total: int) -> bool:
        return bool(_mine(check).update(lease_until=leases.until(now)))

    result = evaluations.compute(check.evaluation, leases.Keeper(renew, clock=clock))
    opinion = second_opinion.compare(result["sample"])
    if not opinion.agrees:
        raise evaluations.SecondOpinionDisagrees(opinion.as_json())
    return {
        **evaluations.score_fields(result["score"]),
        "tallies_sha256": result["tallies_sha256"],
    }


def _settle(check: RescoreCheck, found: Json, now: datetime) -> None:
    stored = EvaluationTallies.objects.filter(evaluation=check.evaluation)
    sha256 = stored.values_list("sha256", flat=True).first() or ""
    differing = differences(check.evaluation, sha256, found)
    with audit.audited():
        _move(
            check,
            None,
            state=CheckState.DIFFERS if differing else CheckState.SAME,
            finished_at=now,
            found=found,
            differences=differing,
        )
        _record(check, "check.finished", None, now, differences=differing)


def _give_up(
    check: RescoreCheck, failure: ChildFailed, now: datetime, *, only: Q | None = None
) -> None:
    if failure.may_retry and check.attempt < settings.EVALUATION_ATTEMPTS:
        _move(check, only, state=CheckState.QUEUED, rung_at=now)
        doorbell.ring(doorbell.CHECK_SCORE, check.pk)
        return
    with audit.audited():
        _move(check, only, state=CheckState.FAILED, finished_at=now, failure_code=failure.code)
        _record(check, "check.failed", None, now, code=failure.code.value)


def _put_back(check: RescoreCheck, now: datetime) -> None:
    with suppress(ClaimLost):
        _move(check, None, state=CheckState.QUEUED, attempt=check.attempt - 1, rung_at=now)


def _with_everything(rows: Any) -> Any:
    return rows.select_related(
        "evaluation__recipe__references",
        "evaluation__submission__entrant",
        "evaluation__submission__phase__track__competition",
        "evaluation__submission__phase__references",
    )


def _mine(check: RescoreCheck) -> Any:
    """Return the row as long as this claim on it stands: the attempt number is the fence."""
    return RescoreCheck.objects.filter(pk=check.pk, state=CheckState.RUNNING, attempt=check.attempt)


def _move(check: RescoreCheck, only: Q | None, **fields: Any) -> None:
    if not _mine(check).filter(only or Q()).update(lease_until=None, **fields):
        raise ClaimLost


def _record(
    check: RescoreCheck, kind: str, actor: User | None, now: datetime, **payload: object
) -> None:
    submission = check.evaluation.submission
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"submission:{submission.code}",
        payload={"check": check.code, "recipe": check.evaluation.recipe.digest, **payload},
        now=now,
    )
