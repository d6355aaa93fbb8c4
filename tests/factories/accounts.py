"""People, teams, tokens as tests need them: verified, named, with one password."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import factory
from factory.django import DjangoModelFactory

from accounts.enums import TeamRole, TokenScope
from accounts.models import ApiToken, Team, TeamInvitation, TeamMembership, User
from accounts.names import fold
from accounts.services import audit

PASSWORD = "correct horse battery"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


class UserFactory(DjangoModelFactory):
    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.org")
    name = factory.Sequence(lambda n: f"Person {n}")
    email_verified_at = NOW - timedelta(days=30)
    created_at = NOW - timedelta(days=30)
    password = factory.django.Password(PASSWORD)


class UnverifiedUserFactory(UserFactory):
    email_verified_at = None


class TeamFactory(DjangoModelFactory):
    """A team without members; `captain=` and `members=` put people in."""

    class Meta:
        model = Team
        skip_postgeneration_save = True

    name = factory.Sequence(lambda n: f"Team {chr(65 + n // 26 % 26)}{chr(65 + n % 26)}x{n}")
    name_key = factory.LazyAttribute(lambda team: fold(team.name))
    created_at = NOW - timedelta(days=20)

    @factory.post_generation
    def captain(self, create, extracted, **kwargs):
        if extracted:
            MembershipFactory(team=self, user=extracted, role=TeamRole.CAPTAIN)

    @factory.post_generation
    def people(self, create, extracted, **kwargs):
        for user in extracted or ():
            MembershipFactory(team=self, user=user)


class MembershipFactory(DjangoModelFactory):
    class Meta:
        model = TeamMembership

    team = factory.SubFactory(TeamFactory)
    user = factory.SubFactory(UserFactory)
    joined_at = NOW - timedelta(days=20)


class InvitationFactory(DjangoModelFactory):
    class Meta:
        model = TeamInvitation

    team = factory.SubFactory(TeamFactory)
    email = factory.Sequence(lambda n: f"guest{n}@example.org")
    secret_digest = factory.Sequence(lambda n: f"{n:064x}")
    invited_by = factory.SubFactory(UserFactory)
    created_at = NOW - timedelta(days=1)
    expires_at = NOW + timedelta(days=6)


class TokenFactory(DjangoModelFactory):
    class Meta:
        model = ApiToken

    user = factory.SubFactory(UserFactory)
    name = "laptop"
    prefix = "plt_abcdefgh"
    digest = factory.Sequence(lambda n: f"{n:064x}")
    scopes = factory.LazyFunction(lambda: [TokenScope.READ, TokenScope.SUBMIT])
    created_at = NOW - timedelta(days=1)


def seen_together(*users: User, now: datetime, address: str = "203.0.113.9") -> None:
    """Let people act from one device, so that there is a hint about them."""
    with audit.origin(address=address, user_agent="A browser"):
        for user in users:
            audit.record(
                kind="notices.chosen", actor=user, target=f"person:{user.code}", payload={}, now=now
            )
