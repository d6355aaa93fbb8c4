"""One output under its verification's recipe: claimed, checked and scored by the ordinary workers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q

from accounts.services import audit
from competition.services import references
from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading.enums import FailureCode, VerificationState
from grading.models import VerificationRun
from grading.rules import runs_here
from grading.services import child, contents, doorbell, evaluations, leases, second_opinion
from grading.services.child import Bounds, ChildFailed, ClaimLost, ScorerAbsent, StorageDown
from grading.services.verification import comparing, sets

AT_ONCE = 50
KEPT_PROBLEMS = 200

Json = dict[str, Any]


def run(*, run_id: int, worker: str, clock: Callable[[], datetime]) -> VerificationRun | None:
    """Claim a queued output, check it and score it; None when there was nothing to claim.

    Safe to call any number of times: it is scored once.
    """
    found = claim(run_id=run_id, worker=worker, now=clock())
    if found is None:
        return None
    try:
        _work(found, clock)
    except ChildFailed as failure:
        if isinstance(failure, ScorerAbsent):
            _put_back(found, clock())
        else:
            _give_up(found, failure, clock())
    except StorageDown:
        _put_back(found, clock())
    except ClaimLost:
        return None
    return VerificationRun.objects.get(pk=found.pk)


def claim(*, run_id: int, worker: str, now: datetime) -> VerificationRun | None:
    """Take a queued output for one lease; None when it is not to be had, or its scorer runs elsewhere."""
    found: VerificationRun = _with_everything().get(pk=run_id)
    if not runs_here(found.named.verification.recipe):
        return None
    taken = VerificationRun.objects.filter(
        pk=run_id, state=VerificationState.QUEUED, attempt=found.attempt
    ).update(
        state=VerificationState.RUNNING,
        attempt=found.attempt + 1,
        lease_until=leases.until(now),
        worker=worker[:120],
        progress_done=0,
        progress_total=0,
    )
    if not taken:
        return None
    found.attempt += 1
    return found


def settle(*, now: datetime) -> int:
    """Give back outputs whose worker has gone silent and ring for those nobody began; return how many."""
    lapsed = _with_everything().filter(state=VerificationState.RUNNING, lease_until__lt=now)
    silent = list(lapsed[:AT_ONCE])
    for one in silent:
        with suppress(ClaimLost):
            _give_up(one, ChildFailed(FailureCode.WORKER_LOST, may_retry=True), now)
    long_ago = now - timedelta(seconds=settings.RING_AGAIN_SECONDS)
    old = Q(rung_at__isnull=True) | Q(rung_at__lt=long_ago)
    waiting = VerificationRun.objects.filter(old, state=VerificationState.QUEUED)
    ids = list(waiting.values_list("pk", flat=True)[:AT_ONCE])
    for run_id in ids:
        if waiting.filter(pk=run_id).update(rung_at=now):
            doorbell.ring(doorbell.VERIFY, run_id)
    return len(silent) + len(ids)


def _work(found: VerificationRun, clock: Callable[[], datetime]) -> None:
    def renew(now: datetime, done: int, total: int) -> bool:
        return bool(
            _mine(found).update(
                lease_until=leases.until(now), progress_done=done, progress_total=total
            )
        )

    keeper = leases.Keeper(renew, clock=clock)
    with contents.opened(found, keeper.watch) as content:
        job = _job(found) | {
            "submission_path": str(content.path),
            "submission_sha256": content.sha256,
            "filename": found.filename,
            "limits": found.named.verification.phase.limits,
        }
        ids = sets.manifest(found.named.verification.held_out)
        check = child.run(
            job | {"do": "check", "ids": ids}, bounds=Bounds.from_settings(), watch=keeper.watch
        )["report"]
        if check["errors"]:
            _reject(found, check, clock())
            return
        result = child.run(
            job | {"do": "evaluate", "ids": {}}, bounds=Bounds.from_settings(), watch=keeper.watch
        )
    _finish(found, check, result, clock())


def _job(found: VerificationRun) -> Json:
    verification = found.named.verification
    recipe, held_out = verification.recipe, verification.held_out
    return {
        "track": recipe.scorer,
        "version": recipe.version,
        "params": recipe.params,
        "recipe_digest": verification.digest,
        "references_path": _references_path(found),
        "references_sha256": held_out.sha256,
        "phase_code": verification.code,
    }


def _references_path(found: VerificationRun) -> str:
    held_out = found.named.verification.held_out
    try:
        return str(references.bring_key(held_out.storage_key, held_out.sha256, held_out.size))
    except ReferencesUnreachable as error:
        raise StorageDown from error
    except ReferencesMissing:
        raise ChildFailed(FailureCode.STORAGE_ERROR, may_retry=True) from None


def _reject(found: VerificationRun, check: Json, now: datetime) -> None:
    with audit.audited():
        _move(
            found,
            state=VerificationState.REJECTED,
            finished_at=now,
            problems=check["problems"][:KEPT_PROBLEMS],
            problems_total=check["total"],
        )
        _record(found, "verification.rejected", now, errors=check["errors"])


def _finish(found: VerificationRun, check: Json, result: Json, now: datetime) -> None:
    opinion = second_opinion.compare(result["sample"])
    if not opinion.agrees:
        raise evaluations.SecondOpinionDisagrees(opinion.as_json())
    fields = evaluations.score_fields(result["score"])
    tallies = bytes.fromhex(result["tallies"])
    difference = comparing.from_pool(found.named, tallies, fields["score"], int(fields["seed"]))
    with audit.audited():
        _move(
            found,
            state=VerificationState.SCORED,
            finished_at=now,
            problems=check["problems"][:KEPT_PROBLEMS],
            problems_total=check["total"],
            tallies=tallies,
            tallies_sha256=result["tallies_sha256"],
            difference=difference,
            **fields,
        )
        _record(found, "verification.scored", now, tallies_sha256=result["tallies_sha256"])


def _give_up(found: VerificationRun, failure: ChildFailed, now: datetime) -> None:
    if failure.may_retry and found.attempt < settings.EVALUATION_ATTEMPTS:
        _move(found, state=VerificationState.QUEUED, rung_at=now)
        doorbell.ring(doorbell.VERIFY, found.pk)
        return
    with audit.audited():
        _move(
            found,
            state=VerificationState.FAILED,
            finished_at=now,
            failure_code=failure.code,
        )
        _record(found, "verification.failed", now, code=failure.code.value)


def _put_back(found: VerificationRun, now: datetime) -> None:
    with suppress(ClaimLost):
        _move(found, state=VerificationState.QUEUED, attempt=found.attempt - 1, rung_at=now)


def _with_everything() -> Any:
    return VerificationRun.objects.select_related(
        "named__entrant",
        "named__evaluation",
        "named__rotation",
        "named__verification__recipe",
        "named__verification__held_out",
        "named__verification__phase__track__competition",
    )


def _mine(found: VerificationRun) -> Any:
    """Return the row as long as this claim on it stands: the attempt number is the fence."""
    return VerificationRun.objects.filter(
        pk=found.pk, state=VerificationState.RUNNING, attempt=found.attempt
    )


def _move(found: VerificationRun, **fields: Any) -> None:
    if not _mine(found).update(lease_until=None, **fields):
        raise ClaimLost


def _record(found: VerificationRun, kind: str, now: datetime, **payload: object) -> None:
    verification = found.named.verification
    audit.record(
        scope=verification.phase.track.competition.audit_scope,
        kind=kind,
        actor=None,
        target=f"verification:{verification.code}",
        payload={"run": found.code, "entrant": found.named.entrant.code, **payload},
        now=now,
    )
