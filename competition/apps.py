from __future__ import annotations

from django.apps import AppConfig

from accounts.evidence import Evidence


class CompetitionConfig(AppConfig):
    """What and when: competitions, tracks, phases, entrants."""

    name = "competition"
    default_auto_field = "django.db.models.BigAutoField"
    evidence = (
        Evidence("terms"),
        Evidence("termsacceptance"),
        Evidence("entrantchange"),
        Evidence("deadlinechange"),
        Evidence("boardchange"),
        Evidence(
            "question", frozen=("code", "competition", "asker", "entrant", "text", "asked_at")
        ),
    )
