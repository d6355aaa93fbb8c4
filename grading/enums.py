from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class SubmissionState(TextChoices):
    """Where an upload stands; scoring is the state of its evaluation."""

    RECEIVED = "received", _("received")
    ACCEPTED = "accepted", _("accepted")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


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
    EvaluationState.CANCELLED: frozenset(),
}
