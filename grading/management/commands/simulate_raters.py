"""`manage.py simulate_raters`: raters who are none rate in the demo, labelled as simulated."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.refusals import Refusal
from grading.demo.crowd import CROWD, FIRST_WAVE, Ear, enroll, lead, sit
from grading.demo.prepare import SLUG
from grading.demo.rating import publish_final
from grading.demo.upload import POLL_SECONDS
from grading.enums import ProtocolState, RatingForm
from grading.models import RatingProtocol

MOST = 200
PATIENCE_SECONDS = 60.0


class Command(BaseCommand):
    """May be stopped at any moment and run again: who was in the middle goes on."""

    help = "Let simulated raters rate the demo's final systems, in the time that listening takes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how many rate."""
        parser.add_argument("--raters", type=int, default=CROWD, help=f"how many, at most {MOST}")

    def handle(self, *args: Any, **options: Any) -> None:
        """Rate; raises CommandError where no rating of the demo is open."""
        count = min(max(options["raters"], 1), MOST)
        protocol = RatingProtocol.objects.filter(
            selection__phase__track__competition__slug=SLUG,
            state=ProtocolState.OPEN,
            form=RatingForm.NVV,
        ).first()
        if protocol is None:
            raise CommandError(
                "No rating of the demo is open. `./run demo` opens one when Track 2 is judged."
            )
        self._shown = -1
        ear = Ear({})
        try:
            now = timezone.now()
            listeners = [enroll(protocol, number, now) for number in range(1, count + 1)]
            sittings = [sit(listener, ear, timezone.now) for listener in listeners]
            self.stdout.write(f"  {count} simulated raters listen; this takes about four minutes")
            lead(sittings, wait=time.sleep, show=self._show)
            self._publish()
        except Refusal as refusal:
            raise CommandError(
                f"The simulated raters stopped: {refusal} ({refusal.code})"
            ) from refusal

    def _show(self, done: int, total: int) -> None:
        if done != self._shown:
            self._shown = done
            self.stdout.write(f"  done: {done} of {total}")
            if done >= FIRST_WAVE:
                publish_final(now=timezone.now())

    def _publish(self) -> None:
        """Publish the final board once the worker has computed scores from the ratings."""
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while not publish_final(now=timezone.now()):
            if time.monotonic() > give_up_at:
                raise CommandError("No system has enough ratings for a final score yet.")
            time.sleep(POLL_SECONDS)
        self.stdout.write("  the final board is public: see the board of Track 2's final phase")
