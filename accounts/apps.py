from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who: people, teams, tokens, the audit log."""

    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
