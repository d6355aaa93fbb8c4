from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories.accounts import UserFactory
from tests.factories.competition import (
    NOW,
    CompetitionFactory,
    PhaseFactory,
    RoleGrantFactory,
    TrackFactory,
)
from tests.site.markup import read

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def make(title: str, opens: int, closes: int, **fields: object):
    competition = CompetitionFactory(texts={"en": {"title": title}}, **fields)
    PhaseFactory(
        track=TrackFactory(competition=competition),
        opens_at=NOW + opens * DAY,
        closes_at=NOW + closes * DAY,
    )
    return competition


def order(client) -> str:
    return read(client.get("/").content.decode()).text


def test_competitions_stand_under_open_coming_and_past(client):
    make("Olive", -5, 9)
    make("Oak", -5, 3)
    make("Cherry", 5, 9)
    make("Cedar", 2, 9)
    make("Palm", -30, -9)
    make("Pine", -30, -2)
    text = order(client)
    names = ["Open", "Oak", "Olive", "Coming", "Cedar", "Cherry", "Past", "Pine", "Palm"]
    places = [text.index(f" {name} ") for name in names]
    assert places == sorted(places)


def test_an_archived_competition_is_past_whatever_its_dates_say(client):
    make("Olive", -5, 9, state="archived")
    text = order(client)
    assert text.index(" Past ") < text.index(" Olive ")
    assert "No competition is open now." in text


def test_without_competitions_the_page_says_so(client):
    assert "No competition is open now." in order(client)


def test_a_competition_without_dates_is_listed_all_the_same(client):
    CompetitionFactory(texts={"en": {"title": "Olive"}})
    assert "No dates yet" in order(client)


def test_drafts_are_seen_by_their_organizers_alone(client):
    draft = make("Olive", -5, 9, state="draft")
    assert "Olive" not in order(client)
    client.force_login(UserFactory())
    assert "Olive" not in order(client)
    client.force_login(RoleGrantFactory(competition=draft).user)
    assert "Olive" in order(client)


def test_the_deadline_is_shown_in_aoe_and_utc_with_the_time_left(client):
    make("Olive", -5, 9)
    html = client.get("/").content.decode()
    assert "Closes" in html
    assert '<time datetime="2026-12-10T12:00:00Z">9 Dec 2026, 23:59 AoE</time>' in html
    assert '<time datetime="2026-12-10T12:00:00Z">10 Dec 2026, 11:59 UTC</time>' in html
    assert 'data-until="2026-12-10T12:00:00Z"' in html
    assert "<b data-days>9</b>" in html


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_takes_the_same_statements(client, count, django_assert_num_queries):
    for number in range(count):
        make(f"Olive {number}", -5, 9)
    with django_assert_num_queries(3):
        client.get("/")
