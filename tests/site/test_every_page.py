from __future__ import annotations

import pytest
from django.urls import reverse

from competition.enums import Role
from config.headers import policy
from tests.factories.accounts import (
    InvitationFactory,
    TeamFactory,
    TokenFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import (
    AnnouncementFactory,
    CompetitionFactory,
    EntrantFactory,
    PhaseFactory,
    RoleGrantFactory,
    TermsFactory,
    TrackFactory,
)
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db

HOSTILE = "<svg/onload=alert(1)>"
MATH = "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>"

OPEN = [
    "home",
    "accounts:login",
    "accounts:sign-up",
    "accounts:sign-up-sent",
    "accounts:reset",
    "accounts:reset-sent",
    "accounts:privacy",
    "competition:competition-detail",
    "competition:data",
    "competition:rules",
    "competition:timeline",
    "competition:announcements",
]
OWN = [
    "accounts:account-detail",
    "accounts:password-change",
    "accounts:token-list",
    "accounts:team-list",
    "accounts:team-create",
    "accounts:team-detail",
    "accounts:team-rename",
    "competition:entrant-detail",
]


@pytest.fixture
def stage():
    """A competition with hostile texts and names, and its people."""
    texts = {"en": dict.fromkeys(("title", "summary", "overview", "data", "rules"), MATH)}
    competition = CompetitionFactory(texts=texts, slug="stage", terms_version="1")
    competition.terms_version = TermsFactory(competition=competition, texts={"en": MATH}).version
    competition.save()
    phase = PhaseFactory(
        track=TrackFactory(competition=competition, texts={"en": {"title": HOSTILE}}),
        texts={"en": {"title": HOSTILE}},
    )
    AnnouncementFactory(competition=competition, texts={"en": {"title": HOSTILE, "body": MATH}})
    captain = UserFactory(name=HOSTILE)
    team = TeamFactory(name=HOSTILE, affiliation=HOSTILE, captain=captain, people=[UserFactory()])
    entrant = EntrantFactory(competition=competition, team=team, captain=captain)
    InvitationFactory(team=team)
    TokenFactory(user=captain, name=HOSTILE)
    organizer = RoleGrantFactory(competition=competition, role=Role.ORGANIZER).user
    people = {
        "anonymous": None,
        "unverified": UnverifiedUserFactory(),
        "outsider": UserFactory(),
        "captain": captain,
        "member": team.members.exclude(pk=captain.pk).get(),
        "organizer": organizer,
    }
    return {"people": people, "team": team, "phase": phase, "entrant": entrant}


def address(name: str, stage: dict) -> str:
    if name.startswith("competition:"):
        return reverse(name, args=["stage"])
    if name in {"accounts:team-detail", "accounts:team-rename"}:
        return reverse(name, args=[stage["team"].code])
    return reverse(name)


def check(response) -> None:
    assert response.headers["Content-Security-Policy"] == policy()
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    html = response.content.decode()
    assert faults(html) == []
    assert HOSTILE not in html
    assert "<mglyph" not in html
    assert "<img" not in html


@pytest.mark.parametrize("who", ["anonymous", "unverified", "outsider", "captain", "organizer"])
@pytest.mark.parametrize("name", OPEN)
def test_a_public_page_keeps_the_rules_for_everybody(client, stage, name, who):
    person = stage["people"][who]
    if person:
        client.force_login(person)
    response = client.get(address(name, stage))
    if name in {"accounts:login", "accounts:sign-up"} and person:
        assert response.status_code == 302
        return
    assert response.status_code == 200
    check(response)


@pytest.mark.parametrize("name", OWN)
def test_a_page_of_ones_own_keeps_the_rules(client, stage, name):
    client.force_login(stage["people"]["captain"])
    response = client.get(address(name, stage))
    assert response.status_code == 200
    check(response)


@pytest.mark.parametrize("name", OWN)
def test_a_page_of_ones_own_sends_strangers_to_the_log_in(client, stage, name):
    path = address(name, stage)
    response = client.get(path)
    assert response.status_code == 302
    assert response.url == f"{reverse('accounts:login')}?next={path}"


@pytest.mark.parametrize("name", ["accounts:team-detail", "accounts:team-rename"])
def test_a_team_is_not_there_for_others(client, stage, name):
    client.force_login(stage["people"]["outsider"])
    assert client.get(address(name, stage)).status_code == 404


def test_only_members_see_the_page_of_an_entry(client, stage):
    path = reverse("competition:entrant-detail", args=["stage"])
    seen = {}
    for who, person in stage["people"].items():
        if person:
            client.force_login(person)
            seen[who] = client.get(path).status_code
    assert seen == {
        "unverified": 404,
        "outsider": 404,
        "captain": 200,
        "member": 404,
        "organizer": 404,
    }


@pytest.mark.parametrize("name", ["accounts:sign-up", "accounts:reset", "accounts:login"])
def test_an_empty_form_answers_with_errors_beside_the_fields(client, name):
    response = client.post(reverse(name), {"sent": "1"})
    assert response.status_code == 200
    check(response)
    page = read(response.content.decode())
    wrong = [e for e in page.elements if e.attributes.get("aria-invalid") == "true"]
    ids = {e.attributes.get("id") for e in page.elements}
    assert wrong
    assert all(f"{e.attributes['id']}_error" in ids for e in wrong)


def test_a_draft_is_not_there_but_for_its_organizers(client, stage):
    draft = CompetitionFactory(state="draft")
    path = reverse("competition:competition-detail", args=[draft.slug])
    assert client.get(path).status_code == 404
    client.force_login(RoleGrantFactory(competition=draft).user)
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/teams/99999999999999999999/",
        "/teams/99999999999999999999/members/1/remove/",
        "/competitions/99999999999999999999/",
        "/competitions/stage/announcements/?page=99999999999999999999",
        "/competitions/stage/announcements/?page=1e400",
        "/competitions/stage/announcements/?page=%00",
        "/competitions/stage/announcements/?page=%ff",
        "/invitations/%00/",
        "/invitations/%ED%A0%80/",
        "/accounts/verify/%00/",
        "/accounts/reset/%F0%9F%98%80/",
    ],
)
def test_an_odd_address_is_never_an_error_of_the_server(client, stage, path):
    client.force_login(stage["people"]["captain"])
    assert client.get(path).status_code in {200, 302, 400, 404, 405}
