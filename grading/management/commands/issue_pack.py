"""`manage.py issue_pack SLUG PACK EMAIL…`: issue copies to people who have accepted the terms."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refusal
from competition.models import Competition, Pack
from grading.services import copies


class Command(BaseCommand):
    """Each person gets a copy and a mail; whoever has one keeps it. Stops at the first refusal."""

    help = "Issue copies of a pack to named people who have accepted the terms in force."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take competition, pack and people."""
        parser.add_argument("competition", help="the slug in the competition's address")
        parser.add_argument("pack", help="the pack's name; the newest version, or NAME:VERSION")
        parser.add_argument("emails", nargs="+", help="the addresses the people log in with")

    def handle(self, *args: Any, **options: Any) -> None:
        """Issue; raises CommandError with the reason when it is refused."""
        pack = _pack(options["competition"], options["pack"])
        for person in [_person(email) for email in options["emails"]]:
            try:
                issue = copies.issue_to(actor=None, pack=pack, person=person, now=timezone.now())
            except Refusal as refusal:
                raise CommandError(
                    f"{person.email}: {refusal.code}: {refusal.message}"
                ) from refusal
            self.stdout.write(
                f"{person.email} has copy {issue.number} of {pack} until {issue.expires_at}."
            )


def _pack(slug: str, wanted: str) -> Pack:
    competition = Competition.objects.filter(slug=slug).first()
    if competition is None:
        raise CommandError(f"There is no competition {slug}; load it first.")
    name, _, version = wanted.partition(":")
    rows = competition.packs.filter(name=name).order_by("-version")
    if version.isascii() and version.isdigit():
        rows = rows.filter(version=int(version))
    pack = rows.select_related("competition").first()
    if pack is None:
        raise CommandError(f"There is no pack {wanted} in {slug}.")
    return pack


def _person(email: str) -> User:
    found = User.objects.filter(email=email.strip().lower()).first()
    if found is None:
        raise CommandError(f"Nobody has signed up as {email}.")
    return found
