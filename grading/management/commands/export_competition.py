"""`manage.py export_competition SLUG PATH`: everything of one competition in one archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from competition.models import Competition
from grading.services.keeping import exports


class Command(BaseCommand):
    """People go along as pseudonyms; passwords, tokens, addresses and private keys do not."""

    help = "Write everything of one competition, its hidden references too, to one archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        competition = Competition.objects.filter(slug=options["slug"]).first()
        if competition is None:
            raise CommandError(f"There is no competition {options['slug']!r}.")
        try:
            exported = exports.export(
                competition=competition, path=options["path"].absolute(), now=timezone.now()
            )
        except (Refusal, OSError) as error:
            raise CommandError(f"{error} Nothing was exported.") from error
        for key in exported.missing:
            self.stderr.write(f"missing in the storage, and so in the archive: {key}")
        self.stdout.write(
            f"{options['path']}: {exported.rows} rows, {exported.files} files, {exported.size}"
            " bytes. The hidden references are inside: it is for organizers."
        )
