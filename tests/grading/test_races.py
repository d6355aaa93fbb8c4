"""Real threads on a real PostgreSQL: what is counted under a lock is counted right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.models import AuditEvent
from accounts.refusals import Refusal
from accounts.services import audit
from grading.enums import EvaluationState, SubmissionState
from grading.models import Evaluation, IdempotencyKey, QuotaEntry, Submission
from grading.services import (
    cancelling,
    doorbell,
    evaluations,
    idempotency,
    intake,
    selection,
    standings,
    validation,
)
from grading.storage import StoredUpload
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, join, make_arena, scored

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 16


@pytest.fixture
def arena(monkeypatch) -> Arena:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_arena()


def together(act: Callable[[int], object], crowd: int = CROWD) -> list[object]:
    """Do `act` in as many threads at the same moment; return what each returned or was refused."""
    barrier = threading.Barrier(crowd)

    def one(number: int) -> object:
        try:
            barrier.wait(timeout=20)
            return act(number)
        except Refusal as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(crowd) as pool:
        return list(pool.map(one, range(crowd)))


def upload(arena: Arena, number: int, **changes) -> Submission:
    digest = f"{number:064x}"
    given = {
        "actor": arena.captain,
        "phase": arena.phase,
        "system": "wav2nvv",
        "note": "",
        "filename": "run.jsonl",
        "stored": StoredUpload(f"uploads/00/00/{digest}", 100, digest),
        "created_at": NOW,
        "now": NOW,
    }
    return intake.receive(**given | changes)


def test_sixteen_parallel_uploads_against_a_quota_of_three_are_exactly_three(arena):
    found = together(lambda number: upload(arena, number))
    assert found.count("QUOTA_EXCEEDED") == CROWD - 3
    assert Submission.objects.count() == QuotaEntry.objects.count() == 3
    assert sorted(Submission.objects.values_list("number", flat=True)) == [1, 2, 3]
    assert AuditEvent.objects.filter(kind="submission.received").count() == 3
    assert audit.verify().ok


def test_members_of_one_team_share_its_quota(arena):
    people = [UserFactory() for _ in range(CROWD)]
    for person in people:
        join(arena.entrant, person)
    together(lambda number: upload(arena, number, actor=people[number]))
    assert QuotaEntry.objects.count() == 3


def test_a_double_click_makes_one_submission(arena):
    found = together(lambda _: upload(arena, 7))
    assert len({one.pk for one in found}) == 1
    assert sum(not one.repeated for one in found) == 1
    assert Submission.objects.count() == QuotaEntry.objects.count() == 1


def test_a_repeated_idempotency_key_makes_one_submission(arena):
    def act(number: int) -> object:
        row = idempotency.begin(
            user=arena.captain, endpoint="submit", key="k", body_sha256="b", now=NOW
        )
        if row.status is not None:
            return row.answer["code"]
        return upload(arena, number, idempotency=row).code

    found = set(together(act)) - {"REQUEST_STILL_RUNNING"}
    assert found == {Submission.objects.get().code}
    assert IdempotencyKey.objects.get().status == 201


def test_a_key_whose_first_request_is_refused_meanwhile_is_a_conflict_or_free(arena):
    def act(_: int) -> set[str]:
        met = set()
        for _again in range(20):
            try:
                row = idempotency.begin(
                    user=arena.captain, endpoint="submit", key="k", body_sha256="b", now=NOW
                )
            except Refusal as refusal:
                met.add(refusal.code)
            else:
                idempotency.abandon(row)
        return met

    assert set().union(*together(act)) <= {"REQUEST_STILL_RUNNING"}
    assert not IdempotencyKey.objects.exists()


def test_sixteen_workers_claim_one_validation_once(arena):
    submission = upload(arena, 1)
    found = together(lambda _: validation.claim(submission_id=submission.pk, now=NOW))
    assert [one for one in found if one is not None] == [submission]
    submission.refresh_from_db()
    assert submission.attempt == 1


def test_sixteen_workers_claim_one_evaluation_once(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, None, with_tallies=False)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state="queued", finished_at=None, withheld_reason="", attempt=0
    )
    found = together(
        lambda number: evaluations.claim(evaluation_id=evaluation.pk, worker=f"w{number}", now=NOW)
    )
    winners = [number for number, one in enumerate(found) if one is not None]
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.RUNNING, 1)
    assert [f"w{number}" for number in winners] == [evaluation.worker]


def test_a_cancel_and_a_claim_at_once_never_both_win(arena):
    for _ in range(5):
        evaluation = scored(arena, arena.entrant, arena.captain, None, with_tallies=False)
        Evaluation.objects.filter(pk=evaluation.pk).update(
            state="queued", finished_at=None, withheld_reason="", attempt=0
        )

        def act(number: int, evaluation=evaluation) -> object:
            if number:
                return evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=NOW)
            return cancelling.cancel(actor=arena.captain, submission=evaluation.submission, now=NOW)

        together(act, crowd=2)
        evaluation.refresh_from_db()
        evaluation.submission.refresh_from_db()
        assert (evaluation.state, evaluation.submission.state) in {
            (EvaluationState.RUNNING, SubmissionState.ACCEPTED),
            (EvaluationState.CANCELLED, SubmissionState.CANCELLED),
        }


def test_marks_set_at_once_leave_one(arena):
    ones = [scored(arena, arena.entrant, arena.captain, 50.0).submission for _ in range(8)]
    together(
        lambda number: selection.mark(actor=arena.captain, submission=ones[number], now=NOW),
        crowd=8,
    )
    assert Submission.objects.filter(marked_at__isnull=False).count() == 1


def test_a_board_rebuilt_by_many_at_once_ends_whole_and_up_to_date(arena):
    for number in range(4):
        entrant, captain = arena.enter(f"Team {number}")
        scored(arena, entrant, captain, 50.0 + number)
    selection.mark(actor=captain, submission=entrant.submissions.get(), now=NOW)
    board_id = arena.phase.board.pk
    together(lambda _: standings.rebuild(board_id=board_id, now=NOW), crowd=8)
    arena.phase.board.refresh_from_db()
    assert arena.phase.board.built == arena.phase.board.wanted == 1
    assert arena.phase.board.standings.filter(view="", audience="public").count() == 4
