"""`manage.py verify_audit`: check the audit log's hash chains and its triggers, or an export of a chain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from accounts.services import audit, exported
from accounts.services.audit import Pin
from accounts.triggers import triggers_missing


class Command(BaseCommand):
    """Prints one line per chain; ends with an error at the first break or missing trigger."""

    help = "Check the hash chains of the audit log and print the first break."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--scope", help="one chain: site, or competition:<code> (default: all)")
        parser.add_argument(
            "--pin", metavar="COUNT:HASH", help="a head noted earlier (of the site without --scope)"
        )
        parser.add_argument(
            "--export",
            metavar="FILE",
            help="a whole chain as the log's page exports it (JSON Lines), instead of the database",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pin = Pin.parse(options["pin"]) if options["pin"] else None
        except ValueError as error:
            raise CommandError(str(error), returncode=2) from error
        if options["export"]:
            self._verify_export(Path(options["export"]), pin)
            return
        verdict = audit.verify(options["scope"], pin)
        for chain in verdict.chains:
            self.stdout.write(_line(chain))
        missing = triggers_missing()
        for name in missing:
            self.stdout.write(f"missing trigger: {name}")
        if missing or not verdict.ok:
            raise CommandError("The audit log does not hold.")

    def _verify_export(self, path: Path, pin: Pin | None) -> None:
        """Check a file with nothing but its lines, then say how this server's chain stands to it."""
        try:
            with path.open("rb") as lines:
                found = exported.verify_lines(lines, pin)
        except (OSError, exported.NotAnExport) as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(_line(found))
        if found.broken:
            raise CommandError("The export does not hold.")
        try:
            here = exported.compared(found)
        except DatabaseError:
            self.stdout.write("There is no database of the server here to compare it with.")
            return
        if here.agrees is None:
            self.stdout.write("This server has no chain of that name to compare it with.")
        elif here.agrees:
            self.stdout.write(f"This server's chain begins with it; {here.later} events are later.")
        else:
            raise CommandError(
                "This server's chain is another one: it does not begin with the export."
            )


def _line(chain: audit.ChainVerdict) -> str:
    if chain.broken:
        return f"{chain.scope}: BROKEN at event {chain.broken.number}: {chain.broken.reason}"
    return f"{chain.scope}: {chain.count} events hold, head {chain.count}:{chain.head}"
