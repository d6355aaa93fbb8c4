"""From received to accepted or rejected: the track's reader in a child process, then one move."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q

from accounts.services import audit
from competition.models import Entrant
from competition.services.entry import note_charge
from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading import rules
from grading.enums import (
    EvaluationState,
    FailureCode,
    Priority,
    RecipeRole,
    SubmissionState,
    ValidationStep,
)
from grading.models import Evaluation, Submission, ValidationProblem
from grading.scoring import registry
from grading.services import (
    child,
    composing,
    contents,
    doorbell,
    known,
    leases,
    news,
    quota,
    recipes,
    waveforms,
)
from grading.services.child import Bounds, ChildFailed, ClaimLost, StorageDown
from grading.services.waveforms import Kept

Json = dict[str, Any]


def validate(*, submission_id: int, clock: Callable[[], datetime]) -> Submission | None:
    """Claim a received submission, check it and move it to its next state.

    Returns the submission, or None when there was nothing to claim: it is taken, or past this
    state. Safe to call any number of times.
    """
    submission = claim(submission_id=submission_id, now=clock())
    if submission is None:
        return None
    composing.note_entry(phase=submission.phase, now=clock())
    try:
        _ensure_recipe(submission, clock())
        report, kept = _check(submission, clock)
        settle(submission=submission, report=report, kept=kept, now=clock())
    except ChildFailed as failure:
        give_up(submission=submission, failure=failure, now=clock())
    except StorageDown:
        put_back(submission=submission, now=clock())
    except ClaimLost:
        return None
    done = Submission.objects.get(pk=submission.pk)
    if done.state != SubmissionState.ACCEPTED:
        composing.note_entry(phase=submission.phase, now=clock())
    return done


def claim(*, submission_id: int, now: datetime) -> Submission | None:
    """Take the validation of a submission for one lease; None when it is not to be had."""
    found: Submission = Submission.objects.select_related(
        "phase__track__competition", "phase__references", "entrant"
    ).get(pk=submission_id)
    taken = Submission.objects.filter(
        pk=submission_id,
        state=SubmissionState.RECEIVED,
        attempt=found.attempt,
        lease_until__isnull=True,
    ).update(
        attempt=found.attempt + 1,
        lease_until=leases.until(now),
        progress_step="",
        progress_done=0,
        progress_total=0,
    )
    if not taken:
        return None
    found.attempt += 1
    return found


def settle(
    *, submission: Submission, report: Json, now: datetime, kept: Kept | None = None
) -> None:
    """Accept or reject with the report, replaced as a set; charge or release the slot.

    An accepted submission is queued for the live and the candidate recipe, and the clips that were
    kept of it get their rows. Raises ClaimLost.
    """
    accepted = report["errors"] == 0
    state = SubmissionState.ACCEPTED if accepted else SubmissionState.REJECTED
    with audit.audited():
        _lock(submission)
        _move(
            submission,
            None,
            state=state,
            validated_at=now,
            ended_at=None if accepted else now,
            rows=report["rows"],
            reading=report["reading"],
            problems_total=report["total"],
            errors_total=report["errors"],
            problem_counts=report["counts"],
        )
        _replace_problems(submission, report["problems"])
        if accepted:
            quota.charge(submission_id=submission.pk, now=now)
            note_charge(entrant_id=submission.entrant_id, now=now)
            if kept is not None:
                languages = manifest(submission)
                waveforms.record(submission=submission, kept=kept, languages=languages, now=now)
            _queue(submission, now)
        else:
            quota.release(submission_id=submission.pk, reason="rejected", now=now)
            news.submission_ended(submission=submission, failed=False, now=now)
        _record(submission, f"submission.{state.value}", now, errors=report["errors"])


def give_up(
    *, submission: Submission, failure: ChildFailed, now: datetime, only: Q | None = None
) -> None:
    """End a validation that gave no verdict: another try, or failed with the slot released.

    `only` narrows the claim further. Raises ClaimLost.
    """
    if failure.may_retry and submission.attempt < settings.EVALUATION_ATTEMPTS:
        _move(submission, only, rung_at=now)
        doorbell.ring(doorbell.validation_of(submission.phase.track.kind), submission.pk)
        return
    with audit.audited():
        _lock(submission)
        _move(
            submission,
            only,
            state=SubmissionState.FAILED,
            failure_code=failure.code,
            ended_at=now,
        )
        quota.release(submission_id=submission.pk, reason="failed", now=now)
        news.submission_ended(submission=submission, failed=True, now=now)
        _record(submission, "submission.failed", now, code=failure.code.value, error=failure.kind)


def put_back(*, submission: Submission, now: datetime) -> None:
    """Leave a validation to the sweep, as if it had not been tried: storage does not answer."""
    with suppress(ClaimLost):
        _move(submission, None, attempt=submission.attempt - 1, rung_at=now)


def release_lapsed(*, submission_id: int, now: datetime) -> None:
    """Give back a validation whose worker has gone silent, or fail it after the last attempt."""
    lapsed = Q(state=SubmissionState.RECEIVED, lease_until__lt=now)
    waiting = Submission.objects.select_related("phase__track__competition", "entrant")
    submission = waiting.filter(lapsed, pk=submission_id).first()
    if submission is None:
        return
    failure = ChildFailed(FailureCode.WORKER_LOST, may_retry=True)
    # A worker that renewed in this very moment keeps its claim.
    with suppress(ClaimLost):
        give_up(submission=submission, failure=failure, now=now, only=lapsed)


def manifest(submission: Submission) -> dict[str, str | None]:
    """Return the ids of the phase with their languages; no text."""
    return dict(submission.phase.references.utterances.values_list("utt_id", "language"))


def _ensure_recipe(submission: Submission, now: datetime) -> None:
    try:
        recipes.ensure_live(phase=submission.phase, now=now)
    except ReferencesUnreachable as error:
        raise StorageDown from error
    except ReferencesMissing:
        raise ChildFailed(FailureCode.STORAGE_ERROR, may_retry=True) from None


class _Progress:
    """What a validation is at, written with every renewal of its lease."""

    def __init__(self, submission: Submission) -> None:
        self._submission = submission
        self.step = ""

    def renew(self, now: datetime, done: int, total: int) -> bool:
        """Keep the claim and say how far the step is; return whether the claim still stood."""
        told = {"step": self.step, "done": done, "total": total} if self.step else {}
        fields = {f"progress_{name}": value for name, value in told.items()}
        return bool(_mine(self._submission).update(lease_until=leases.until(now), **fields))

    def enter(self, step: str) -> None:
        """Go on with another step of the validation of an archive of clips."""
        self.step = ValidationStep(step)


def _check(submission: Submission, clock: Callable[[], datetime]) -> tuple[Json, Kept | None]:
    progress = _Progress(submission)
    keeper = leases.Keeper(progress.renew, clock=clock)
    if not registry.get(submission.phase.track.kind).sends_sounds:
        report: Json = _look(submission, keeper, progress, None)["report"]
        return report, None
    progress.enter(ValidationStep.CHECK)
    with waveforms.work_folder(submission) as folder:
        found = _look(submission, keeper, progress, folder)
        clips = tuple(waveforms.Extracted(**clip) for clip in found.get("clips", ()))
        if not clips:
            return found["report"], None
        progress.enter(ValidationStep.SCREEN)
        screens = waveforms.screen(clips, folder, keeper.watch)
        progress.enter(ValidationStep.STORE)
        keys = waveforms.store(clips, folder, keeper.watch)
        return found["report"], Kept(clips, keys, screens)


def _look(
    submission: Submission, keeper: leases.Keeper, progress: _Progress, folder: Path | None
) -> Json:
    """Return what the child found; where there is a folder, it takes the clips out into it."""
    with contents.opened(submission, keeper.watch) as content:
        if not _mine(submission).update(sha256=content.sha256):
            raise ClaimLost
        job = {
            "do": "check",
            "track": submission.phase.track.kind,
            "params": dict(recipes.params_of(submission.phase)),
            "ids": manifest(submission),
            **known.check_job(submission.phase.track.kind, submission.phase.references),
            "clips_folder": folder and str(folder),
            **contents.file_job(submission, content),
        }
        bounds = Bounds.from_settings() if folder is None else Bounds.for_sounds()
        return child.run(job, bounds=bounds, watch=keeper.watch, on_step=progress.enter)


def _mine(submission: Submission) -> Any:
    """Return the row as long as this claim on it stands."""
    return Submission.objects.filter(
        Q(lease_until__isnull=False),
        pk=submission.pk,
        state=SubmissionState.RECEIVED,
        attempt=submission.attempt,
    )


def _lock(submission: Submission) -> None:
    """Lock in the order that every service keeps: entrant, then submission."""
    Entrant.objects.select_for_update().get(pk=submission.entrant_id)
    Submission.objects.select_for_update().get(pk=submission.pk)


def _move(submission: Submission, only: Q | None, **fields: Any) -> None:
    if not _mine(submission).filter(only or Q()).update(lease_until=None, **fields):
        raise ClaimLost


def _replace_problems(submission: Submission, problems: list[Json]) -> None:
    ValidationProblem.objects.filter(submission=submission).delete()
    ValidationProblem.objects.bulk_create(
        ValidationProblem(submission=submission, position=position, **problem)
        for position, problem in enumerate(problems, 1)
    )


def _queue(submission: Submission, now: datetime) -> None:
    for recipe, role in recipes.recipes_to_run(submission.phase):
        is_live = role == RecipeRole.LIVE
        evaluation, _ = Evaluation.objects.get_or_create(
            submission=submission,
            recipe=recipe,
            defaults={
                "state": rules.first_state(recipe),
                "priority": Priority.FRESH if is_live else Priority.AGAIN,
                "queued_at": now,
                "rung_at": now,
            },
        )
        if evaluation.state == EvaluationState.WAITING:
            if rules.has_judge(recipe):
                doorbell.ring(doorbell.JUDGE, evaluation.pk)
            continue
        doorbell.ring(doorbell.EVALUATE if is_live else doorbell.EVALUATE_AGAIN, evaluation.pk)


def _record(submission: Submission, kind: str, now: datetime, **payload: object) -> None:
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind=kind,
        actor=None,
        target=f"submission:{submission.code}",
        payload={"content_id": submission.content_id, **payload},
        now=now,
    )
