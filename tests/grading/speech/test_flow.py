"""From accepted to scored where a score is made of marks: it waits, is released, and never guesses."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import AuditEvent
from grading import queries
from grading.enums import (
    EvaluationState,
    FailureCode,
    JudgeRunState,
    JudgeStop,
    QuotaState,
    SubmissionState,
)
from grading.models import Board, Evaluation, EvaluationTallies, JudgeRun, Standing, Submission
from grading.rules import waits_for_judge
from grading.scoring import registry
from grading.services import (
    boards,
    cancelling,
    doorbell,
    evaluations,
    pausing,
    rescore_checks,
    standings,
    sweep,
    validation,
)
from grading.services.errors import AlreadyScoring
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory, enter, quota_entry
from tests.factories.speech import make_speech_arena
from tests.grading.speech.marking import FAIR, GOOD, JUDGE, POOR, give

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(seconds=10)
IDS = tuple(f"u{number}" for number in range(8))
REPORT = {"errors": 0, "total": 0, "rows": 8, "reading": "zip", "problems": [], "counts": []}


def clock():
    return LATER


@pytest.fixture
def speech(db) -> Arena:
    return make_speech_arena(IDS, params={"judge": JUDGE})


@pytest.fixture
def rung(monkeypatch) -> list[tuple[str, int]]:
    bells: list[tuple[str, int]] = []
    monkeypatch.setattr(doorbell, "ring", lambda name, row: bells.append((name, row)))
    return bells


def accepted(arena: Arena, entrant=None, uploader=None) -> Evaluation:
    """Return the evaluation of a submission that was accepted in this moment."""
    submission = SubmissionFactory(
        entrant=entrant or arena.entrant,
        phase=arena.phase,
        uploader=uploader or arena.captain,
        lease_until=LATER,
        attempt=1,
    )
    quota_entry(submission)
    validation.settle(submission=submission, report=REPORT, now=NOW)
    return Evaluation.objects.get(submission=submission)


def scored(arena: Arena, marks, **who) -> Evaluation:
    evaluation = accepted(arena, **who)
    give(evaluation, marks)
    assert evaluations.release(evaluation_id=evaluation.pk, now=LATER)
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=clock)
    return Evaluation.objects.get(pk=evaluation.pk)


def test_an_accepted_submission_waits_and_its_judge_is_rung_for(speech, rung):
    evaluation = accepted(speech)
    assert (evaluation.state, evaluation.score) == (EvaluationState.WAITING, None)
    assert rung == [(doorbell.JUDGE, evaluation.pk)]
    assert evaluation.submission.quota.state == QuotaState.CHARGED
    assert evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=LATER) is None
    assert queries.place_in_queue(evaluation.submission) is None


def test_without_a_judge_it_waits_and_nobody_is_rung_for(rung):
    evaluation = accepted(make_speech_arena(IDS))
    assert evaluation.state == EvaluationState.WAITING
    assert rung == []
    assert not Evaluation.objects.filter(waits_for_judge()).exists()


def test_marks_are_scored_whole_and_the_board_shows_it(speech):
    evaluation = scored(speech, {i: [GOOD if i < "u4" else POOR] for i in IDS})
    # per language: A 2 P 3 N 3 Q 3 E 3.5 (POOR's E 5 counts 3)
    assert evaluation.state == EvaluationState.SCORED
    shares = {"A": 0.25, "P": 0.5, "N": 0.5, "Q": 0.5, "E": 0.625}
    assert evaluation.components == shares
    wanted = 100 * (0.30 * 0.25 + 0.25 * 0.5 + 0.15 * (0.5 + 0.5 + 0.625))
    assert evaluation.score == pytest.approx(wanted, abs=1e-9)
    assert evaluation.low < evaluation.score < evaluation.high
    assert evaluation.second_opinion == {}
    assert evaluation.languages["en"]["means"]["E"] == 3.5
    stored = EvaluationTallies.objects.get(evaluation=evaluation)
    rows = registry.get("nvv-t2").tallies(bytes(stored.data)).rows()
    assert [row["utt_id"] for row in rows] == list(IDS)
    board = Board.objects.get(phase=speech.phase)
    assert board.built == board.wanted == 1
    row = Standing.objects.get(board=board, view="", audience="public")
    assert (row.place, row.score, row.components) == (1, evaluation.score, shares)
    assert board.data["columns"][1]["key"] == "A"
    assert set(board.data["views"]) == {"final", "en", "zh"}


def test_releasing_and_scoring_twice_changes_nothing(speech, rung):
    evaluation = accepted(speech)
    give(evaluation, {i: [GOOD] for i in IDS})
    bells = [evaluations.release(evaluation_id=evaluation.pk, now=LATER) for _time in range(3)]
    assert bells == [True, False, False]
    assert rung.count((doorbell.EVALUATE, evaluation.pk)) == 1
    first = evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert first.state == EvaluationState.SCORED
    before = Evaluation.objects.values().get(pk=evaluation.pk)
    assert evaluations.run(evaluation_id=evaluation.pk, worker="w2", clock=clock) is None
    assert not evaluations.release(evaluation_id=evaluation.pk, now=LATER)
    assert Evaluation.objects.values().get(pk=evaluation.pk) == before
    assert EvaluationTallies.objects.count() == 1


def test_a_worker_that_dies_after_the_release_loses_nothing(speech):
    evaluation = accepted(speech)
    give(evaluation, {i: [GOOD] for i in IDS})
    evaluations.release(evaluation_id=evaluation.pk, now=NOW)
    assert evaluations.claim(evaluation_id=evaluation.pk, worker="dies", now=NOW)
    much_later = NOW + timedelta(minutes=5)
    evaluations.release_lapsed(evaluation_id=evaluation.pk, now=much_later)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.QUEUED
    found = evaluations.run(evaluation_id=evaluation.pk, worker="w2", clock=lambda: much_later)
    assert (found.state, found.score, found.attempt) == (EvaluationState.SCORED, 75.0, 2)


def test_a_missing_mark_is_a_failure_of_ours_and_never_a_number(speech):
    evaluation = scored(speech, {i: [GOOD] for i in IDS[1:]})
    assert (evaluation.state, evaluation.score) == (EvaluationState.FAILED, None)
    assert evaluation.failure_code == FailureCode.MARKS_MISSING
    assert evaluation.submission.quota.state == QuotaState.RELEASED
    assert not Standing.objects.exists()


def test_giving_up_fails_the_submission_and_gives_the_slot_back_once(speech):
    evaluation = accepted(speech)
    given = {"code": FailureCode.JUDGE_FAILED, "now": LATER, "kind": "Refused"}
    found = [evaluations.fail_waiting(evaluation_id=evaluation.pk, **given) for _time in range(2)]
    assert found == [True, False]
    submission = Submission.objects.get(pk=evaluation.submission_id)
    assert (submission.state, submission.failure_code) == (SubmissionState.FAILED, "JUDGE_FAILED")
    assert submission.quota.state == QuotaState.RELEASED
    assert AuditEvent.objects.filter(kind="evaluation.failed").count() == 1


def test_it_can_be_cancelled_until_the_judges_work_has_begun(speech):
    first, second = accepted(speech), accepted(speech)
    cancelling.cancel(actor=speech.captain, submission=first.submission, now=LATER)
    first.refresh_from_db()
    assert first.state == EvaluationState.CANCELLED
    assert evaluations.note_judging(evaluation_id=second.pk, done=1, total=8, now=LATER)
    for state in (EvaluationState.WAITING, EvaluationState.QUEUED):
        with pytest.raises(AlreadyScoring):
            cancelling.cancel(actor=speech.captain, submission=second.submission, now=LATER)
        second.refresh_from_db()
        assert (second.state, second.progress_done, second.started_at) == (state, 1, LATER)
        evaluations.release(evaluation_id=second.pk, now=LATER)


def test_the_sweep_rings_for_a_judge_that_nobody_asked(speech, rung):
    evaluation = accepted(speech)
    rung.clear()
    sweep.sweep(now=NOW + timedelta(seconds=1))
    assert rung == []
    sweep.sweep(now=NOW + timedelta(minutes=5))
    assert rung == [(doorbell.JUDGE, evaluation.pk)]


@pytest.mark.parametrize(
    ("state", "fields", "is_rung"),
    [
        (JudgeRunState.QUEUED, {}, True),
        (JudgeRunState.RUNNING, {"lease_until": NOW + timedelta(hours=1)}, False),
        (JudgeRunState.STOPPED, {"stop_reason": JudgeStop.values[0]}, False),
        (JudgeRunState.CANCELLED, {"ended_at": NOW}, True),
    ],
)
def test_a_stopped_judge_is_left_to_the_organizers(speech, rung, state, fields, is_rung):
    evaluation = accepted(speech)
    JudgeRun.objects.create(
        evaluation=evaluation, definition_digest="0" * 64, created_at=NOW, state=state, **fields
    )
    rung.clear()
    sweep.sweep(now=NOW + timedelta(minutes=5))
    assert ((doorbell.JUDGE, evaluation.pk) in rung) == is_rung


def test_while_scoring_is_paused_no_judge_is_rung_for(speech, rung):
    evaluation = accepted(speech)
    organizer = RoleGrantFactory(competition=speech.competition, role="organizer").user
    given = {"actor": organizer, "competition": speech.competition, "reason": "power cut"}
    pausing.pause(**given, now=NOW)
    rung.clear()
    sweep.sweep(now=NOW + timedelta(minutes=5))
    assert (doorbell.JUDGE, evaluation.pk) not in rung
    pausing.resume(**given, now=NOW + timedelta(minutes=6))
    assert (doorbell.JUDGE, evaluation.pk) in rung


def test_a_score_computed_again_has_the_same_digits(speech):
    evaluation = scored(speech, {i: [GOOD if i < "u3" else FAIR] for i in IDS})
    organizer = RoleGrantFactory(competition=speech.competition, role="organizer").user
    check = rescore_checks.request(
        actor=organizer, submission=evaluation.submission, reason="appeal", now=LATER
    )
    found = rescore_checks.run(check_id=check.pk, worker="w", clock=clock)
    assert (found.state, found.differences) == ("same", [])


@pytest.mark.slow
def test_the_board_orders_by_score_then_a_and_shares_places(speech):
    marks = {
        # the same score of 50: A 3.5 and P 2.4, then A 3, then A 3 again
        "higher A": (3.5, 2.4, 3, 3, 3),
        "plain": FAIR,
        "as plain": FAIR,
        "best": GOOD,
    }
    for name, row in marks.items():
        entrant, captain = enter(speech.competition, name)
        scored(speech, {i: [row] for i in IDS}, entrant=entrant, uploader=captain)
    boards.want_rebuild(phase_id=speech.phase.pk, now=LATER)
    board = Board.objects.get(phase=speech.phase)
    standings.rebuild(board_id=board.pk, now=LATER)
    rows = Standing.objects.filter(board=board, view="", audience="public").order_by("position")
    found = [(row.entrant.team.name, row.place) for row in rows]
    assert found == [("best", 1), ("higher A", 2), ("as plain", 3), ("plain", 3)]


def test_someone_elses_person_cannot_cancel_it(speech):
    evaluation = accepted(speech)
    from grading.services.errors import NotAMember

    with pytest.raises(NotAMember):
        cancelling.cancel(actor=UserFactory(), submission=evaluation.submission, now=LATER)
