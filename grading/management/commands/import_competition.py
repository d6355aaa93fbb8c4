"""`manage.py import_competition PATH`: an exported competition into this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from grading.services.keeping import imports


class Command(BaseCommand):
    """Verifies every hash, the log's chain and every board; all of it comes in, or nothing."""

    help = "Bring an exported competition into an installation that does not have it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            imported = imports.bring_in(path=options["path"], now=timezone.now())
        except (Refusal, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{imported.competition.slug}: {imported.rows} rows, {imported.files} files; hashes,"
            " boards and the log's chain hold. Its people are pseudonyms that cannot log in."
        )
