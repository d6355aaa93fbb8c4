from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from competition.enums import Role
from competition.models import RoleGrant
from tests.factories.accounts import UserFactory
from tests.factories.competition import CompetitionFactory

pytestmark = pytest.mark.django_db


def test_the_first_organizer_is_made_and_taken_back_from_the_command_line(capsys) -> None:
    competition, user = CompetitionFactory(), UserFactory()
    call_command("grant_role", competition.slug, user.email.upper(), "organizer")
    held = RoleGrant.objects.get()
    assert (held.user, held.role, held.revoked_at) == (user, Role.ORGANIZER, None)
    call_command("grant_role", competition.slug, user.email, "organizer", "--revoke")
    held.refresh_from_db()
    assert held.revoked_at is not None
    assert "no longer organizer" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [("nowhere", None), (None, "nobody@example.org")])
def test_what_does_not_exist_is_told_and_nothing_changes(arguments: tuple[str | None, ...]) -> None:
    slug, email = arguments
    competition, user = CompetitionFactory(), UserFactory()
    with pytest.raises(CommandError, match=slug or email):
        call_command("grant_role", slug or competition.slug, email or user.email, "auditor")
    assert not RoleGrant.objects.exists()


def test_a_role_held_already_is_refused_by_its_code() -> None:
    competition, user = CompetitionFactory(), UserFactory()
    call_command("grant_role", competition.slug, user.email, "auditor")
    with pytest.raises(CommandError, match="ROLE_HELD"):
        call_command("grant_role", competition.slug, user.email, "auditor")
    assert RoleGrant.objects.count() == 1
