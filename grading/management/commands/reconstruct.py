"""`manage.py reconstruct WINDOW [--run N]`: make stored draws again and compare them byte for byte."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.models import DrawWindow
from grading.services import draws


class Command(BaseCommand):
    """Says of each draw whether it comes out the same; fails when one does not."""

    help = "Make the draws of a window again and compare them with what was stored."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the window's code, and maybe one run."""
        parser.add_argument("window", help="the code in the window's address")
        parser.add_argument("--run", type=int, help="one run; 0 is the window's own draw")
        parser.add_argument("--list", action="store_true", help="print the clips as well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare; raises CommandError when a draw is not the same."""
        window = DrawWindow.objects.filter(code=options["window"]).first()
        if window is None:
            raise CommandError(f"There is no window {options['window']}.")
        rows = window.draws.order_by("run")
        if options["run"] is not None:
            rows = rows.filter(run=options["run"])
        if not rows:
            raise CommandError("Nothing was drawn there.")
        differing = []
        for one in rows:
            again = draws.reconstruct(one)
            said = "the same" if again.agrees else "NOT the same"
            self.stdout.write(f"run {one.run}: {said}, list {again.sha256}")
            if options["list"]:
                self.stdout.write("".join(f"{utt_id}\n" for utt_id in again.utt_ids), ending="")
            if not again.agrees:
                differing.append(one.run)
        if differing:
            raise CommandError(f"Not the same: run {', '.join(map(str, differing))}.")
