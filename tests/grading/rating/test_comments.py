"""Comments of raters reach the organizers, by pseudonym, and nobody else; nothing in them hides."""

from __future__ import annotations

import pytest
from django.urls import reverse

from competition.services.writing import visible_text
from grading.models import BrokenReport
from grading.services.ratings import answers, consents
from tests.factories.accounts import UserFactory
from tests.factories.rating import Hall, make_hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> Hall:
    return make_hall()


def page(client, hall: Hall, user) -> str:
    client.force_login(user)
    place = [hall.arena.competition.slug, hall.protocol.code]
    return client.get(reverse("grading:rating-protocol", args=place)).content.decode()


def commented(hall: Hall, note: str):
    person = hall.rater()
    person.begin()
    task = person.claim().open
    person.listen(task)
    person.answer(task, note=note)
    return person, task


def test_organizers_read_a_comment_beside_the_recording_and_the_pseudonym(client, hall):
    assert "Comments of the raters" not in page(client, hall, hall.organizer)
    person, task = commented(hall, "The laugh comes late.\nA click after it <b>")
    told = page(client, hall, hall.organizer)
    assert "The laugh comes late.<br>A click after it &lt;b&gt;" in told
    comments = told[told.index("Comments of the raters") :]
    assert person.rater.pseudonym in comments
    assert task.stimulus.name in comments
    assert person.user.email not in told
    assert "comes late" not in page(client, hall, UserFactory())
    assert "comes late" not in page(client, hall, hall.arena.captain)


def test_what_a_withdrawn_rater_wrote_is_gone(client, hall):
    person, _ = commented(hall, "I know this voice.")
    consents.withdraw(actor=person.user, rater=person.rater, now=person.now)
    assert "I know this voice" not in page(client, hall, hall.organizer)


def test_no_mark_is_lost_over_a_character_that_cannot_be_seen(client, hall):
    person, task = commented(hall, " \u202eevil\u200b \U0001f469\u200d\U0001f4bb\x07 ok\r\n再见 ")
    assert (
        task.ratings.get().note.text == "\ufffdevil\ufffd \U0001f469\ufffd\U0001f4bb\ufffd ok\n再见"
    )
    task = person.claim().open
    answers.report_broken(actor=person.user, task=task, note="cl\u2066ick", now=person.now)
    assert BrokenReport.objects.get().note == "cl\ufffdick"
    assert "\u202e" not in page(client, hall, hall.organizer)


def test_a_comment_of_nothing_to_see_is_none(hall):
    _, task = commented(hall, " \r\n\t ")
    assert not hasattr(task.ratings.get(), "note")
    assert visible_text("\ud800") == "\ufffd"
