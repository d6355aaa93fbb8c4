"""`manage.py verify_audit`: check the audit log's hash chains and its triggers."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.services import audit
from accounts.triggers import triggers_missing


class Command(BaseCommand):
    """Prints one line per chain; ends with an error at the first break or missing trigger."""

    help = "Check the hash chains of the audit log and print the first break."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--scope", help="one chain: site, or competition:<code> (default: all)")
        parser.add_argument(
            "--pin", metavar="COUNT:HASH", help="a head noted earlier (of the site without --scope)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pin = audit.Pin.parse(options["pin"]) if options["pin"] else None
        except ValueError as error:
            raise CommandError(str(error), returncode=2) from error
        verdict = audit.verify(options["scope"], pin)
        for chain in verdict.chains:
            self.stdout.write(_line(chain))
        missing = triggers_missing()
        for name in missing:
            self.stdout.write(f"missing trigger: {name}")
        if missing or not verdict.ok:
            raise CommandError("The audit log does not hold.")


def _line(chain: audit.ChainVerdict) -> str:
    if chain.broken:
        return f"{chain.scope}: BROKEN at event {chain.broken.number}: {chain.broken.reason}"
    return f"{chain.scope}: {chain.count} events hold, head {chain.count}:{chain.head}"
