from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from accounts.evidence import Evidence
from accounts.guards import Guard
from competition.held_out import FAMILY, NOT_HELD_OUT
from grading.senders import NOT_THEIRS_TO_SEND


class GradingConfig(AppConfig):
    """How good: submissions, evaluations, standings."""

    name = "grading"
    default_auto_field = "django.db.models.BigAutoField"
    evidence = (
        Evidence(
            "Submission",
            frozen=(
                "code",
                "entrant",
                "phase",
                "uploader",
                "number",
                "kind",
                "by_organizer",
                "filename",
                "size",
                "content_id",
                "created_at",
                "received_at",
            ),
        ),
        Evidence("Renaming"),
        Evidence("QuotaEntry", frozen=("submission", "entrant", "phase", "aoe_day", "reserved_at")),
        Evidence(
            "UploadSession",
            frozen=(
                "code",
                "entrant",
                "phase",
                "person",
                "size",
                "part_size",
                "content_id",
                "aoe_day",
                "created_at",
                "expires_at",
            ),
        ),
        Evidence("UploadPart", frozen=("session", "number", "size", "sha256")),
        Evidence("Waveform", frozen=("sha256", "size", "frames", "created_at")),
        Evidence("Clip"),
        Evidence(
            "FileSet",
            frozen=("code", "entrant", "phase", "person", "aoe_day", "created_at", "expires_at"),
        ),
        Evidence("Recipe"),
        Evidence("Evaluation", frozen=("submission", "recipe", "queued_at")),
        Evidence("EvaluationTallies"),
        Evidence(
            "Rescoring",
            frozen=(
                "code",
                "phase",
                "recipe",
                "replaced",
                "reason",
                "proposed_by",
                "proposed_at",
            ),
        ),
        Evidence(
            "RescoreCheck",
            frozen=("code", "evaluation", "reason", "requested_by", "requested_at"),
        ),
        Evidence("JudgeRun", frozen=("code", "evaluation", "created_at")),
        Evidence("JudgeRating"),
        Evidence("JudgeAnswer"),
        Evidence(
            "JudgeAttempt",
            frozen=("run", "claim", "kind", "key", "canary", "round", "endpoint", "started_at"),
        ),
        Evidence("JudgeCanarySet"),
        Evidence("JudgeCanary"),
        Evidence("FinalSelection"),
        Evidence("FinalSystem"),
        Evidence("FinalRanking"),
        Evidence("FinalStanding"),
        Evidence("FinalAct"),
        Evidence("FinalCheck", frozen=("ranking", "requested_by", "requested_at")),
        Evidence("Filing"),
        Evidence("FilingCheck"),
        Evidence("RatingOpening"),
        Evidence("ConsentText"),
        Evidence("RaterConsent"),
        Evidence("Rating"),
        Evidence("BrokenReport", frozen=("task", "stimulus", "rater", "reported_at")),
        Evidence(
            "RatingExclusion",
            frozen=(
                "code",
                "protocol",
                "kind",
                "rater",
                "session",
                "task",
                "reason",
                "actor",
                "excluded_at",
            ),
        ),
        Evidence("QualityReport"),
        Evidence("HeldOutSet"),
        Evidence("HeldOutClip"),
        Evidence(
            "Verification",
            frozen=(
                "code",
                "phase",
                "held_out",
                "rotation",
                "recipe",
                "digest",
                "way",
                "opens_at",
                "closes_at",
                "begun_by",
                "begun_at",
            ),
        ),
        Evidence("VerifiedEntrant"),
        Evidence(
            "VerificationRun",
            frozen=(
                "code",
                "named",
                "uploader",
                "filename",
                "size",
                "content_id",
                "received_at",
            ),
        ),
        Evidence("VerificationPublication"),
        Evidence("VerificationOutcome"),
        Evidence("ReceiptKey", frozen=("key_id", "public_key", "server", "valid_from")),
    )

    guards = (
        Guard("held_out_set", "heldoutclip", ("INSERT", "UPDATE"), NOT_HELD_OUT, FAMILY),
        Guard("organizers_send", "submission", ("INSERT",), NOT_THEIRS_TO_SEND, "senders"),
    )

    def ready(self) -> None:
        """Register the tasks in every process: the web server rings them by name."""
        import_module("grading.tasks")
