from __future__ import annotations

from django.db.models import IntegerChoices, TextChoices
from django.utils.translation import gettext_lazy as _


class SubmissionState(TextChoices):
    """Where an upload stands; scoring is the state of its evaluation."""

    RECEIVED = "received", _("received")
    ACCEPTED = "accepted", _("accepted")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class UploadState(TextChoices):
    """Where an upload in parts stands; while it is open it holds one slot of quota."""

    OPEN = "open", _("open")
    COMPLETED = "completed", _("completed")
    ABORTED = "aborted", _("aborted")


class UploadEnd(TextChoices):
    """Why an upload in parts ended."""

    COMPLETED = "completed", _("completed")
    ABORTED = "aborted", _("aborted by the team")
    EXPIRED = "expired", _("not completed in time")
    REPEATED = "repeated", _("the same content was there already")


class SubmissionKind(TextChoices):
    """Why it was uploaded; only entries are charged and shown on boards."""

    ENTRY = "entry", _("entry")
    CANARY = "canary", _("canary")


class EvaluationState(TextChoices):
    """Where one submission under one recipe stands."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SCORED = "scored", _("scored")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class QuotaState(TextChoices):
    """A slot is reserved at upload, charged at acceptance, released when it cost nothing."""

    RESERVED = "reserved", _("reserved")
    CHARGED = "charged", _("charged")
    RELEASED = "released", _("released")


class RecipeRole(TextChoices):
    """A phase has one live recipe and at most one candidate."""

    LIVE = "live", _("live")
    CANDIDATE = "candidate", _("candidate")
    RETIRED = "retired", _("retired")


class NoticeState(TextChoices):
    """Whether a mail went out; one that its reader switched off meanwhile is dropped."""

    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    DROPPED = "dropped", _("dropped")


class Priority(IntegerChoices):
    """Which evaluations go first: those of fresh uploads, before what is scored again."""

    FRESH = 0, _("fresh")
    AGAIN = 1, _("again")


class RescoringState(TextChoices):
    """What became of a proposed recipe."""

    OPEN = "open", _("open")
    SWITCHED = "switched", _("switched")
    CANCELLED = "cancelled", _("cancelled")


class CheckState(TextChoices):
    """Where a score that is computed again on appeal stands, and how it compares."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SAME = "same", _("same")
    DIFFERS = "differs", _("differs")
    FAILED = "failed", _("failed")


class FailureCode(TextChoices):
    """Why our side could not finish; the label is the sentence that participants read."""

    SCORER_TIMEOUT = (
        "SCORER_TIMEOUT",
        _("Scoring took longer than the limit and was stopped. No quota was used."),
    )
    SCORER_MEMORY = (
        "SCORER_MEMORY",
        _("Scoring needed more memory than the limit and was stopped. No quota was used."),
    )
    SCORER_CRASHED = (
        "SCORER_CRASHED",
        _("The scorer ended with an error. The organizers can see it. No quota was used."),
    )
    WORKER_LOST = (
        "WORKER_LOST",
        _("The scoring was interrupted three times. No quota was used; please submit again."),
    )
    STORAGE_ERROR = (
        "STORAGE_ERROR",
        _("The stored file could not be read. No quota was used; please submit again."),
    )
    RECIPE_OUTDATED = (
        "RECIPE_OUTDATED",
        _("The phase was set up for another version of the scorer. No quota was used."),
    )
    SECOND_OPINION_DISAGREES = (
        "SECOND_OPINION_DISAGREES",
        _(
            "A second computation of the edit distances did not agree, so the score is not "
            "published. The organizers can see it. No quota was used."
        ),
    )


WAITS_FOR_SCORER = _(
    "This submission was accepted and waits: a new version of the scorer is being put in use, and it "
    "is scored as soon as the organizers have switched to it."
)

SUBMISSION_TRANSITIONS: dict[str, frozenset[str]] = {
    SubmissionState.RECEIVED: frozenset(
        {
            SubmissionState.ACCEPTED,
            SubmissionState.REJECTED,
            SubmissionState.FAILED,
            SubmissionState.CANCELLED,
        }
    ),
    SubmissionState.ACCEPTED: frozenset({SubmissionState.FAILED, SubmissionState.CANCELLED}),
    SubmissionState.REJECTED: frozenset(),
    SubmissionState.FAILED: frozenset(),
    SubmissionState.CANCELLED: frozenset(),
}

EVALUATION_TRANSITIONS: dict[str, frozenset[str]] = {
    EvaluationState.QUEUED: frozenset({EvaluationState.RUNNING, EvaluationState.CANCELLED}),
    EvaluationState.RUNNING: frozenset(
        {EvaluationState.QUEUED, EvaluationState.SCORED, EvaluationState.FAILED}
    ),
    EvaluationState.SCORED: frozenset(),
    EvaluationState.FAILED: frozenset(),
    # A candidate that was dropped and is proposed again goes on where it stood.
    EvaluationState.CANCELLED: frozenset({EvaluationState.QUEUED}),
}
