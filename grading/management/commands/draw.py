"""`manage.py draw WINDOW [--run N]`: draw the clips of a window, or of a run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from competition.models import DrawWindow
from grading.services import draws


class Command(BaseCommand):
    """Prints the list; drawing twice gives the draw that there is."""

    help = "Draw the clips of a window that is open."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the window's code, and maybe a run."""
        parser.add_argument("window", help="the code in the window's address")
        parser.add_argument("--run", type=int, default=0, help="0 is the window's own draw")

    def handle(self, *args: Any, **options: Any) -> None:
        """Draw; raises CommandError with the reason when it is refused."""
        window = DrawWindow.objects.filter(code=options["window"]).first()
        if window is None or options["run"] < 0:
            raise CommandError(f"There is no window {options['window']} with that run.")
        try:
            made = draws.draw(window=window, run=options["run"], now=timezone.now())
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from refusal
        for utt_id in draws.ids_of(made):
            self.stdout.write(utt_id)
