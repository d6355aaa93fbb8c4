from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from accounts.enums import TeamRole
from competition.enums import EntrantState
from competition.models import DeadlineChange
from tests.factories.accounts import (
    MembershipFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import (
    NOW,
    AnnouncementFactory,
    CompetitionFactory,
    EntrantFactory,
    PhaseFactory,
    RoleGrantFactory,
    TermsAcceptanceFactory,
    TrackFactory,
)
from tests.site.markup import read

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def competition():
    texts = {"en": {"title": "Olive", "rules": "1. Be *fair*.", "data": "## Sets\n\nTwo."}}
    return CompetitionFactory(texts=texts)


@pytest.fixture
def phase(competition):
    return PhaseFactory(track=TrackFactory(competition=competition))


def overview(client, competition) -> str:
    path = reverse("competition:competition-detail", args=[competition.slug])
    return read(client.get(path).content.decode()).text


def entrant(competition, user, *, terms: bool = True, **fields: object):
    if terms:
        TermsAcceptanceFactory(terms=competition.terms.get(), user=user)
    team = TeamFactory(name="Team Alder", captain=user)
    return EntrantFactory(competition=competition, team=team, captain=user, **fields)


def test_a_stranger_is_asked_to_sign_up(client, competition, phase):
    assert "Sign up, make a team, accept the terms" in overview(client, competition)


def test_somebody_unverified_is_sent_to_the_mail(client, competition, phase):
    client.force_login(UnverifiedUserFactory())
    assert "Confirm your e-mail address" in overview(client, competition)


def test_somebody_without_a_team_is_asked_to_make_one(client, competition, phase):
    client.force_login(UserFactory())
    assert "Teams take part, also teams of one." in overview(client, competition)


def test_a_captain_is_asked_to_register(client, competition, phase):
    user = UserFactory()
    TeamFactory(captain=user)
    client.force_login(user)
    assert "Register your team" in overview(client, competition)


def test_a_member_is_sent_to_the_captain(client, competition, phase):
    user = UserFactory()
    TeamFactory(captain=UserFactory(), people=[user])
    client.force_login(user)
    assert "A captain of your team registers it" in overview(client, competition)


def test_a_late_member_is_asked_to_join_the_entry_and_joins(client, competition, phase):
    user = UserFactory()
    standing = entrant(competition, UserFactory())
    MembershipFactory(team=standing.team, user=user, role=TeamRole.MEMBER)
    client.force_login(user)
    assert "Join its entry to submit for it." in overview(client, competition)
    response = client.post(reverse("competition:entrant-join", args=[competition.slug]))
    assert response.url == reverse("competition:entrant-detail", args=[competition.slug])
    assert standing.members.filter(user=user, left_at=None).exists()


def test_an_entry_cannot_be_joined_by_a_stranger(client, competition, phase):
    standing = entrant(competition, UserFactory())
    client.force_login(UserFactory())
    path = reverse("competition:entrant-join", args=[competition.slug])
    assert client.post(path).status_code == 404
    assert standing.members.count() == 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"terms": False}, "accept the terms in force"),
        ({"state": EntrantState.PENDING, "decided_at": None}, "Waiting for the organizers"),
        ({"state": EntrantState.REFUSED, "reason": "Too late."}, "Team Alder is refused Too late."),
        (
            {"state": EntrantState.DISQUALIFIED, "reason": "Copied."},
            "Team Alder is disqualified Copied.",
        ),
        ({}, "Check a file first: that is free."),
    ],
)
def test_a_member_reads_where_the_entry_stands(client, competition, phase, fields, sentence):
    user = UserFactory()
    entrant(competition, user, **fields)
    client.force_login(user)
    assert sentence in overview(client, competition)


def test_an_organizer_is_led_to_the_console(client, competition, phase):
    client.force_login(RoleGrantFactory(competition=competition).user)
    assert "You organize this competition" in overview(client, competition)


def test_before_the_first_phase_an_entrant_reads_when_it_opens(client, competition, phase):
    user = UserFactory()
    entrant(competition, user)
    client.force_login(user)
    with time_machine.travel(phase.opens_at - DAY, tick=False):
        client.force_login(user)
        assert "No phase takes uploads now. The next one opens 21 Nov" in overview(
            client, competition
        )


def test_after_the_last_phase_everybody_reads_that_it_is_over(client, competition, phase):
    with time_machine.travel(phase.closes_at + DAY, tick=False):
        assert "This competition is over" in overview(client, competition)


