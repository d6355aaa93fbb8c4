from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from grading.services import judging_canaries


class Command(BaseCommand):
    """Stores clips with known marks that a judge is tried with."""

    help = "Store a folder of clips with known marks (canaries.json and WAVs) for trying a judge."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the folder and say what is stored."""
        try:
            found = judging_canaries.load(folder=options["folder"], now=timezone.now())
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"{found.name}: {found.canaries.count()} clips, {found.digest}")
