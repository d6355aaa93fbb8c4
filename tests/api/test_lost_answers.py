"""A request whose answer was lost is sent again, and gets it, whatever has closed since."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from competition.enums import EntrantState
from competition.models import Entrant, Phase
from grading.models import IdempotencyKey, QuotaEntry, Submission
from grading.services import idempotency
from tests.api.conftest import client_of
from tests.api.test_submissions import problem, send
from tests.factories.accounts import UserFactory
from tests.factories.grading import join, jsonl

KEY = {"HTTP_IDEMPOTENCY_KEY": "k-1"}


@pytest.fixture
def sent(api, address, arena) -> str:
    """The code of an upload whose answer the client did not get."""
    return send(api, address, jsonl(arena.perfect()), **KEY).json()["code"]


def close(arena) -> None:
    past = timezone.now() - timedelta(hours=3)
    Phase.objects.filter(pk=arena.phase.pk).update(closes_at=past)


def test_a_repetition_after_the_close_gets_the_answer(api, address, arena, sent):
    close(arena)
    again = send(api, address, jsonl(arena.perfect()), **KEY)
    assert (again.status_code, again.json()["code"]) == (201, sent)
    assert Submission.objects.count() == QuotaEntry.objects.count() == 1


def test_a_repetition_by_a_team_that_is_out_by_now_gets_the_answer(api, address, arena, sent):
    Entrant.objects.update(state=EntrantState.WITHDRAWN)
    assert send(api, address, jsonl(arena.perfect()), **KEY).json()["code"] == sent


def test_another_body_under_the_key_is_no_repetition(api, address, arena, sent):
    close(arena)
    answer = send(api, address, jsonl(arena.flawed(1)), **KEY)
    problem(answer, 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_new_key_after_the_close_is_refused(api, address, arena, sent):
    close(arena)
    answer = send(api, address, jsonl(arena.perfect()), HTTP_IDEMPOTENCY_KEY="k-2")
    problem(answer, 403, "WINDOW_CLOSED")
    problem(send(api, address, jsonl(arena.perfect())), 403, "WINDOW_CLOSED")


def test_a_key_is_worth_nothing_to_another_member(api, address, arena, sent):
    member = UserFactory()
    join(arena.entrant, member)
    close(arena)
    answer = send(client_of(member), address, jsonl(arena.perfect()), **KEY)
    problem(answer, 403, "WINDOW_CLOSED")


def test_an_answer_is_given_again_for_a_day(api, address, arena, sent):
    close(arena)
    IdempotencyKey.objects.update(created_at=timezone.now() - idempotency.KEPT)
    problem(send(api, address, jsonl(arena.perfect()), **KEY), 403, "WINDOW_CLOSED")


def test_a_body_over_the_limit_is_not_read_for_the_sake_of_a_key(api, address, arena, sent):
    close(arena)
    Phase.objects.update(limits={"file_bytes": 100})
    problem(send(api, address, jsonl(arena.perfect()), **KEY), 413, "FILE_TOO_LARGE")
