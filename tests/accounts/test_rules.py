from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts import rules
from accounts.models import Team
from tests.factories.accounts import MembershipFactory, TeamFactory, UserFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    captain, member = UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    TeamFactory(captain=UserFactory())
    return {
        "nobody": None,
        "anonymous": AnonymousUser(),
        "outsider": UserFactory(is_staff=True),
        "member": member,
        "captain": captain,
        "left": MembershipFactory(team=team, left_at=NOW).user,
        "disabled": MembershipFactory(team=team, user__is_active=False).user,
        "admin": UserFactory(is_superuser=True),
    }


def test_a_team_is_seen_by_its_members_and_the_predicate_agrees(people) -> None:
    seen = {}
    for name, user in people.items():
        visible = list(Team.objects.visible_to(user))
        assert visible == [team for team in Team.objects.all() if rules.can_see_team(user, team)]
        seen[name] = len(visible)
    assert {name: count for name, count in seen.items() if count} == {
        "member": 1,
        "captain": 1,
        "admin": 2,
    }


def test_captains_are_told_from_members(people) -> None:
    team = Team.objects.visible_to(people["captain"]).get()
    captains = {name for name, user in people.items() if rules.is_team_captain(user, team)}
    members = {name for name, user in people.items() if rules.is_in_team(user, team)}
    assert (captains, members) == ({"captain"}, {"captain", "member"})
