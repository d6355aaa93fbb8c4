from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from accounts.evidence import Evidence


class AccountsConfig(AppConfig):
    """Who: people, teams, tokens, the audit log."""

    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
    evidence = (
        Evidence("auditevent"),
        Evidence("auditchain", frozen=("scope",)),
        Evidence("auditcheckpoint"),
    )

    def ready(self) -> None:
        """Connect the triggers, and let the API's schema know our tokens."""
        from accounts.triggers import install_after_migrate  # noqa: PLC0415  needs the registry

        import_module("accounts.api.schema")
        # The one signal in use: nothing else runs after Django's own migrate and flush.
        post_migrate.connect(install_after_migrate, dispatch_uid="accounts.triggers")
