"""`manage.py sweep`: put right once what a lost message or a dead worker left."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from grading.services.sweep import sweep


class Command(BaseCommand):
    """Workers and beat do the same every 15 seconds; this is for a person who wants to see it."""

    help = "Release lapsed leases, ring for what nobody picked up, bring boards up to date."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was put right."""
        for name, count in sweep(now=timezone.now()).as_json().items():
            self.stdout.write(f"{name:<8} {count}")
