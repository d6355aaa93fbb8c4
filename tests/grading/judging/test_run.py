"""A run asks what is missing and nothing else, whatever goes wrong on the way."""

from __future__ import annotations

import pytest
from django.utils import timezone

from grading.enums import AttemptState, EvaluationState, JudgeFailure, JudgeRunState, JudgeStop
from grading.judges import standin as standins
from grading.judges.standin_faults import FAULTS, FaultPlan
from grading.models import JudgeAnswer, JudgeAttempt, JudgeRating, JudgeRun
from grading.services import judging, pausing
from grading.services.judging_marks import marks_of, why_waiting
from tests.factories.judging import IDS, clip, judged_arena, waiting
from tests.factories.speech import TEXTS

pytestmark = pytest.mark.django_db


def judge(evaluation, **changes):
    return judging.run(
        **{"evaluation_id": evaluation.pk, "worker": "w", "clock": timezone.now} | changes
    )


def expected(evaluation, *, jitter=False, replicates=2):
    """What the stand-in says of each clip, worked out beside the server."""
    found = {}
    for one in evaluation.submission.clips.all():
        wav = clip(list(IDS).index(one.utt_id))
        marks = [
            standins.marks_of(wav, TEXTS[one.language], seed, jitter=jitter)
            for seed in range(1, replicates + 1)
        ]
        found[one.utt_id] = [
            [0.0, 0.0, m["N"], m["Q"], m["E"]] if 0 in (m["A"], m["P"]) else list(m.values())
            for m in ({name: m[name] for name in "APNQE"} for m in marks)
        ]
    return found


def test_every_mark_is_what_the_judge_said_and_the_evaluation_is_released(standin, behaviour):
    behaviour.jitter = True
    evaluation = waiting(judged_arena())
    run = judge(evaluation)
    evaluation.refresh_from_db()
    assert (run.state, run.done, run.needed, run.calls) == (JudgeRunState.DONE, 8, 8, 8)
    assert marks_of(evaluation) == expected(evaluation, jitter=True)
    assert evaluation.state == EvaluationState.QUEUED
    assert (evaluation.progress_done, evaluation.progress_total) == (8, 8)
    assert evaluation.started_at is not None


def test_replicates_are_kept_apart(standin, behaviour):
    behaviour.jitter = True
    evaluation = waiting(judged_arena(replicates=3))
    judge(evaluation)
    assert marks_of(evaluation) == expected(evaluation, jitter=True, replicates=3)
    assert any(len(set(map(tuple, marks))) > 1 for marks in marks_of(evaluation).values())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_call_is_a_state_and_never_a_number(standin, behaviour, fault):
    behaviour.faults = FaultPlan({fault: 0.4}, seed=3)
    timeout = {"timeout_seconds": 1} if fault == "slow" else {}
    evaluation = waiting(judged_arena(IDS[:2], replicates=3, **timeout))
    run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    kinds = set(run.attempts.filter(state=AttemptState.FAILED).values_list("failure", flat=True))
    wanted = {
        "rate-limit": JudgeFailure.RATE_LIMITED,
        "server-error": JudgeFailure.SERVER_ERROR,
        "malformed": JudgeFailure.MALFORMED,
        "out-of-range": JudgeFailure.OUT_OF_RANGE,
        "slow": JudgeFailure.TIMED_OUT,
        "truncated": JudgeFailure.TRUNCATED,
        "cut": JudgeFailure.CUT_OFF,
        "drop-audio": JudgeFailure.AUDIO_DROPPED,
    }[fault]
    assert wanted in kinds
    # A connection that is given up after an error may be found cut by the call that comes next.
    assert kinds <= {wanted.value, JudgeFailure.CUT_OFF.value}
    assert marks_of(evaluation) == expected(evaluation, replicates=3)
    assert JudgeAnswer.objects.count() == 6


def test_what_keeps_failing_stops_the_run_after_two_rounds_of_six_tries(standin, behaviour):
    behaviour.faults = FaultPlan({"malformed": 1.0})
    evaluation = waiting(judged_arena(IDS[:2], replicates=1))
    run = judge(evaluation)
    evaluation.refresh_from_db()
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.UNANSWERED)
    assert run.stop_detail == {"count": 2, "ids": ["gen_en_1", "gen_zh_1"]}
    assert run.attempts.count() == 2 * 6 * 2
    assert evaluation.state == EvaluationState.WAITING
    assert evaluation.score is None
    assert marks_of(evaluation) == {}
    assert why_waiting(evaluation) == JudgeStop.UNANSWERED.label
    assert judge(evaluation) is None


def test_the_same_clip_of_two_submissions_costs_once_and_no_key_names_whose_it_is(standin):
    arena = judged_arena()
    first, second = waiting(arena), waiting(arena)
    judge(first)
    asked = JudgeAttempt.objects.count()
    run = judge(second)
    assert (run.state, run.calls, JudgeAttempt.objects.count()) == (JudgeRunState.DONE, 0, asked)
    assert marks_of(first) == marks_of(second)
    assert JudgeRating.objects.count() == 2 * JudgeAnswer.objects.count()
    second.refresh_from_db()
    assert second.state == EvaluationState.QUEUED


def test_two_utterances_with_the_same_clip_and_text_are_asked_once(standin):
    evaluation = waiting(judged_arena(), dict.fromkeys(IDS, clip(1)))
    run = judge(evaluation)
    assert (run.done, run.calls) == (8, 4)
    assert len(marks_of(evaluation)) == 4


def test_a_marked_clip_is_not_asked_again_by_a_later_claim(standin, behaviour):
    evaluation = waiting(judged_arena())
    behaviour.faults = FaultPlan({"server-error": 1.0})
    asked = iter([False] * 3 + [True] * 1000)
    run = judge(evaluation, leaving=lambda: next(asked))
    assert run.state == JudgeRunState.QUEUED
    behaviour.faults = FaultPlan()
    run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    keys = JudgeAttempt.objects.filter(state=AttemptState.ANSWERED).values_list("key", flat=True)
    assert len(keys) == len(set(keys)) == 8


def test_a_cancelled_evaluation_is_not_judged_on(standin, settings):
    settings.EVALUATION_RENEW_SECONDS = 0
    evaluation = waiting(judged_arena())

    def cancel():
        type(evaluation).objects.filter(pk=evaluation.pk).update(state=EvaluationState.CANCELLED)
        return False

    run = judge(evaluation, leaving=cancel)
    assert run.state == JudgeRunState.CANCELLED
    assert JudgeRun.objects.get().done < 8


def test_a_text_without_a_vocalization_is_refused_before_any_call(standin):
    evaluation = waiting(judged_arena(texts={"gen_en_1": "You should have seen it."}))
    run = judge(evaluation)
    assert (run.stop_reason, run.calls) == (JudgeStop.TEXT_UNTAGGED, 0)
    assert run.stop_detail == {"count": 1, "ids": ["gen_en_1"]}
    assert JudgeAttempt.objects.count() == 0


def test_a_missing_clip_stops_the_run_before_any_call(standin):
    evaluation = waiting(judged_arena(), {IDS[0]: clip(0)})
    run = judge(evaluation)
    assert (run.stop_reason, run.stop_detail["count"]) == (JudgeStop.CLIPS_MISSING, 3)
    assert JudgeAttempt.objects.count() == 0


def test_a_pause_of_the_competition_begins_no_call(standin):
    arena = judged_arena()
    evaluation = waiting(arena)
    pausing.pause(actor=None, competition=arena.competition, reason="Repair", now=timezone.now())
    assert judge(evaluation) is None
