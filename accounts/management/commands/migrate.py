"""`manage.py migrate`: Django's, as the owner of the tables where DATABASE_OWNER_URL names one."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate

from accounts import ownership


class Command(migrate.Command):
    """Brings the schema up to date; the application's role is left with rights to rows alone."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, and install the triggers, as the owner."""
        with ownership.owner(using=options["database"]):
            super().handle(*args, **options)
