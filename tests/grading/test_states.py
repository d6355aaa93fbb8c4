"""The tables of states, walked pair by pair: what is not in them does not happen."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from grading.enums import (
    EVALUATION_TRANSITIONS,
    SUBMISSION_TRANSITIONS,
    EvaluationState,
    FailureCode,
    SubmissionState,
)
from grading.models import Evaluation, Recipe, Rescoring, Submission
from grading.services import cancelling, evaluations, rescoring_queue, validation
from grading.services.child import ChildFailed, ClaimLost
from grading.services.errors import AlreadyScoring, SubmissionEnded
from tests.factories.grading import (
    NOW,
    Arena,
    SubmissionFactory,
    make_arena,
    quota_entry,
    scored,
)
from tests.factories.speech import make_speech_arena

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(seconds=5)
FAILURE = ChildFailed(FailureCode.SCORER_CRASHED, may_retry=False)
REPORT = {"errors": 0, "total": 0, "rows": 16, "reading": "jsonl", "problems": [], "counts": []}
RESULT = {
    "sample": [],
    "tallies": "00",
    "tallies_sha256": "0" * 64,
    "score": {
        "score": 1.0,
        "withheld_reason": "",
        "interval": None,
        "interval_reason": "ZERO_WIDTH",
        "seed": 1,
        "components": {},
        "languages": {},
    },
}


def submission_in(arena: Arena, state: str, **fields) -> Submission:
    ended = {
        SubmissionState.REJECTED: {"validated_at": NOW, "ended_at": NOW},
        SubmissionState.ACCEPTED: {"validated_at": NOW},
        SubmissionState.FAILED: {"failure_code": "SCORER_CRASHED", "ended_at": NOW},
        SubmissionState.CANCELLED: {"ended_at": NOW},
        SubmissionState.RECEIVED: {"lease_until": LATER, "attempt": 1},
    }
    made = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state=state,
        **ended[state] | fields,
    )
    quota_entry(made)
    return made


def evaluation_in(arena: Arena, state: str) -> Evaluation:
    made = scored(arena, arena.entrant, arena.captain, 50.0, with_tallies=False)
    quota_entry(made.submission)
    blank = {"score": None, "low": None, "high": None, "finished_at": None}
    fields = {
        EvaluationState.WAITING: {**blank, "started_at": None},
        EvaluationState.QUEUED: blank,
        EvaluationState.RUNNING: {**blank, "lease_until": LATER},
        EvaluationState.SCORED: {},
        EvaluationState.FAILED: {**blank, "finished_at": NOW, "failure_code": "SCORER_CRASHED"},
        EvaluationState.CANCELLED: {**blank, "finished_at": NOW},
    }
    Evaluation.objects.filter(pk=made.pk).update(state=state, **fields[state])
    made.refresh_from_db()
    return made


def move_submission(submission: Submission, target: str, actor) -> None:
    if target == SubmissionState.ACCEPTED:
        validation.settle(submission=submission, report=REPORT, now=LATER)
    elif target == SubmissionState.REJECTED:
        validation.settle(submission=submission, report={**REPORT, "errors": 1}, now=LATER)
    elif target == SubmissionState.CANCELLED:
        cancelling.cancel(actor=actor, submission=submission, now=LATER)
    elif submission.state == SubmissionState.ACCEPTED:
        evaluations._fail_submission(_running(submission), FAILURE, LATER)
    else:
        validation.give_up(submission=submission, failure=FAILURE, now=LATER)


def _running(submission: Submission) -> Evaluation:
    return Evaluation(submission=submission)


REACHABLE = [
    (source, target)
    for source in SubmissionState
    for target in SubmissionState
    if target != SubmissionState.RECEIVED
]


@pytest.mark.parametrize(("source", "target"), REACHABLE)
def test_a_submission_moves_as_its_table_says_and_no_other_way(arena, source, target):
    submission = submission_in(arena, source)
    if target in SUBMISSION_TRANSITIONS[source]:
        move_submission(submission, target, arena.captain)
        submission.refresh_from_db()
        assert submission.state == target
        return
    with pytest.raises((ClaimLost, SubmissionEnded)):
        move_submission(submission, target, arena.captain)
    submission.refresh_from_db()
    assert (submission.state, submission.quota.state) == (source, "reserved")


def wait(evaluation: Evaluation) -> None:
    """Let a dropped candidate go on; nothing else makes an evaluation wait once it is there."""
    rescoring_queue.fill(rescoring_id=rescoring(evaluation).pk, now=LATER)
    was = evaluation.state
    evaluation.refresh_from_db()
    if evaluation.state == was:
        raise ClaimLost


def move_waiting(evaluation: Evaluation, target: str) -> None:
    if target == EvaluationState.QUEUED:
        moved = evaluations.release(evaluation_id=evaluation.pk, now=LATER)
    else:
        code = FailureCode.JUDGE_FAILED
        moved = evaluations.fail_waiting(evaluation_id=evaluation.pk, code=code, now=LATER)
    if not moved:
        raise ClaimLost


def move_evaluation(evaluation: Evaluation, target: str, actor) -> None:
    of_marks = {EvaluationState.QUEUED, EvaluationState.FAILED}
    if target == EvaluationState.WAITING:
        wait(evaluation)
    elif evaluation.state == EvaluationState.WAITING and target in of_marks:
        move_waiting(evaluation, target)
    elif target == EvaluationState.RUNNING:
        if evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=LATER) is None:
            raise ClaimLost
    elif target == EvaluationState.SCORED:
        evaluations.finish(evaluation=evaluation, result=RESULT, now=LATER)
    elif target == EvaluationState.FAILED:
        evaluations.give_up(evaluation=evaluation, failure=FAILURE, now=LATER)
    elif target == EvaluationState.CANCELLED:
        cancelling.cancel(actor=actor, submission=evaluation.submission, now=LATER)
    elif evaluation.state == EvaluationState.CANCELLED:
        proposed = rescoring(evaluation)
        rescoring_queue.fill(rescoring_id=proposed.pk, now=LATER)
    else:
        again = ChildFailed(FailureCode.WORKER_LOST, may_retry=True)
        evaluations.give_up(evaluation=evaluation, failure=again, now=LATER)


def rescoring(evaluation: Evaluation) -> Rescoring:
    """Return a proposal of the recipe that the evaluation is of."""
    recipe = evaluation.recipe
    other = Recipe.objects.create(
        digest="0" * 64,
        track=recipe.track,
        scorer=recipe.scorer,
        version="0.9.0",
        params=recipe.params,
        references=recipe.references,
        created_at=NOW,
    )
    return Rescoring.objects.create(
        phase=evaluation.submission.phase,
        recipe=recipe,
        replaced=other,
        reason="again",
        proposed_at=NOW,
    )


# Cancelling a submission again is told by the submission's own table.
PAIRS = [
    (source, target)
    for source in EvaluationState
    for target in EvaluationState
    if (source, target) != (EvaluationState.CANCELLED, EvaluationState.CANCELLED)
]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_an_evaluation_moves_as_its_table_says_and_no_other_way(db, source, target):
    needs_marks = EvaluationState.WAITING in {source, target}
    arena = make_speech_arena() if needs_marks else make_arena()
    evaluation = evaluation_in(arena, source)
    if target in EVALUATION_TRANSITIONS[source]:
        move_evaluation(evaluation, target, arena.captain)
        evaluation.refresh_from_db()
        assert evaluation.state == target
        return
    with pytest.raises((ClaimLost, AlreadyScoring)):
        move_evaluation(evaluation, target, arena.captain)
    evaluation.refresh_from_db()
    assert evaluation.state == source


@pytest.mark.parametrize("state", set(EvaluationState) - {EvaluationState.WAITING})
def test_only_what_waits_is_released_or_given_up(db, state):
    evaluation = evaluation_in(make_speech_arena(), state)
    before = Evaluation.objects.values().get(pk=evaluation.pk)
    assert not evaluations.release(evaluation_id=evaluation.pk, now=LATER)
    assert not evaluations.fail_waiting(
        evaluation_id=evaluation.pk, code=FailureCode.JUDGE_FAILED, now=LATER
    )
    assert not evaluations.note_judging(evaluation_id=evaluation.pk, done=1, total=2, now=LATER)
    assert Evaluation.objects.values().get(pk=evaluation.pk) == before


@pytest.mark.parametrize("field", ["score", "low", "high"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e300])
def test_the_database_refuses_numbers_that_are_none(arena, field, value):
    evaluation = scored(arena, arena.entrant, arena.captain, 50.0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.filter(pk=evaluation.pk).update(**{field: value})
    evaluation.refresh_from_db()
    assert (evaluation.low, evaluation.score, evaluation.high) == (49.0, 50.0, 51.0)


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "scored", "score": None},
        {"state": "scored", "withheld_reason": "because"},
        {"state": "running", "score": None},
        {"state": "queued"},
        {"state": "waiting"},
        {"state": "waiting", "score": None, "low": None, "high": None},
        {"state": "waiting", "score": None, "finished_at": None, "failure_code": "JUDGE_FAILED"},
        {"state": "waiting", "score": None, "finished_at": None, "lease_until": NOW},
        {"state": "failed", "score": None},
        {"state": "asleep", "score": None},
        {"low": 60.0},
        {"low": None},
        {"lease_until": NOW},
    ],
)
def test_the_database_refuses_states_that_contradict_their_fields(arena, fields):
    evaluation = scored(arena, arena.entrant, arena.captain, 50.0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.filter(pk=evaluation.pk).update(**fields)
