"""Received, checked, scored: with the real scorer in a real child process."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import AuditEvent
from competition.services import references
from grading import storage
from grading.enums import EvaluationState, FailureCode, QuotaState, RecipeRole, SubmissionState
from grading.models import (
    Board,
    Evaluation,
    EvaluationTallies,
    PhaseRecipe,
    Recipe,
    Submission,
    ValidationProblem,
)
from grading.scoring.tally import NvvTallies
from grading.services import child, evaluations, recipes, validation
from grading.services.child import ChildFailed, ClaimLost
from tests.factories.grading import CANARY, NOW, Arena, submit

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(seconds=10)


def clock():
    return LATER


def accept(arena: Arena, predictions: dict[str, str]) -> tuple[Submission, Evaluation]:
    submission = validation.validate(submission_id=submit(arena, predictions).pk, clock=clock)
    assert submission.state == SubmissionState.ACCEPTED
    return submission, evaluations.live_of(submission)


def fails_with(monkeypatch, code: FailureCode, *, may_retry: bool) -> None:
    def run(*args, **kwargs):
        raise ChildFailed(code, may_retry=may_retry, kind="exit 1")

    monkeypatch.setattr(child, "run", run)


def test_a_perfect_copy_is_accepted_charged_and_scores_a_hundred(arena):
    submission, evaluation = accept(arena, arena.perfect())
    assert (submission.rows, submission.errors_total) == (16, 0)
    assert (submission.validated_at, submission.lease_until) == (LATER, None)
    assert submission.quota.state == QuotaState.CHARGED
    assert evaluation.state == EvaluationState.QUEUED
    scored = evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert (scored.state, scored.score, scored.attempt) == (EvaluationState.SCORED, 100.0, 1)
    assert {name: part["score"] for name, part in scored.languages.items()} == {
        "en": 100.0,
        "zh": 100.0,
    }
    assert scored.low is None
    assert scored.interval_reason
    assert int(scored.seed) > 0
    assert scored.second_opinion["checked"] == 16
    assert (scored.second_opinion["differing"], scored.second_opinion["skipped"]) == (0, 0)
    board = Board.objects.get(phase=arena.phase)
    assert (board.wanted, board.built) == (1, 1)


def test_tallies_are_stored_whole_and_with_their_hash(arena):
    _, evaluation = accept(arena, arena.flawed(3))
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    stored = EvaluationTallies.objects.get(evaluation=evaluation)
    rows = NvvTallies.from_bytes(bytes(stored.data)).rows()
    assert [row["utt_id"] for row in rows] == sorted(arena.rows)
    scored = Evaluation.objects.get(pk=evaluation.pk)
    assert 0 < scored.low <= scored.score <= scored.high < 100
    assert sum(row["tp"] for row in rows if row["language"] == "en") == scored.languages["en"]["tp"]


def test_a_faulty_file_is_rejected_with_its_report_and_costs_nothing(arena):
    faulty = arena.perfect()
    first = min(faulty)
    faulty[first] = "[giggle] what"
    del faulty[max(faulty)]
    submission = validation.validate(submission_id=submit(arena, faulty).pk, clock=clock)
    assert (submission.state, submission.ended_at) == (SubmissionState.REJECTED, LATER)
    assert {problem.code for problem in submission.problems.all()} == {
        "UNSUPPORTED_NVV_TAG",
        "MISSING_SAMPLES",
    }
    assert (submission.quota.state, submission.quota.reason) == (QuotaState.RELEASED, "rejected")
    assert not submission.evaluations.exists()
    assert AuditEvent.objects.filter(kind="submission.rejected").count() == 1


def test_validating_twice_changes_nothing_more(arena):
    submission, _ = accept(arena, arena.perfect())
    before = (
        AuditEvent.objects.count(),
        Evaluation.objects.count(),
        ValidationProblem.objects.count(),
    )
    assert validation.validate(submission_id=submission.pk, clock=clock) is None
    after = (
        AuditEvent.objects.count(),
        Evaluation.objects.count(),
        ValidationProblem.objects.count(),
    )
    assert after == before


def test_scoring_twice_changes_nothing_more(arena):
    _, evaluation = accept(arena, arena.perfect())
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    before = Evaluation.objects.values().get(pk=evaluation.pk)
    assert evaluations.run(evaluation_id=evaluation.pk, worker="w2", clock=clock) is None
    assert Evaluation.objects.values().get(pk=evaluation.pk) == before
    assert Board.objects.get(phase=arena.phase).wanted == 1


def test_a_candidate_recipe_is_queued_beside_the_live_one_and_leaves_the_board_alone(arena):
    live = recipes.live_recipe(arena.phase)
    candidate = Recipe.objects.create(
        digest="c" * 64,
        track=live.track,
        scorer=live.scorer,
        version=live.version,
        params=live.params,
        references=live.references,
        created_at=NOW,
    )
    PhaseRecipe.objects.create(
        phase=arena.phase, recipe=candidate, role=RecipeRole.CANDIDATE, since=NOW
    )
    submission, _ = accept(arena, arena.perfect())
    beside = Evaluation.objects.get(submission=submission, recipe=candidate)
    evaluations.run(evaluation_id=beside.pk, worker="w1", clock=clock)
    beside.refresh_from_db()
    assert (beside.state, beside.failure_code) == (EvaluationState.FAILED, "RECIPE_OUTDATED")
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED
    assert Board.objects.get(phase=arena.phase).wanted == 0


def test_a_final_failure_of_the_live_evaluation_fails_the_submission_and_frees_the_slot(
    arena, monkeypatch
):
    submission, evaluation = accept(arena, arena.perfect())
    fails_with(monkeypatch, FailureCode.SCORER_MEMORY, may_retry=False)
    failed = evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert (failed.state, failed.failure_code) == (EvaluationState.FAILED, "SCORER_MEMORY")
    assert "memory" in failed.failure_reason
    submission.refresh_from_db()
    assert (submission.state, submission.failure_code) == (SubmissionState.FAILED, "SCORER_MEMORY")
    assert submission.quota.state == QuotaState.RELEASED
    assert Board.objects.get(phase=arena.phase).wanted == 0
    event = AuditEvent.objects.get(kind="evaluation.failed")
    assert "exit 1" in event.payload


def test_what_may_be_tried_again_is_tried_three_times(arena, monkeypatch):
    submission, evaluation = accept(arena, arena.perfect())
    fails_with(monkeypatch, FailureCode.SCORER_CRASHED, may_retry=True)
    states = [
        evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock).state
        for _ in range(3)
    ]
    assert states == [EvaluationState.QUEUED, EvaluationState.QUEUED, EvaluationState.FAILED]
    submission.refresh_from_db()
    assert submission.state == SubmissionState.FAILED


def test_a_validation_that_crashes_for_good_fails_the_submission_and_frees_the_slot(
    arena, monkeypatch
):
    submission = submit(arena, arena.perfect())
    fails_with(monkeypatch, FailureCode.SCORER_TIMEOUT, may_retry=False)
    failed = validation.validate(submission_id=submission.pk, clock=clock)
    assert (failed.state, failed.failure_code) == (SubmissionState.FAILED, "SCORER_TIMEOUT")
    assert failed.quota.state == QuotaState.RELEASED


def test_lost_bytes_are_tried_again_and_then_said(arena):
    submission = submit(arena, arena.perfect())
    storage.path_of(submission.storage_key).unlink()
    states = [validation.validate(submission_id=submission.pk, clock=clock).state for _ in range(3)]
    assert states == [SubmissionState.RECEIVED, SubmissionState.RECEIVED, SubmissionState.FAILED]
    submission.refresh_from_db()
    assert submission.failure_code == FailureCode.STORAGE_ERROR


def test_bytes_that_are_not_what_was_received_are_never_scored(arena):
    submission, evaluation = accept(arena, arena.flawed(4))
    storage.path_of(submission.storage_key).write_bytes(
        storage.path_of(arena.store(arena.perfect()).key).read_bytes()
    )
    for _ in range(3):
        evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    evaluation.refresh_from_db()
    assert (evaluation.score, evaluation.failure_code) == (None, FailureCode.STORAGE_ERROR)


def test_a_disagreeing_second_opinion_keeps_the_score_from_being_published(arena, monkeypatch):
    submission, evaluation = accept(arena, arena.flawed(2))
    honest = child.run

    def tampered(*args, **kwargs):
        result = honest(*args, **kwargs)
        result["sample"][0]["edits"] += 1
        return result

    monkeypatch.setattr(child, "run", tampered)
    failed = evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert failed.failure_code == FailureCode.SECOND_OPINION_DISAGREES
    assert (failed.score, failed.second_opinion["differing"]) == (None, 1)
    assert not EvaluationTallies.objects.exists()
    submission.refresh_from_db()
    assert submission.state == SubmissionState.FAILED


def test_a_late_worker_cannot_overwrite_a_newer_attempt(arena):
    _, evaluation = accept(arena, arena.perfect())
    late = evaluations.claim(evaluation_id=evaluation.pk, worker="late", now=LATER)
    result = evaluations._score(late, clock)
    after_lapse = LATER + timedelta(seconds=31)
    evaluations.release_lapsed(evaluation_id=evaluation.pk, now=after_lapse)
    with pytest.raises(ClaimLost):
        evaluations.finish(evaluation=late, result=result, now=after_lapse)
    assert (
        evaluations.claim(evaluation_id=evaluation.pk, worker="new", now=after_lapse).attempt == 2
    )
    with pytest.raises(ClaimLost):
        evaluations.finish(evaluation=late, result=result, now=after_lapse)
    with pytest.raises(ClaimLost):
        evaluations.give_up(
            evaluation=late,
            failure=ChildFailed(FailureCode.SCORER_TIMEOUT, may_retry=False),
            now=after_lapse,
        )
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.worker) == (EvaluationState.RUNNING, "new")
    assert not EvaluationTallies.objects.exists()


def test_a_lapsed_lease_is_released_and_a_renewed_one_is_kept(arena):
    _, evaluation = accept(arena, arena.perfect())
    claimed = evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=LATER)
    evaluations.release_lapsed(evaluation_id=evaluation.pk, now=LATER + timedelta(seconds=29))
    claimed.refresh_from_db()
    assert claimed.state == EvaluationState.RUNNING
    evaluations.release_lapsed(evaluation_id=evaluation.pk, now=LATER + timedelta(seconds=31))
    claimed.refresh_from_db()
    assert (claimed.state, claimed.lease_until) == (EvaluationState.QUEUED, None)


def test_three_silent_workers_end_an_evaluation_with_a_reason(arena):
    submission, evaluation = accept(arena, arena.perfect())
    now = LATER
    for _ in range(3):
        assert evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=now)
        now += timedelta(seconds=31)
        evaluations.release_lapsed(evaluation_id=evaluation.pk, now=now)
    evaluation.refresh_from_db()
    submission.refresh_from_db()
    assert (evaluation.state, evaluation.failure_code) == (EvaluationState.FAILED, "WORKER_LOST")
    assert (submission.state, submission.quota.state) == (
        SubmissionState.FAILED,
        QuotaState.RELEASED,
    )


def test_three_silent_workers_end_a_validation_with_a_reason(arena):
    submission = submit(arena, arena.perfect())
    now = LATER
    for _ in range(3):
        assert validation.claim(submission_id=submission.pk, now=now)
        assert validation.claim(submission_id=submission.pk, now=now) is None
        now += timedelta(seconds=31)
        validation.release_lapsed(submission_id=submission.pk, now=now)
    submission.refresh_from_db()
    assert (submission.state, submission.failure_code) == (SubmissionState.FAILED, "WORKER_LOST")
    assert submission.failure_reason


def steal(model, fields):
    """Return a run that loses its claim on the only row of `model` while it works."""

    def run(*args, watch, **kwargs):
        model.objects.update(**fields)
        watch(1, 2)
        pytest.fail("worked on without a claim")

    return run


def test_a_run_whose_claim_is_gone_stops_and_writes_nothing(arena, monkeypatch, settings):
    settings.EVALUATION_RENEW_SECONDS = 0
    _, evaluation = accept(arena, arena.perfect())
    monkeypatch.setattr(child, "run", steal(Evaluation, {"attempt": 9}))
    assert evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock) is None
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.RUNNING, 9)


def test_a_validation_whose_submission_is_cancelled_meanwhile_writes_nothing(
    arena, monkeypatch, settings
):
    settings.EVALUATION_RENEW_SECONDS = 0
    submission = submit(arena, arena.perfect())
    gone = {"state": SubmissionState.CANCELLED, "lease_until": None}
    monkeypatch.setattr(child, "run", steal(Submission, gone))
    assert validation.validate(submission_id=submission.pk, clock=clock) is None
    submission.refresh_from_db()
    assert (submission.state, submission.validated_at) == (SubmissionState.CANCELLED, None)


def test_progress_and_the_lease_are_renewed_while_the_child_lives(arena, monkeypatch, settings):
    settings.EVALUATION_RENEW_SECONDS = 0
    _, evaluation = accept(arena, arena.perfect())
    seen = []

    def run(*args, watch, **kwargs):
        watch(3, 16)
        seen.append(Evaluation.objects.values("progress_done", "lease_until").get())
        raise ChildFailed(FailureCode.SCORER_TIMEOUT, may_retry=False)

    monkeypatch.setattr(child, "run", run)
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert seen == [{"progress_done": 3, "lease_until": LATER + timedelta(seconds=30)}]


def test_references_that_are_gone_are_our_failure_and_cost_nothing(arena, settings):
    arena.track.params = {**arena.track.params, "collars": {"en": 1, "zh": 5}}
    arena.track.save()
    references.path_of(arena.phase.references).unlink()
    submission = submit(arena, arena.perfect())
    for _ in range(3):
        validation.validate(submission_id=submission.pk, clock=clock)
    submission.refresh_from_db()
    assert (submission.state, submission.failure_code) == ("failed", FailureCode.STORAGE_ERROR)
    assert submission.quota.state == QuotaState.RELEASED


def test_a_number_that_is_not_finite_is_refused_before_the_database_sees_it(arena, monkeypatch):
    _, evaluation = accept(arena, arena.perfect())
    honest = child.run

    def tampered(*args, **kwargs):
        result = honest(*args, **kwargs)
        result["score"]["languages"]["en"]["interval"] = [0.0, float("nan")]
        return result

    monkeypatch.setattr(child, "run", tampered)
    failed = evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    assert (failed.state, failed.failure_code) == ("failed", FailureCode.SCORER_CRASHED)


def test_the_recipe_follows_the_definition_until_the_first_score(arena):
    first = recipes.live_recipe(arena.phase)
    arena.track.params = {**arena.track.params, "collars": {"en": 1, "zh": 5}}
    arena.track.save()
    arena.phase.refresh_from_db()
    second = recipes.ensure_live(phase=arena.phase, now=LATER)
    assert second.digest != first.digest
    assert recipes.live_recipe(arena.phase) == second
    accept(arena, arena.perfect())
    arena.track.params = {**arena.track.params, "collars": {"en": 2, "zh": 5}}
    arena.track.save()
    assert recipes.ensure_live(phase=arena.phase, now=LATER) == second


def test_no_text_of_the_references_is_in_anything_a_participant_can_get(arena, caplog, capfd):
    faulty = arena.perfect()
    faulty = {utt_id: text.replace(CANARY, "spider") for utt_id, text in faulty.items()}
    submission, evaluation = accept(arena, faulty)
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    missing = dict(list(faulty.items())[3:])
    rejected = validation.validate(submission_id=submit(arena, missing).pk, clock=clock)
    scored = Evaluation.objects.values().get(pk=evaluation.pk)
    problems = list(rejected.problems.values())
    events = list(AuditEvent.objects.values_list("payload", flat=True))
    said = [scored, problems, events, caplog.text, *capfd.readouterr()]
    assert submission.state == SubmissionState.ACCEPTED
    assert CANARY not in repr(said)
