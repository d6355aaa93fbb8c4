"""`manage.py backup PATH`: the whole installation in one archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from grading.services.keeping import backups


class Command(BaseCommand):
    """Runs beside a site at work; the archive holds every secret of the installation."""

    help = "Write database, files, hidden files and keys to one archive, while the site runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--portable", action="store_true", help="rows that SQLite and PostgreSQL both take"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"].absolute()
        try:
            kept = backups.make(path=path, now=timezone.now(), portable=options["portable"])
        except (Refusal, OSError) as error:
            raise CommandError(f"{error} There is no backup.") from error
        self.stdout.write(
            f"{path}: {kept.members} members, {kept.size} bytes, database as {kept.kind}."
            " It holds every secret of this installation: keep it where nobody else reads."
        )
