from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.enums import TeamRole
from competition.enums import EntrantState
from competition.models import Entrant, TermsAcceptance
from competition.services import entry
from tests.factories.accounts import (
    NOW,
    MembershipFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import (
    CompetitionFactory,
    PhaseFactory,
    RoleGrantFactory,
    TrackFactory,
)
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def competition():
    made = CompetitionFactory(accept_automatically=True)
    PhaseFactory(track=TrackFactory(competition=made))
    return made


@pytest.fixture
def captain():
    return UserFactory(name="Ada")


@pytest.fixture
def team(captain):
    return TeamFactory(captain=captain, people=[UserFactory(name="Ben")])


def at(name: str, competition, *args: str) -> str:
    return reverse(f"competition:{name}", args=[competition.slug, *args])


def words(response) -> str:
    return read(response.content.decode()).text


def form(team, **changed: object) -> dict[str, object]:
    return {"team": team.code, "typed_name": "Ada", "accept": "on"} | changed


@pytest.fixture
def entrant(competition, team, captain):
    return entry.enter(actor=captain, competition=competition, team=team, typed_name="Ada", now=NOW)


def test_a_captain_registers_the_team_and_accepts_the_terms(client, competition, team, captain):
    client.force_login(captain)
    response = client.post(at("entrant-register", competition), form(team), follow=True)
    entrant = Entrant.objects.get()
    assert entrant.state == EntrantState.ACCEPTED
    assert entrant.members.count() == 2
    assert TermsAcceptance.objects.get().typed_name == "Ada"
    assert "Your team takes part." in words(response)


def test_where_organizers_decide_the_team_waits(client, team, captain):
    competition = CompetitionFactory(accept_automatically=False)
    PhaseFactory(track=TrackFactory(competition=competition))
    client.force_login(captain)
    response = client.post(at("entrant-register", competition), form(team), follow=True)
    assert Entrant.objects.get().state == EntrantState.PENDING
    assert "The organizers decide about your team." in words(response)


@pytest.mark.parametrize("missing", ["accept", "typed_name", "team"])
def test_without_every_field_nothing_is_registered_and_the_rest_is_kept(
    client, competition, team, captain, missing
):
    client.force_login(captain)
    given = form(team)
    del given[missing]
    response = client.post(at("entrant-register", competition), given)
    assert f"id_{missing}_error" in response.content.decode()
    if missing != "typed_name":
        assert 'value="Ada"' in response.content.decode()
    assert not Entrant.objects.exists()


def test_a_team_that_one_does_not_lead_cannot_be_chosen(client, competition, team, captain):
    stranger = UserFactory()
    TeamFactory(captain=stranger)
    client.force_login(stranger)
    html = client.get(at("entrant-register", competition)).content.decode()
    assert team.name not in html
    response = client.post(at("entrant-register", competition), form(team))
    assert "id_team_error" in response.content.decode()
    assert not Entrant.objects.exists()


def test_somebody_unverified_learns_why(client, competition):
    user = UnverifiedUserFactory()
    team = TeamFactory(captain=user)
    client.force_login(user)
    response = client.post(at("entrant-register", competition), form(team))
    assert "Confirm your e-mail address first" in words(response)
    assert not Entrant.objects.exists()


def test_an_organizer_cannot_enter_an_official_team(client, competition, team, captain):
    RoleGrantFactory(competition=competition, user=captain)
    client.force_login(captain)
    response = client.post(at("entrant-register", competition), form(team))
    assert "cannot be in an official entry" in words(response)
    assert not Entrant.objects.exists()
    assert not TermsAcceptance.objects.exists()


def test_somebody_without_a_team_is_told_to_make_one(client, competition):
    client.force_login(UserFactory())
    assert "You are captain of no team." in words(client.get(at("entrant-register", competition)))


def test_whoever_takes_part_is_led_to_the_entry(client, competition, entrant, captain):
    client.force_login(captain)
    response = client.get(at("entrant-register", competition))
    assert response.url == at("entrant-detail", competition)


def test_a_member_accepts_the_terms_for_themselves(client, competition, entrant):
    member = entrant.members.exclude(user__name="Ada").get().user
    client.force_login(member)
    assert "Accept the terms" in words(client.get(at("entrant-detail", competition)))
    response = client.post(at("terms-accept", competition), {"typed_name": "Ben"})
    assert "Without accepting the terms nobody can take part." in words(response)
    client.post(at("terms-accept", competition), {"typed_name": "Ben", "accept": "on"})
    assert TermsAcceptance.objects.filter(user=member).exists()


def test_a_captain_adds_and_removes_members(client, competition, entrant, captain):
    late = UserFactory(name="Cleo")
    MembershipFactory(team=entrant.team, user=late)
    client.force_login(captain)
    assert "Cleo" in words(client.get(at("entrant-detail", competition)))
    client.post(at("member-add", competition), {"person": late.code})
    assert entrant.members.filter(user=late, left_at=None).exists()
    client.post(at("member-remove", competition, late.code))
    assert not entrant.members.filter(user=late, left_at=None).exists()


def test_only_people_of_the_team_can_be_added(client, competition, entrant, captain):
    client.force_login(captain)
    response = client.post(at("member-add", competition), {"person": UserFactory().code})
    assert "id_person_error" in response.content.decode()
    assert entrant.members.count() == 2


def test_a_member_cannot_do_what_captains_do(client, competition, entrant, captain):
    member = entrant.members.exclude(user=captain).get().user
    client.force_login(member)
    html = client.get(at("entrant-detail", competition)).content.decode()
    assert at("entrant-withdraw", competition) not in html
    response = client.post(at("member-remove", competition, captain.code), follow=True)
    assert "Only a captain of the team can do this." in words(response)
    response = client.post(at("entrant-withdraw", competition), {"confirm": competition.slug})
    assert "Only a captain of the team can do this." in words(response)
    entrant.refresh_from_db()
    assert entrant.state == EntrantState.ACCEPTED


def test_after_the_first_charge_nobody_leaves(client, competition, entrant):
    entry.note_charge(entrant_id=entrant.pk, now=NOW)
    member = entrant.members.exclude(user__name="Ada").get().user
    client.force_login(member)
    response = client.post(at("entrant-leave", competition), {"confirm": "leave"}, follow=True)
    assert response.request["PATH_INFO"] == at("entrant-detail", competition)
    assert entrant.members.filter(user=member, left_at=None).exists()


def test_a_member_leaves_before(client, competition, entrant):
    member = entrant.members.exclude(user__name="Ada").get().user
    client.force_login(member)
    response = client.post(at("entrant-leave", competition), {"confirm": "no"}, follow=True)
    assert "exactly; nothing has changed." in words(response)
    assert entrant.members.filter(user=member, left_at=None).exists()
    response = client.post(at("entrant-leave", competition), {"confirm": "leave"})
    assert response.url == at("competition-detail", competition)
    assert not entrant.members.filter(user=member, left_at=None).exists()


def test_a_withdrawal_must_be_typed(client, competition, entrant, captain):
    client.force_login(captain)
    response = client.post(at("entrant-withdraw", competition), {"confirm": "yes"})
    assert "exactly; nothing has changed." in words(response)
    entrant.refresh_from_db()
    assert entrant.state == EntrantState.ACCEPTED
    client.post(at("entrant-withdraw", competition), {"confirm": competition.slug})
    entrant.refresh_from_db()
    assert entrant.state == EntrantState.WITHDRAWN


def test_strangers_reach_no_act_of_an_entry(client, competition, entrant, captain):
    client.force_login(UserFactory())
    for name, args in (
        ("terms-accept", ()),
        ("member-add", ()),
        ("member-remove", (captain.code,)),
        ("entrant-leave", ()),
        ("entrant-withdraw", ()),
    ):
        response = client.post(at(name, competition, *args), {"confirm": competition.slug})
        assert response.status_code == 404
    assert entrant.members.filter(left_at=None).count() == 2


@pytest.mark.parametrize("count", [1, 3])
def test_the_entry_takes_the_same_statements(
    client, competition, captain, count, django_assert_num_queries
):
    team = TeamFactory(captain=captain, people=UserFactory.create_batch(count))
    entry.enter(actor=captain, competition=competition, team=team, typed_name="Ada", now=NOW)
    for _ in range(count):
        MembershipFactory(team=team, role=TeamRole.MEMBER)
    client.force_login(captain)
    with django_assert_num_queries(14):
        client.get(at("entrant-detail", competition))


def test_the_rule_of_the_signature_is_said_before_it_is_broken(client, competition, captain, team):
    client.force_login(captain)
    page = words(client.get(at("entrant-register", competition)))
    assert "at most 120 characters, none of them invisible" in page


def test_the_team_that_the_link_names_is_chosen(client, competition, captain, team):
    other = TeamFactory(captain=captain)
    client.force_login(captain)
    for one in (team, other):
        page = client.get(at("entrant-register", competition), {"team": one.code})
        assert f'value="{one.code}" selected' in page.content.decode()
