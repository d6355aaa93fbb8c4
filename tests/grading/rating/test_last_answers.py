"""The last answers can be changed wherever their rater is, for as long as the protocol says."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from competition.enums import Role
from grading.services.ratings import exclusions, places, sessions
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER, UUID, Place, place_of, small_listening
from tests.factories.listening import listener, organizer_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False):
        yield


def placed(client, **settings: int) -> Place:
    """Return the place of somebody logged in, who has sent an answer two minutes ago."""
    listening = small_listening(NOW, **settings)
    made = place_of(listening, organizer_of(listening), listener(), NOW)
    client.force_login(made.rater.user)
    return made


def page(client, place: Place, name: str, **parts: str) -> str:
    path = reverse(f"grading:rate-{name}", kwargs={"code": place.rater.code, **parts})
    return client.get(path).content.decode()


def revision_of(place: Place) -> str:
    parts = {"code": place.rater.code, "task": place.answered.code}
    return reverse("grading:rate-revise", kwargs=parts)


def test_an_answer_is_changed_after_its_sitting_has_ended(client):
    place = placed(client)
    sessions.leave(actor=place.rater.user, session=place.session, now=NOW)
    for told in (
        page(client, place, "sitting", sitting=place.session.code),
        page(client, place, "place"),
    ):
        assert f'href="{revision_of(place)}"' in told
    assert client.get(revision_of(place)).status_code == 200
    assert client.post(revision_of(place), {**ANSWER, "N": "1", "uuid": UUID}).status_code == 302
    newest = place.answered.ratings.latest("revision")
    assert (newest.revision, newest.naturalness) == (1, 1)


def test_once_their_time_is_up_no_page_offers_it(client):
    place = placed(client)
    sessions.leave(actor=place.rater.user, session=place.session, now=NOW)
    with time_machine.travel(NOW + timedelta(minutes=9), tick=False):
        told = page(client, place, "sitting", sitting=place.session.code)
    assert "Every mark has arrived." in told
    assert revision_of(place) not in told
    assert "can be changed" not in told


def test_who_is_left_out_is_offered_nothing_to_change(client):
    place = placed(client)
    protocol = place.rater.protocol
    organizer = UserFactory()
    RoleGrantFactory(
        competition=places.competition_of(protocol), user=organizer, role=Role.ORGANIZER
    )
    exclusions.exclude(
        actor=organizer, protocol=protocol, target=place.rater, reason="a robot", now=NOW
    )
    assert revision_of(place) not in page(client, place, "place")


@pytest.mark.parametrize(
    ("numbers", "said", "unsaid"),
    [
        ({}, ["changed for 10 minutes", "longer than 30 minutes"], []),
        ({"revise_seconds": 100, "lease_seconds": 300},
         ["changed for 1 minute.", "longer than 5 minutes"], ["10 minutes"]),
        ({"revisable": 0}, ["go on here later."], ["can be changed"]),
        ({"revise_seconds": 0}, ["go on here later."], ["can be changed"]),
    ],
)  # fmt: skip
def test_the_form_promises_what_the_protocol_has(client, numbers, said, unsaid):
    told = page(client, placed(client, **numbers), "desk")
    assert [words for words in said if words not in told] == []
    assert [words for words in unsaid if words in told] == []
