"""Who may check a file: one rule for page and API, told before it bites."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.core.cache.backends.locmem import LocMemCache
from django.core.files.uploadedfile import SimpleUploadedFile

from competition.enums import EntrantState, Role
from grading.services import checking, child
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, jsonl
from tests.grading.views.addresses import of_phase
from tests.site.markup import read

pytestmark = pytest.mark.django_db
GOOD = {"problems": [], "total": 0, "errors": 0, "rows": 16, "reading": "jsonl", "counts": []}


@pytest.fixture(autouse=True)
def _checked_by_a_child_that_answers_at_once(monkeypatch):
    monkeypatch.setattr(checking, "cache", LocMemCache(uuid4().hex, {}))
    monkeypatch.setattr(child, "run", lambda *_, **__: {"report": GOOD})


def in_state(state):
    def spoil(arena):
        arena.entrant.state, arena.entrant.reason = state, "Because."
        arena.entrant.save()
        return arena.captain

    return spoil


def organizer(arena):
    user = UserFactory()
    RoleGrantFactory(competition=arena.competition, user=user, role=Role.ORGANIZER)
    return user


AFTER, BEFORE = timedelta(days=400), timedelta(days=-400)


@pytest.mark.parametrize(
    ("who", "later", "refused"),
    [
        (lambda arena: arena.captain, timedelta(), ""),
        (lambda arena: arena.captain, AFTER, ""),
        (lambda arena: arena.captain, BEFORE, "WINDOW_CLOSED"),
        (in_state(EntrantState.PENDING), timedelta(), ""),
        (in_state(EntrantState.DISQUALIFIED), timedelta(), "ENTRANT_NOT_ACCEPTED"),
        (lambda _: UserFactory(), timedelta(), "NOT_A_MEMBER"),
        (organizer, BEFORE, ""),
    ],
)
def test_page_button_and_api_answer_alike(client, arena, who, later, refused):
    user = who(arena)
    with time_machine.travel(NOW + later, tick=False):
        api = client_of(user)
        client.force_login(user)
        page = read(client.get(of_phase("submission-create", arena)).content.decode())
        button = next(e for e in page.all("button") if "data-check" in e.attributes)
        upload = SimpleUploadedFile("run.jsonl", jsonl(arena.perfect()))
        sent = client.post(of_phase("submission-check", arena), {"file": upload, "end": "1"})
        path = f"{arena.competition.slug}/tracks/{arena.track.slug}/phases/{arena.phase.slug}"
        answer = api.post(
            f"/api/v1/competitions/{path}/check/",
            data=jsonl(arena.perfect()),
            content_type="application/octet-stream",
        )
    assert ("disabled" in button.attributes) is bool(refused)
    assert sent.status_code == answer.status_code == (403 if refused else 200)
    if refused:
        assert refused in sent.content.decode()
        assert answer.json()["code"] == refused


def test_the_limit_is_said_before_it_is_hit_and_its_end_when_it_is(client, arena, monkeypatch):
    client.force_login(arena.captain)
    page = read(client.get(of_phase("submission-create", arena)).content.decode())
    assert "At most 20 checks in 10 minutes." in page.text
    monkeypatch.setattr(checking, "CHECKS", 1)
    moment = NOW.replace(minute=7, second=30)
    with time_machine.travel(moment, tick=False):
        for _ in range(2):
            upload = SimpleUploadedFile("run.jsonl", b"x")
            answer = client.post(of_phase("submission-check", arena), {"file": upload, "end": "1"})
    assert (answer.status_code, answer["Retry-After"]) == (429, "150")
    html = answer.content.decode()
    assert "Try again in 3 min." in html
    assert "See the board" not in html
    assert "/methodology/" in html


def test_a_team_that_cannot_submit_is_not_told_of_slots_that_are_left(client, arena):
    client.force_login(arena.captain)
    assert "Left now" in client.get(of_phase("submission-create", arena)).content.decode()
    in_state(EntrantState.PENDING)(arena)
    page = read(client.get(of_phase("submission-create", arena)).content.decode())
    assert "Left now" not in page.text
    assert "“Check only” already" in page.text
