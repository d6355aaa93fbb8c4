"""`manage.py receipt_keys list|rotate|new`: the keys that sign receipts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.chain import instant
from accounts.refusals import Refusal
from grading.services import receipt_keys


class Command(BaseCommand):
    """`list` shows every public key, `rotate` puts a new one to use, `new` prints a fresh private one."""

    help = "List the keys that sign receipts, put a new one to use, or print one for RECEIPT_KEY."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["list", "rotate", "new"])

    def handle(self, *args: Any, **options: Any) -> None:
        {"list": self._list, "rotate": self._rotate, "new": self._new}[options["act"]]()

    def _list(self) -> None:
        for key in receipt_keys.known():
            until = instant(key.valid_until) if key.valid_until else "in use"
            self.stdout.write(f"{key.key_id}  {instant(key.valid_from)}  {until}  {key.server}")

    def _rotate(self) -> None:
        try:
            row = receipt_keys.rotate(clock=timezone.now)
        except Refusal as refusal:
            raise CommandError(
                f"{refusal.message} Put what `receipt_keys new` prints there, restart every"
                " process, then run this again."
                if refusal.code == "RECEIPT_KEY_IN_PLACE"
                else refusal.message
            ) from refusal
        self.stdout.write(
            f"{row.key_id} signs from now on; what older keys signed keeps its worth."
        )

    def _new(self) -> None:
        self.stdout.write(receipt_keys.new_seed())
