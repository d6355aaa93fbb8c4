"""`manage.py load_competition FILE`: check a definition, show what it changes, write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from grading.services import loading


class Command(BaseCommand):
    """Prints every fault with its line, or the changes path by path."""

    help = "Load a competition.yaml: every fault at once, else the changes; the same file changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--dry-run", action="store_true", help="show the changes, write nothing"
        )
        parser.add_argument(
            "--reason",
            default="",
            help="why deadlines or quotas of a published competition change; everybody sees it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        now = timezone.now()
        plan = loading.plan(definition_text=_read(path), base_dir=path.parent, now=now)
        for line in plan.lines():
            self.stdout.write(line)
        if plan.faults:
            faults = "1 fault" if len(plan.faults) == 1 else f"{len(plan.faults)} faults"
            raise CommandError(f"{path} has {faults}; nothing was changed.")
        if not plan.changes:
            self.stdout.write("Nothing changes.")
        if options["dry_run"]:
            self._say_dry(plan, options["reason"])
            return
        try:
            competition = loading.apply(actor=None, plan=plan, now=now, reason=options["reason"])
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from refusal
        self.stdout.write(f"{competition.slug} is loaded, version {_version(plan)}.")

    def _say_dry(self, plan: loading.Plan, reason: str) -> None:
        if plan.needs_reason and not reason.strip():
            self.stdout.write('Deadlines or quotas change: loading needs --reason "…".')
        self.stdout.write("Nothing was written (--dry-run).")


def _version(plan: loading.Plan) -> int:
    return plan.definition.version if plan.definition else 0


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: byte {error.start} is not UTF-8.") from error
