from __future__ import annotations

from django.apps import AppConfig


class CompetitionConfig(AppConfig):
    """What and when: competitions, tracks, phases, entrants."""

    name = "competition"
    default_auto_field = "django.db.models.BigAutoField"
