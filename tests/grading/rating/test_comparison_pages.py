"""The form of a comparison: two sounds by their order, one scale, sent and changed as it was heard."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from grading.enums import RatingForm, SessionState
from grading.models import Rating, RatingSession
from grading.services import own_data
from grading.services.ratings import sessions
from tests.factories.grading import NOW
from tests.factories.hearing import SMALL, UUID
from tests.factories.listening import make_listening

pytestmark = pytest.mark.django_db
CHECKED = re.compile(r'name="C" value="(-?\d)" required checked')


@pytest.fixture
def listening():
    return make_listening(now=NOW, form=RatingForm.COMOS, systems=2, **SMALL)


def page_of(client, name: str, **parts: str) -> str:
    return client.get(reverse(f"grading:rate-{name}", kwargs=parts)).content.decode()


def test_a_pair_is_shown_sent_and_changed_as_it_was_heard_and_tells_nothing_of_whose_it_is(
    client, listening
):
    rater = listening.rater()
    task = listening.open_task(rater)
    client.force_login(rater.user)
    with time_machine.travel(NOW, tick=False) as clock:
        page = page_of(client, "desk", code=rater.code)
        assert page.count("<audio") == 4  # the pair on the form, and the one fetched ahead
        assert "Pair 1" in page
        assert "much worse" in page
        assert "−3" in page
        assert not [word for word in listening.secrets - {task.rated_text.utt_id} if word in page]
        clock.shift(timedelta(seconds=30))
        path = reverse("grading:rate-answer", kwargs={"code": rater.code, "task": task.code})
        draft = reverse("grading:rate-draft", kwargs={"code": rater.code, "task": task.code})
        fields = {"C": "-2", "uuid": UUID, "plays": "3", "plays2": "2"}
        assert client.post(draft, fields).status_code == 204
        again = page_of(client, "desk", code=rater.code)
        assert 'name="plays2" value="2"' in again
        assert CHECKED.findall(again) == ["-2"]
        assert client.post(path, {**fields, "C": "4"}).status_code == 422
        assert client.post(path, fields).status_code == 302
        rating = Rating.objects.get()
        assert rating.comparison == (2 if task.system_first else -2)
        assert rating.plays == 2
        # Somebody's own data tells what they pressed, and not which sound was the system's.
        (own,) = own_data.collect(actor=rater.user, now=NOW)["ratings"]
        assert own["C"] == -2
        assert "system" not in str(own)
        change = {"code": rater.code, "task": task.code}
        assert CHECKED.findall(page_of(client, "revise", **change)) == ["-2"]
        path = reverse("grading:rate-revise", kwargs=change)
        other = {**fields, "C": "1", "uuid": UUID.replace("0f8b", "1f8b")}
        assert client.post(path, other).status_code == 302
        assert Rating.objects.get(revision=1).comparison == (-1 if task.system_first else 1)


def test_practice_compares_in_one_order_and_says_how_the_mark_stands_to_the_expected(
    client, listening
):
    rater = listening.rater()
    client.force_login(rater.user)
    with time_machine.travel(NOW, tick=False):
        session = sessions.start(actor=rater.user, rater=rater, language="en", now=NOW)
        RatingSession.objects.filter(pk=session.pk).update(state=SessionState.PRACTICE)
        session.refresh_from_db()
        item = sessions.practice_items(session=session)[0]
        page = page_of(client, "practice", code=rater.code)
        assert page.count("<audio") == 2
        path = reverse("grading:rate-practice", kwargs={"code": rater.code})
        answer = client.post(path, {"item": item.key, "C": "-1"}).content.decode()
    assert "−1" in answer
    assert "slightly worse" in answer
    assert "apart" in answer
    assert answer.count("<audio") == 2
