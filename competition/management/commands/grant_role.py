"""`manage.py grant_role SLUG EMAIL ROLE`: make somebody organizer, auditor or rater."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refusal
from competition.enums import Role
from competition.models import Competition
from competition.services import roles


class Command(BaseCommand):
    """The first organizer of a competition is made here; --revoke takes a role back."""

    help = "Give a person a role in a competition, or take it back."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take competition, person and role."""
        parser.add_argument("competition", help="the slug in the competition's address")
        parser.add_argument("email", help="the address the person logs in with")
        parser.add_argument("role", choices=Role.values)
        parser.add_argument("--revoke", action="store_true", help="take the role back")

    def handle(self, *args: Any, **options: Any) -> None:
        """Grant or revoke; raises CommandError with the reason when it is refused."""
        competition = _competition(options["competition"])
        user = _person(options["email"])
        role = Role(options["role"])
        try:
            if options["revoke"]:
                _revoke(competition, user, role)
            else:
                roles.grant(
                    actor=None, competition=competition, user=user, role=role, now=timezone.now()
                )
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from refusal
        word = "no longer" if options["revoke"] else "now"
        self.stdout.write(f"{user.email} is {word} {role} of {competition.slug}.")


def _competition(slug: str) -> Competition:
    try:
        return Competition.objects.get(slug=slug)
    except Competition.DoesNotExist as error:
        raise CommandError(f"There is no competition {slug}; load it first.") from error


def _person(email: str) -> User:
    try:
        return User.objects.get(email=email.strip().lower())
    except User.DoesNotExist as error:
        raise CommandError(f"Nobody has signed up as {email}.") from error


def _revoke(competition: Competition, user: User, role: Role) -> None:
    held = competition.grants.filter(user=user, role=role, revoked_at__isnull=True).first()
    if held is None:
        raise CommandError(f"{user.email} does not have that role.")
    roles.revoke(actor=None, grant=held, now=timezone.now())
