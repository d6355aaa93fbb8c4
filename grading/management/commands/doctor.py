"""`manage.py doctor`: look at every part of the installation and say what to do."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from grading.services.findings import Finding
from grading.services.health import LOOKS, examine


class Command(BaseCommand):
    """Ends with 0 when there is nothing to do, with 1 otherwise."""

    help = "Check settings, database, broker, workers, storage, disk, clock, mail, keys, backups and more."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the parts to look at, and --json."""
        parser.add_argument("parts", nargs="*", choices=[[], *LOOKS], metavar="part")
        parser.add_argument("--json", action="store_true", help="for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each part; raises CommandError when something is to be done."""
        findings = examine(now=timezone.now(), parts=tuple(options["parts"]))
        if options["json"]:
            rows = [asdict(finding) | {"ok": finding.ok} for finding in findings]
            self.stdout.write(json.dumps(rows, indent=1))
        else:
            for finding in findings:
                self._show(finding)
        ill = sum(not finding.ok for finding in findings)
        if ill:
            raise CommandError(f"{ill} of {len(findings)} parts need something.")

    def _show(self, finding: Finding) -> None:
        mark = self.style.SUCCESS("ok  ") if finding.ok else self.style.ERROR("NOT ")
        self.stdout.write(f"{mark} {finding.part:<9} {finding.said}")
        if finding.remedy:
            self.stdout.write(f"     {'':<9} → {finding.remedy}")
