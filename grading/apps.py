from __future__ import annotations

from django.apps import AppConfig


class GradingConfig(AppConfig):
    """How good: submissions, evaluations, standings."""

    name = "grading"
    default_auto_field = "django.db.models.BigAutoField"
