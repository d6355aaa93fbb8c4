"""NUL in what a browser sends: no database holds it, no page fails by it."""

from __future__ import annotations

import pytest
import time_machine

from competition.enums import Role
from grading.models import RatingNote
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER, UUID, place_of, small_listening
from tests.factories.listening import listener, organizer_of
from tests.grading.rating.test_pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def test_a_rater_may_send_nul_wherever_there_is_a_field(client):
    listening = small_listening(NOW)
    place = place_of(listening, organizer_of(listening), listener(), NOW)
    client.force_login(place.rater.user)
    note = {"note": "a\0b"}
    code = place.task.code
    assert client.post(url("draft", place, task=code), {**ANSWER, **note}).status_code == 204
    assert "a\ufffdb" in client.get(url("desk", place)).content.decode()
    assert client.post(url("beat", place), {"task": "\0"}).status_code == 204
    assert client.post(url("practice", place), {"item": "\0"}).status_code == 302
    sent = {**ANSWER, **note, "uuid": UUID}
    assert client.post(url("answer", place, task=code), sent).status_code == 302
    assert RatingNote.objects.get(rating__task=place.task).text == "a\ufffdb"
    changed = {**sent, "uuid": UUID[:-1] + ("0" if UUID[-1] != "0" else "1")}
    assert client.post(url("revise", place, task=code), changed).status_code == 302


@pytest.mark.parametrize("query", ["actor=%00&target=x%00&kind=%00", "q=%00&entrant=%00&page=%00"])
def test_a_query_with_nul_finds_nothing_and_fails_nowhere(client, query):
    grant = RoleGrantFactory(role=Role.ORGANIZER)
    client.force_login(grant.user)
    for page in ("log", "packs", "submissions", "rating", "judging"):
        answer = client.get(f"/competitions/{grant.competition.slug}/console/{page}/?{query}")
        assert answer.status_code == 200
