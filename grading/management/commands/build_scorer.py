"""Builds the scorer that participants download."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from grading.scoring_bundle import write_scorer

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(BaseCommand):
    """`manage.py build_scorer`: one zip, byte for byte the same for the same source."""

    help = "Build the scorer as one zip for participants."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder to write to."""
        parser.add_argument("--output", type=Path, default=Path("dist"), metavar="FOLDER")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the archive and print its path and SHA-256."""
        path = write_scorer(options["output"])
        self.stdout.write(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}")
