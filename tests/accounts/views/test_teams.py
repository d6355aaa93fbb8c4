from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.enums import TeamRole
from accounts.models import Team, TeamInvitation
from accounts.services import teams
from tests.factories.accounts import (
    NOW,
    InvitationFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import EntrantFactory, PhaseFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db
WEB_CASES = Path(__file__).parents[2] / "cases" / "web"


@pytest.fixture
def team():
    return TeamFactory(captain=UserFactory(), people=[UserFactory()])


@pytest.fixture
def captain(team):
    return team.memberships.get(role=TeamRole.CAPTAIN).user


@pytest.fixture
def member(team):
    return team.memberships.get(role=TeamRole.MEMBER).user


def at(name: str, team: Team, *args: str) -> str:
    return reverse(f"accounts:{name}", args=[team.code, *args])


def words(response) -> str:
    return read(response.content.decode()).text


def test_a_team_is_made_and_its_maker_is_captain(client):
    user = UserFactory()
    client.force_login(user)
    response = client.post(reverse("accounts:team-create"), {"name": "Team Alder"})
    team = Team.objects.get()
    assert response.url == at("team-detail", team)
    assert team.memberships.get().role == TeamRole.CAPTAIN


def test_somebody_unverified_learns_why_no_team_is_made_and_keeps_what_was_typed(client):
    client.force_login(UnverifiedUserFactory())
    response = client.post(reverse("accounts:team-create"), {"name": "Team Alder"})
    assert "Confirm your e-mail address first" in words(response)
    assert 'value="Team Alder"' in response.content.decode()
    assert not Team.objects.exists()


@pytest.mark.parametrize("name", ["p-name-nul", "p-name-rlo", "p-name-zero-width"])
def test_a_name_that_deceives_is_refused_beside_its_field(client, name):
    case = json.loads((WEB_CASES / f"{name}.json").read_text(encoding="utf-8"))
    for given in case.get("given", []):
        TeamFactory(name=given)
    client.force_login(UserFactory())
    before = Team.objects.count()
    response = client.post(reverse("accounts:team-create"), {"name": case["value"]})
    assert response.status_code == 200
    assert "id_name_error" in response.content.decode()
    assert Team.objects.count() == before


@pytest.mark.parametrize("name", ["p-name-script", "p-name-slash", "p-csv-at-plus"])
def test_an_odd_name_is_shown_as_it_is_and_never_runs(client, name):
    case = json.loads((WEB_CASES / f"{name}.json").read_text(encoding="utf-8"))
    client.force_login(UserFactory())
    response = client.post(reverse("accounts:team-create"), {"name": case["value"]}, follow=True)
    assert response.status_code == 200
    assert case["value"] in words(response)
    assert response.request["PATH_INFO"] == at("team-detail", Team.objects.get())


def test_a_name_that_looks_like_another_is_refused(client, team):
    TeamFactory(name="Team Cedar")
    client.force_login(UserFactory())
    response = client.post(reverse("accounts:team-create"), {"name": "Tеam Cedаr"})
    assert "looks the same" in words(response)


def test_a_captain_invites_and_the_guest_joins(
    client, team, captain, mailoutbox, django_capture_on_commit_callbacks
):
    guest = UserFactory()
    client.force_login(captain)
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(at("team-invite", team), {"email": guest.email})
    assert response.url == at("team-detail", team)
    path = "/invitations/" + mailoutbox[0].body.split("/invitations/")[1].split()[0]
    client.force_login(guest)
    assert team.name in words(client.get(path))
    assert client.post(path).url == at("team-detail", team)
    assert team.memberships.filter(user=guest, left_at=None).exists()
    assert client.get(path).status_code == 404


def test_an_invitation_for_another_address_is_refused_in_words(client, team, captain):
    _, secret = teams.invite(actor=captain, team=team, email="guest@example.org", now=NOW)
    client.force_login(UserFactory())
    path = reverse("accounts:invitation-accept", args=[secret])
    response = client.post(path, follow=True)
    assert "sent to another address" in words(response)
    assert team.memberships.count() == 2


def test_an_invitation_waits_until_its_guest_is_logged_in(client, team, captain):
    _, secret = teams.invite(actor=captain, team=team, email="guest@example.org", now=NOW)
    path = reverse("accounts:invitation-accept", args=[secret])
    page = client.get(path)
    assert team.name in words(page)
    assert f"{reverse('accounts:login')}?next={path}" in page.content.decode()
    assert client.post(path).status_code == 302


def test_a_refused_invitation_keeps_the_address(client, team, captain, member):
    client.force_login(captain)
    response = client.post(at("team-invite", team), {"email": member.email})
    assert "in the team already" in words(response)
    assert f'value="{member.email}"' in response.content.decode()


def test_a_captain_takes_an_invitation_back(client, team, captain):
    invitation = InvitationFactory(team=team)
    client.force_login(captain)
    client.post(at("invitation-revoke", team, invitation.code))
    assert TeamInvitation.objects.get().revoked_at is not None


def test_a_captain_gives_roles_and_removes_members(client, team, captain, member):
    client.force_login(captain)
    client.post(at("member-role", team, member.code), {"role": "captain"})
    assert team.memberships.get(user=member).role == TeamRole.CAPTAIN
    client.post(at("member-remove", team, member.code))
    assert team.memberships.get(user=member).left_at == NOW


def test_a_member_cannot_do_what_captains_do(client, team, captain, member):
    client.force_login(member)
    html = client.get(at("team-detail", team)).content.decode()
    assert at("team-invite", team) not in html
    assert at("member-remove", team, captain.code) not in html
    for name, args, form in (
        ("team-invite", (), {"email": "guest@example.org"}),
        ("team-rename", (), {"name": "Team Other"}),
    ):
        response = client.post(at(name, team, *args), form)
        assert "Only a captain of the team can do this." in words(response)
    response = client.post(at("member-remove", team, captain.code), follow=True)
    assert "Only a captain of the team can do this." in words(response)
    team.refresh_from_db()
    assert team.memberships.filter(left_at=None).count() == 2
    assert team.name != "Team Other"


def test_strangers_reach_no_act_of_a_team(client, team, captain, member):
    client.force_login(UserFactory())
    invitation = InvitationFactory(team=team)
    for path in (
        at("team-invite", team),
        at("team-rename", team),
        at("team-leave", team),
        at("member-remove", team, member.code),
        at("member-role", team, member.code),
        at("invitation-revoke", team, invitation.code),
    ):
        assert client.post(path, {"role": "captain"}).status_code == 404
    assert team.memberships.filter(left_at=None).count() == 2


def test_the_last_captain_cannot_leave_and_learns_why(client, team, captain):
    client.force_login(captain)
    response = client.post(at("team-leave", team), {"confirm": "leave"}, follow=True)
    assert "A team needs a captain" in words(response)
    assert team.memberships.get(user=captain).left_at is None


def test_a_member_leaves(client, team, member):
    client.force_login(member)
    response = client.post(at("team-leave", team), follow=True)
    assert "exactly; nothing has changed." in words(response)
    response = client.post(at("team-leave", team), {"confirm": "leave"})
    assert response.url == reverse("accounts:team-list")
    assert client.get(at("team-detail", team)).status_code == 404


def test_a_captain_changes_the_name(client, team, captain):
    client.force_login(captain)
    client.post(at("team-rename", team), {"name": "Team Fjord", "affiliation": "North"})
    team.refresh_from_db()
    assert (team.name, team.affiliation) == ("Team Fjord", "North")


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_of_teams_takes_the_same_statements(client, count, django_assert_num_queries):
    user = UserFactory()
    for _ in range(count):
        TeamFactory(captain=user, people=[UserFactory()])
    client.force_login(user)
    with django_assert_num_queries(5):
        client.get(reverse("accounts:team-list"))


@pytest.mark.parametrize("count", [1, 3])
def test_a_team_s_page_takes_the_same_statements(client, count, django_assert_num_queries):
    user = UserFactory()
    team = TeamFactory(captain=user, people=UserFactory.create_batch(count))
    for _ in range(count):
        InvitationFactory(team=team)
    client.force_login(user)
    with django_assert_num_queries(8):
        client.get(at("team-detail", team))


def test_a_new_team_s_page_leads_to_the_competitions_it_can_enter(client):
    phase = PhaseFactory(closes_at=timezone.now() + timedelta(days=1))
    ended = PhaseFactory(closes_at=timezone.now() - timedelta(days=1))
    client.force_login(UserFactory())
    page = client.post(reverse("accounts:team-create"), {"name": "Alder"}, follow=True)
    register = reverse("competition:entrant-register", args=[phase.track.competition.slug])
    assert f'href="{register}?team={Team.objects.get().code}"' in page.content.decode()
    assert ended.track.competition.slug not in page.content.decode()


def test_a_team_s_page_lists_where_it_takes_part_and_offers_that_no_more(client, team, captain):
    phase = PhaseFactory(closes_at=timezone.now() + timedelta(days=1))
    entrant = EntrantFactory(competition=phase.track.competition, team=team, captain=captain)
    client.force_login(captain)
    page = client.get(at("team-detail", team)).content.decode()
    assert reverse("grading:submission-list", args=[entrant.competition.slug]) in page
    assert "Challenge challenge-" in page
    assert reverse("competition:entrant-register", args=[entrant.competition.slug]) not in page


def test_a_member_is_told_that_a_captain_registers(client, team, member):
    PhaseFactory(closes_at=timezone.now() + timedelta(days=1))
    client.force_login(member)
    page = client.get(at("team-detail", team))
    assert "a captain registers it" in words(page)
    assert "/register/" not in page.content.decode()


def test_without_a_competition_a_team_s_page_says_so(client, team, captain):
    client.force_login(captain)
    assert "No competition takes teams now." in words(client.get(at("team-detail", team)))
