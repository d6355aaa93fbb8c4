"""A bell may ring any number of times: the work is done once."""

from __future__ import annotations

import pytest
from celery import _state
from celery.result import denied_join_result

from accounts import triggers
from config.celery import app
from grading import queries, tasks
from grading.enums import EvaluationState, SubmissionState
from grading.models import Board, Evaluation, EvaluationTallies, QuotaEntry, Submission
from grading.services import boards, doorbell
from tests.factories.grading import NOW, quota_entry, scored, submit
from tests.factories.tasks import run

pytestmark = pytest.mark.django_db


def counts() -> tuple[int, ...]:
    models = (Submission, Evaluation, EvaluationTallies, QuotaEntry)
    return tuple(model.objects.count() for model in models)


def test_every_name_the_doorbell_rings_is_a_task():
    app.loader.import_default_modules()
    assert set(doorbell.QUEUES) >= {doorbell.VALIDATE, doorbell.EVALUATE, doorbell.REBUILD}
    assert set(doorbell.QUEUES) <= set(app.tasks)


def test_one_bell_takes_an_upload_to_its_score(arena):
    submission = submit(arena, arena.perfect())
    assert run(tasks.validate_submission, submission.pk) == "scored"
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED
    before = counts()
    assert run(tasks.validate_submission, submission.pk) == "nothing to do"
    evaluation = Evaluation.objects.get()
    assert run(tasks.run_evaluation, evaluation.pk) == "nothing to do"
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.SCORED, 1)
    assert counts() == before


def test_a_rejected_upload_ends_there(arena):
    submission = submit(arena, {"en_0000": "only one"})
    assert run(tasks.validate_submission, submission.pk) == "rejected"


def test_a_board_is_rebuilt_once_for_many_bells(arena):
    scored(arena, arena.entrant, arena.captain, 50.0)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    board = Board.objects.get(phase=arena.phase)
    assert run(tasks.rebuild_board, board.pk) == 1
    built_at = Board.objects.get(pk=board.pk).built_at
    assert run(tasks.rebuild_board, board.pk) == 1
    assert Board.objects.get(pk=board.pk).built_at == built_at


def test_the_sweep_can_be_rung_for(arena):
    assert set(run(tasks.sweep)) == {
        "lapsed",
        "rung",
        "uploads",
        "boards",
        "recipes",
        "rescored",
        "keys",
        "files",
    }


@pytest.mark.django_db(transaction=True)
def test_from_upload_to_board_by_bells_alone(arena):
    submission = submit(arena, arena.flawed(2))
    rows = queries.board_rows(arena.phase, arena.captain, "", NOW)
    assert [row["submission"] for row in rows] == [submission.code]
    assert rows[0]["place"] == 1
    assert 0 < rows[0]["score"] < 100


def test_a_ledger_shows_each_line(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, 50.0)
    quota_entry(evaluation.submission)
    own = queries.submissions_of(arena.captain, arena.competition)
    assert [one.quota.state for one in own] == ["reserved"]
    assert queries.place_in_queue(evaluation.submission) is None


def test_a_worker_says_at_its_start_when_evidence_is_not_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tasks.look_at_evidence()
    assert "evidence.not_kept" not in caplog.text
    triggers.drop()
    try:
        tasks.look_at_evidence()
    finally:
        triggers.install()
    (said,) = [one for one in caplog.records if one.message == "evidence.not_kept"]
    assert said.missing  # type: ignore[attr-defined]  # from extra


def test_tasks_that_end_in_turn_in_two_threads_keep_no_test_from_running_one():
    first, second = denied_join_result(), denied_join_result()
    before = _state.task_join_will_block()
    for step in (first.__enter__, second.__enter__):
        step()
    for step in (first.__exit__, second.__exit__):
        step(None, None, None)
    try:
        assert _state.task_join_will_block()
        assert run(tasks.sweep)["lapsed"] == 0
    finally:
        _state._set_task_join_will_block(before)
