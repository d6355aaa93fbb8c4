"""`manage.py demo`: prepare the demo, let its entrants upload, show its log-ins."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import httpx
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refusal
from competition.models import Competition
from grading.demo.api_client import Api, UploadError
from grading.demo.integrity import prepare_integrity, verify_standings
from grading.demo.logins import Login, stored_logins
from grading.demo.prepare import SLUG, logins_path, prepare
from grading.demo.rating import open_rating
from grading.demo.showcase import prepare_examples
from grading.demo.upload import upload_all
from grading.demo.upload_speech import await_judge, upload_speech
from grading.enums import ProtocolState


class Command(BaseCommand):
    """Each part may be stopped at any moment and run again: it completes what is missing."""

    help = "Set up the demo challenge. Parts: prepare (before the server is up), upload, logins."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the part, and the address for uploads."""
        parts = parser.add_subparsers(dest="part", required=True)
        first = parts.add_parser("prepare", help="make accounts, load the competition, enter teams")
        first.add_argument(
            "--all", action="store_true", help="load the example competitions as well"
        )
        upload = parts.add_parser("upload", help="upload the entrants' files through the API")
        upload.add_argument("--url", default=settings.SITE_URL, help="where the server listens")
        parts.add_parser("logins", help="print the log-ins of each role")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run one part; raises CommandError with the reason when it cannot be completed."""
        match options["part"]:
            case "prepare":
                competition = prepare(now=timezone.now(), say=self._say)
                prepare_integrity(competition=competition, now=timezone.now(), say=self._say)
                if options["all"]:
                    administrator = User.objects.filter(is_superuser=True).first()
                    prepare_examples(organizer=administrator, now=timezone.now(), say=self._say)
            case "upload":
                self._upload(options["url"])
            case _:
                self._show_logins()

    def _say(self, text: str) -> None:
        self.stdout.write(f"  {text}")

    def _upload(self, url: str) -> None:
        with httpx.Client(base_url=url, timeout=60.0, trust_env=False) as http:
            try:
                self._upload_tracks(Api(http))
            except (UploadError, Refusal) as error:
                raise CommandError(f"The demo's uploads stopped: {error}") from error

    def _upload_tracks(self, api: Api) -> None:
        """Upload Track 1 first, so that its board is there at once; the judge of Track 2 takes longer."""
        sent = upload_all(api, now=timezone.now(), show=self._progress)
        self._say(f"Track 1: {sent} files uploaded; all are scored" if sent else "Track 1 is there")
        competition = Competition.objects.get(slug=SLUG)
        verify_standings(competition=competition, clock=timezone.now, say=self._say)
        sent = upload_speech(api, now=timezone.now(), show=self._progress)
        if sent:
            self._say(f"Track 2: {sent} archives uploaded; the stand-in judge marks them")
        self._say(f"Track 2: {await_judge(show=self._progress)} systems are judged and scored")
        protocol = open_rating(now=timezone.now(), show=self._progress)
        if protocol.state == ProtocolState.OPEN:
            self._say("Track 2: people can rate now; ./run manage simulate_raters lets others join")

    def _progress(self, what: str, done: int, total: int) -> None:
        if self.stdout.isatty():
            filled = 30 * done // max(total, 1)
            bar = "█" * filled + "·" * (30 - filled)
            self.stdout.write(f"\r  {what:<9} {bar} {done}/{total} ", ending="")
            self.stdout.flush()
            if done == total:
                self.stdout.write("")
        elif done == total:
            self._say(f"{what}: {done} of {total}")

    def _show_logins(self) -> None:
        logins = list(stored_logins(logins_path()).values())
        if not logins:
            raise CommandError("There are no log-ins yet. Run `manage.py demo prepare` first.")
        for login in _first_of_each_role(logins):
            self.stdout.write(f"  {login.role:<14} {login.email:<34} {login.password}")
        self._say(f"all {len(logins)} log-ins: {logins_path()}")


def _first_of_each_role(logins: list[Login]) -> list[Login]:
    """Return one log-in per role in the file's order; the captain is the member's."""
    home = next((login.team for login in logins if login.role == "member"), None)
    chosen: dict[str, Login] = {}
    for login in logins:
        if login.role != "captain" or login.team == home:
            chosen.setdefault(login.role, login)
    return list(chosen.values())
