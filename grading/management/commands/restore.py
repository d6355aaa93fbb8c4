"""`manage.py restore PATH`: a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from grading.services.keeping import backups


class Command(BaseCommand):
    """Refuses an installation that holds anything; verifies every hash, the log and its triggers."""

    help = "Bring a backup into a new, empty installation; nothing may be running on it."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kept = backups.restore(path=options["path"], now=timezone.now())
        except (Refusal, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Restored the backup of {kept.made_at}: {kept.members} members verified,"
            " the log's chains hold, evidence is kept by its triggers."
        )
