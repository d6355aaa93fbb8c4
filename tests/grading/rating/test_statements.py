"""How many statements the next clip and an answer cost: raters wait for each of them."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from grading.models import FinalBoard, RatingTask
from grading.services.ratings import delivery, sessions
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db
SCRIPT = {"X-Fragment": "rating"}
NEXT_MOST, ANSWER_MOST = 20, 17
"""With the two statements of a test's savepoint; a request has BEGIN and COMMIT in their place.

Two of the 17 note, twice a minute, that the rater is here.
"""
FIRST_MOST = NEXT_MOST + 4
"""Two clips are taken at first, and one from then on."""
FORM = re.compile(r'action="(?P<path>[^"]+/(?P<code>[a-z0-9]+)/answer/)"')


def test_the_next_clip_and_an_answer_cost_as_few_statements_later_as_at_first(
    client, django_assert_max_num_queries
):
    hall = make_hall()
    FinalBoard.objects.create(phase=hall.selection.phase, rung_at=NOW + timedelta(minutes=1))
    person = hall.rater()
    person.begin()
    client.force_login(person.user)
    with time_machine.travel(NOW, tick=False) as clock:
        for number in range(6):
            with django_assert_max_num_queries(NEXT_MOST if number else FIRST_MOST):
                page = client.get(f"/rate/{person.rater.code}/form/", headers=SCRIPT)
            found = FORM.search(page.content.decode())
            assert found is not None
            RatingTask.objects.filter(code=found["code"]).update(delivered_at=timezone.now())
            clock.shift(timedelta(seconds=8))
            with django_assert_max_num_queries(ANSWER_MOST):
                sent = client.post(
                    found["path"], {**ANSWER, "uuid": str(uuid.uuid4())}, headers=SCRIPT
                )
            assert sent.status_code == 200, sent.content
    assert person.rater.ratings.count() == 6


def test_what_was_left_is_given_again_in_the_same_log_in_and_can_be_heard():
    person = make_hall().rater()
    first = person.begin()
    task = person.claim().open
    while task.slot is None:
        person.listen(task)
        person.answer(task)
        task = person.claim().open
    token = delivery.grant(session=first, task=task, login="here", now=person.now)
    sessions.leave(actor=person.user, session=first, now=person.now)
    second = person.begin()
    served = delivery.serve(actor=person.user, session=second, login="here", now=person.now)
    while task.pk not in served.tokens:  # a control item may come before it
        person.listen(served.claimed.open)
        person.answer(served.claimed.open)
        served = delivery.serve(actor=person.user, session=second, login="here", now=person.now)
    (again,) = served.tokens[task.pk]
    assert again != token
    granted = delivery.redeem(token=again, actor=person.user, login="here", now=person.now)
    assert granted.session == second
    task.refresh_from_db()
    assert delivery.grant(session=second, task=task, login="here", now=person.now) == again