def test_the_overview_says_how_it_is_scored_and_what_may_be_sent(client, competition, phase):
    text = overview(client, competition)
    for words in (
        "70 % F1 of the events",
        "English: at most 2 words from its place",
        "Mandarin: at most 5 characters from its place",
        "higher F1, lower mNTD",
    ):
        assert words in text
    assert "5 50 rounded to two decimals, no counts" in text


def test_a_competition_without_anything_yet_has_its_page(client):
    text = overview(client, CompetitionFactory())
    assert "The organizers have not written about it yet." in text


def test_rules_and_terms_are_shown_as_they_were_written(client, competition, phase):
    path = reverse("competition:rules", args=[competition.slug])
    html = client.get(path).content.decode()
    assert "<li>Be <em>fair</em>.</li>" in html
    assert "Play fair." in html
    assert "Version 1." in html


def test_the_data_page_counts_utterances_and_never_shows_a_reference(client, competition, phase):
    text = read(
        client.get(reverse("competition:data", args=[competition.slug])).content.decode()
    ).text
    assert "1 English · 1 Mandarin" in text
    assert "[throat clearing]" in text
    assert "well [laugh] yes" not in text


def test_the_timeline_keeps_the_dates_that_were_moved(client, competition, phase):
    DeadlineChange.objects.create(
        phase=phase,
        field="closes_at",
        old=phase.closes_at - 2 * DAY,
        new=phase.closes_at,
        reason="A storm.",
        actor=None,
        at=NOW,
    )
    text = read(
        client.get(reverse("competition:timeline", args=[competition.slug])).content.decode()
    ).text
    assert "8 Dec 2026, 23:59 AoE" in text
    assert "10 Dec 2026, 23:59 AoE" in text
    assert "A storm." in text


def test_a_timeline_without_phases_says_so(client):
    path = reverse("competition:timeline", args=[CompetitionFactory().slug])
    assert "No dates are set yet." in read(client.get(path).content.decode()).text


def test_news_are_listed_newest_first_and_page_by_page(client, competition):
    for number in range(21):
        AnnouncementFactory(
            competition=competition,
            texts={"en": {"title": f"Item {number:02d}", "body": "x"}},
            published_at=NOW - number * DAY,
        )
    path = reverse("competition:announcements", args=[competition.slug])
    first = read(client.get(path).content.decode()).text
    assert first.index("Item 00") < first.index("Item 19")
    assert "Item 20" not in first
    assert "Item 20" in read(client.get(f"{path}?page=2").content.decode()).text


@pytest.mark.parametrize("name", ["data", "rules", "timeline", "announcements"])
def test_a_competition_that_is_not_there_has_no_pages(client, name):
    assert client.get(reverse(f"competition:{name}", args=["nothing"])).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_the_overview_takes_the_same_statements(client, count, django_assert_num_queries):
    competition = CompetitionFactory()
    for _ in range(count):
        PhaseFactory(track=TrackFactory(competition=competition))
        AnnouncementFactory(competition=competition)
        entrant = EntrantFactory(competition=competition)
    user = UserFactory()
    TermsAcceptanceFactory(terms=competition.terms.get(), user=user)
    TeamFactory(captain=user)
    client.force_login(user)
    path = reverse("competition:competition-detail", args=[competition.slug])
    with django_assert_num_queries(14):
        client.get(path)
    assert entrant.state == EntrantState.ACCEPTED


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("name", "statements"), [("data", 5), ("timeline", 4), ("rules", 4)])
def test_other_pages_take_the_same_statements(
    client, name, statements, count, django_assert_num_queries
):
    competition = CompetitionFactory()
    for _ in range(count):
        phase = PhaseFactory(track=TrackFactory(competition=competition))
        DeadlineChange.objects.create(
            phase=phase, field="closes_at", old=NOW, new=phase.closes_at, reason="x", at=NOW
        )
    path = reverse(f"competition:{name}", args=[competition.slug])
    with django_assert_num_queries(statements):
        client.get(path)


def test_the_overview_and_the_entry_lead_to_every_open_phase(client, competition, phase):
    second = PhaseFactory(track=phase.track, texts={"en": {"title": "Second"}})
    closed = PhaseFactory(track=phase.track, closes_at=NOW - DAY)
    user = UserFactory()
    entrant(competition, user)
    client.force_login(user)
    for name in ("competition-detail", "entrant-detail"):
        with time_machine.travel(NOW, tick=False):
            page = client.get(reverse(f"competition:{name}", args=[competition.slug]))
        found = page.content.decode()
        for one, wanted in ((phase, True), (second, True), (closed, False)):
            names = [competition.slug, one.track.slug, one.slug]
            link = f'class="button" href="{reverse("grading:submission-create", args=names)}"'
            assert (link in found) is wanted, name
        assert "Submit to Second" in read(found).text
