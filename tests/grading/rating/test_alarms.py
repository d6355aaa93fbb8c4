"""A day on which fewer than half of the answers are valid is told on the page of the rating."""

from __future__ import annotations

import pytest
from django.core import mail
from django.urls import reverse

from grading.enums import TaskKind
from grading.models import Notice
from grading.scoring.rating.quality import Day
from grading.scoring.rating.settings import read_settings
from grading.services.ratings import results
from tests.factories.rating import fair, make_hall

WRONG = {"A": 1, "P": 1, "N": 1, "Q": 1, "E": 1}


def test_the_share_that_rings_is_a_number_of_the_protocol():
    day = Day("2026-12-01", 10, 4)
    assert not day.is_alarming(read_settings({"alarm_percent": 40}))
    assert day.is_alarming(read_settings({"alarm_percent": 41}))


def careless(task):
    """Return the fair marks, except on items whose marks are known."""
    return WRONG if task.kind in {TaskKind.TRAP, TaskKind.KNOWN} else fair(task)


@pytest.mark.django_db
def test_a_day_of_void_answers_is_told_with_its_figures_on_the_page_and_by_no_mail(client):
    hall = make_hall()
    place = [hall.arena.competition.slug, hall.protocol.code]
    page = reverse("grading:rating-protocol", args=place)
    client.force_login(hall.organizer)
    person = hall.rater()
    person.begin()
    person.rate()
    assert results.alarms(hall.protocol) == []
    assert "Fewer than half" not in client.get(page).content.decode()
    for _ in range(2):
        other = hall.rater()
        other.marker = careless
        other.begin()
        other.rate()
    (day,) = results.alarms(hall.protocol)
    assert 0 < day.valid < day.answers / 2
    told = f"Fewer than half of the answers of {day.day} are valid: {day.valid} of {day.answers}."
    assert told in client.get(page).content.decode()
    assert mail.outbox == []
    assert not Notice.objects.filter(recipient=hall.organizer).exists()
