from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from accounts.evidence import Evidence


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
        Evidence("ReceiptKey", frozen=("key_id", "public_key", "server", "valid_from")),
    )

    def ready(self) -> None:
        """Register the tasks in every process: the web server rings them by name."""
        import_module("grading.tasks")
