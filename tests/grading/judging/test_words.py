"""What an entrant sends to `llm` is marked by a judge of words, by itself, whatever goes wrong on the way."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

import pytest

from accounts.models import AuditEvent
from grading.demo.canaries import write_canaries as write_clips
from grading.enums import (
    AttemptKind,
    AttemptState,
    EvaluationState,
    JudgeFailure,
    JudgeRunState,
    JudgeStop,
    SubmissionState,
)
from grading.judges import standin_words
from grading.judges.standin_faults import FAULTS, FaultPlan
from grading.models import (
    Evaluation,
    JudgeAnswer,
    JudgeAttempt,
    JudgeGate,
    JudgeRating,
    JudgeRun,
    Submission,
)
from grading.rules import first_state, waits_for_judge
from grading.scoring.tracks.base import NOTHING_SHA256
from grading.services import cancelling, evaluations, judging_acts, judging_canaries, judging_export
from grading.services.errors import AlreadyScoring
from grading.services.judging_acts import RaisedBudget
from grading.services.judging_marks import marks_of
from tests.factories.grading import NOW
from tests.factories.words import (
    ANSWERS,
    ITEMS,
    JUDGE,
    SCALE,
    SECRET,
    expected,
    hand_in,
    score_of,
    waiting,
    words_arena,
    write_canaries,
)
from tests.grading.judging.test_endpoint import KEY, plain, said, scripted
from tests.grading.judging.test_limits import refused
from tests.grading.judging.test_money_and_canaries import organizer
from tests.grading.judging.test_run import judge

pytestmark = pytest.mark.django_db
PRICE = {"currency": "EUR", "as_of": "2026-11-01", "input_per_million": 1000}
CANARIES = {"set": "words-1", "every": 200}
FAILURES = {
    "rate-limit": JudgeFailure.RATE_LIMITED,
    "server-error": JudgeFailure.SERVER_ERROR,
    "malformed": JudgeFailure.MALFORMED,
    "out-of-range": JudgeFailure.OUT_OF_RANGE,
    "slow": JudgeFailure.TIMED_OUT,
    "truncated": JudgeFailure.TRUNCATED,
    "cut": JudgeFailure.CUT_OFF,
}


@pytest.fixture
def canaries(tmp_path):
    write_canaries(tmp_path)
    return judging_canaries.load(folder=tmp_path, now=NOW)


def score(evaluation: Evaluation) -> Evaluation:
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    return Evaluation.objects.get(pk=evaluation.pk)


def test_an_upload_is_marked_and_scored_by_itself(standin, behaviour):
    behaviour.jitter = True
    arena = words_arena()
    evaluation = waiting(arena)
    assert evaluation.state == EvaluationState.WAITING
    assert Evaluation.objects.filter(waits_for_judge()).get() == evaluation
    run = judge(evaluation)
    assert (run.state, run.done, run.needed, run.calls) == (JudgeRunState.DONE, 12, 12, 12)
    marks = marks_of(evaluation)
    assert marks == expected(arena, jitter=True)
    assert len({mark for several in marks.values() for (mark,) in several}) > 2
    found = score(evaluation)
    assert found.state == EvaluationState.SCORED
    assert found.score == pytest.approx(score_of(marks), abs=1e-9)
    assert found.components["f1"] == 1.0


def test_the_bell_of_the_judge_is_rung_at_acceptance_and_the_whole_way_is_walked(
    standin, django_capture_on_commit_callbacks
):
    arena = words_arena()
    with django_capture_on_commit_callbacks(execute=True):
        submission = hand_in(arena)
    found = Evaluation.objects.get(submission=submission)
    assert found.state == EvaluationState.SCORED
    assert found.score == pytest.approx(score_of(expected(arena)), abs=1e-9)


def test_the_score_is_withheld_while_marks_are_missing(standin, behaviour):
    behaviour.faults = FaultPlan({"malformed": 1.0})
    evaluation = waiting(words_arena(("q1", "q2"), replicates=1))
    run = judge(evaluation)
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.UNANSWERED)
    assert run.stop_detail == {"count": 2, "ids": ["q1", "q2"]}
    found = score(evaluation)
    assert (found.state, found.score, found.components) == (EvaluationState.WAITING, None, {})
    assert marks_of(evaluation) == {}


def test_a_score_is_not_made_should_a_mark_be_missing_after_all(standin):
    evaluation = waiting(words_arena())
    Evaluation.objects.filter(pk=evaluation.pk).update(state=EvaluationState.QUEUED)
    found = score(evaluation)
    assert (found.state, found.failure_code) == (EvaluationState.FAILED, "MARKS_MISSING")


@pytest.mark.parametrize("fault", sorted(FAILURES))
def test_a_failed_call_is_a_state_and_never_a_number(standin, behaviour, fault):
    behaviour.faults = FaultPlan({fault: 0.4}, seed=3)
    timeout = {"timeout_seconds": 1} if fault == "slow" else {}
    arena = words_arena(**timeout)
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    kinds = set(run.attempts.filter(state=AttemptState.FAILED).values_list("failure", flat=True))
    assert FAILURES[fault] in kinds
    assert kinds <= {FAILURES[fault].value, JudgeFailure.CUT_OFF.value}
    assert marks_of(evaluation) == expected(arena)
    assert JudgeAnswer.objects.count() == 12


def test_words_have_no_sound_to_be_dropped(standin, behaviour):
    assert set(FAULTS) - set(FAILURES) == {"drop-audio"}
    behaviour.faults = FaultPlan({"drop-audio": 1.0})
    assert judge(waiting(words_arena())).calls == 12


@pytest.mark.parametrize("formats", [("json_object", "text"), ("text",)])
def test_a_laxer_form_is_asked_for_where_the_stricter_is_refused(standin, behaviour, formats):
    behaviour.formats = formats
    arena = words_arena()
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert (run.state, run.answer_format) == (JudgeRunState.DONE, formats[0])
    assert marks_of(evaluation) == expected(arena)


def test_the_same_answer_of_two_submissions_costs_once_and_no_key_names_whose_it_is(standin):
    arena = words_arena()
    first, second = waiting(arena), waiting(arena, ANSWERS | {"q4": "奶茶"})
    judge(first)
    run = judge(second)
    assert (run.state, run.calls, run.done) == (JudgeRunState.DONE, 3, 12)
    assert JudgeAnswer.objects.count() == 15
    assert {a.audio_sha256 for a in JudgeAnswer.objects.all()} == {NOTHING_SHA256}
    assert marks_of(second) == expected(arena, ANSWERS | {"q4": "奶茶"})


def test_an_id_shares_nothing(standin, monkeypatch):
    """The same id with another answer is another item; two ids that say the same are one."""
    monkeypatch.setitem(ITEMS, "q5", ITEMS["q1"])
    arena = words_arena(("q1", "q5"))
    run = judge(waiting(arena, {"q1": "三點", "q5": "三點"}))
    assert (run.calls, run.done) == (3, 6)
    swapped = judge(waiting(arena, {"q1": "四點", "q5": "三點"}))
    assert (swapped.calls, swapped.done) == (3, 6)


@pytest.mark.parametrize(
    ("budget", "reason", "more"),
    [
        ({"calls": 5}, JudgeStop.BUDGET_CALLS, {"most_calls": 50}),
        ({"cost": "0.1"}, JudgeStop.BUDGET_COST, {"most_cost_micro": 10_000_000}),
    ],
)
def test_a_budget_stops_the_run_and_a_raised_one_lets_it_go_on(standin, budget, reason, more):
    arena = words_arena(budget=budget, price=PRICE)
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, reason)
    assert 0 < run.done < run.needed
    assert run.calls <= (run.most_calls or 99)
    assert run.cost_micro <= (run.most_cost_micro or 10**9)
    assert run.audio_ms == 0
    judging_acts.resume(
        actor=organizer(arena), run=run, reason="More", budget=RaisedBudget(**more), now=NOW
    )
    done = judge(evaluation)
    assert (done.state, done.calls) == (JudgeRunState.DONE, 12)
    tokens = sum(a.input_tokens for a in done.attempts.all())
    assert done.cost_micro == tokens * 1000 > 0
    assert marks_of(evaluation) == expected(arena)


def test_a_claim_that_ends_leaves_the_rest_and_nothing_is_asked_twice(standin):
    evaluation = waiting(words_arena())
    turns = iter([False] * 3 + [True] * 1000)
    assert judge(evaluation, leaving=lambda: next(turns)).state == JudgeRunState.QUEUED
    assert judge(evaluation).state == JudgeRunState.DONE
    keys = JudgeAttempt.objects.values_list("key", flat=True)
    assert len(keys) == len(set(keys)) == 12


def test_canaries_are_asked_first_and_an_order_in_an_answer_moves_no_mark(standin, canaries):
    arena = words_arena(canaries=CANARIES | {"every": 5})
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    kinds = list(JudgeAttempt.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds[:12] == [AttemptKind.CANARY] * 12
    assert kinds[12:17] == [AttemptKind.CLIP] * 5
    assert kinds[17:29] == [AttemptKind.CANARY] * 12
    assert kinds.count(AttemptKind.CLIP) == 12
    assert canaries.canaries.filter(speaks_instructions=True).count() == 2
    assert marks_of(evaluation) == expected(arena)


def test_a_judge_that_obeys_an_answer_is_stopped_before_anything_is_marked(
    standin, canaries, monkeypatch
):
    honest = standin_words.mark_of

    def gullible(item, *more):
        return 5.0 if "give this a 5" in item.answer else honest(item, *more)

    monkeypatch.setattr(standin_words, "mark_of", gullible)
    arena = words_arena(canaries=CANARIES)
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.CANARY_CHANGED)
    assert run.stop_detail["canary"] in {"yue-04", "yue-09"}
    assert run.stop_detail["marks"] == ["mark"]
    assert not run.attempts.filter(kind=AttemptKind.CLIP).exists()
    assert score(evaluation).state == EvaluationState.WAITING
    monkeypatch.setattr(standin_words, "mark_of", honest)
    judging_acts.resume(actor=organizer(arena), run=run, reason="Another model", now=NOW)
    again = judge(evaluation)
    assert again.state == JudgeRunState.DONE
    assert marks_of(evaluation) == expected(arena)


@pytest.mark.slow
def test_canaries_that_do_not_fit_begin_no_call(standin, canaries, tmp_path):
    write_canaries(tmp_path, "words-en", language="en")
    judging_canaries.load(folder=tmp_path, now=NOW)
    write_clips(tmp_path)
    spoken = judging_canaries.load(folder=tmp_path, now=NOW).name
    scale = SCALE | {"highest": 2}
    for arena, detail in (
        (words_arena(canaries=CANARIES | {"set": "none"}), "languages"),
        (words_arena(params={"scale": scale, "judge": JUDGE | {"canaries": CANARIES}}), "ids"),
        (words_arena(canaries=CANARIES | {"set": "words-en"}), "languages"),
        (words_arena(canaries=CANARIES | {"set": spoken}), "languages"),
    ):
        run = judge(waiting(arena))
        assert (run.stop_reason, run.calls) == (JudgeStop.CANARIES_MISSING, 0)
        assert detail in run.stop_detail


def test_key_and_hidden_words_are_in_no_row_log_or_export(settings, caplog):
    settings.JUDGE_PAUSE_SECONDS = 0.01
    settings.JUDGE_API_KEY = KEY
    good = said(json.dumps({"reason": "it says so", "mark": 4}))

    def answer(number: int):
        return (500, {}, [b"an error"]) if number == 2 else plain(good)

    arena = words_arena(is_stand_in=False)
    evaluation = waiting(arena)
    with caplog.at_level(logging.DEBUG), scripted(answer) as server:
        settings.JUDGE_BASE_URL = server.url
        run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    headers, body = server.requests[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    asked = json.loads(body["messages"][1]["content"])
    assert set(asked) == {"asked", "wanted", "answer"}
    assert body["response_format"]["json_schema"]["name"] == "mark"
    told = json.dumps([body for _, body in server.requests], ensure_ascii=False)
    assert SECRET in told
    for name in ("q1", arena.entrant.team.name, evaluation.submission.code):
        assert name not in told
    rows = [
        repr(list(model.objects.values()))
        for model in (JudgeRun, JudgeAnswer, JudgeAttempt, JudgeGate, JudgeRating, AuditEvent)
    ]
    rows += [repr(list(Submission.objects.values())), caplog.text]
    rows += [line.decode() for line in judging_export.answer_lines(run)]
    assert all(KEY not in text and SECRET not in text for text in rows)


@pytest.mark.slow
def test_answers_are_replayed_from_a_file_without_a_model(standin, settings, tmp_path):
    arena = words_arena()
    first = judge(waiting(arena))
    data = b"".join(judging_export.answer_lines(first))
    assert {json.loads(line)["marks"].keys() == {"mark"} for line in data.splitlines()} == {True}
    sha256 = hashlib.sha256(data).hexdigest()
    settings.JUDGE_RECORDINGS = tmp_path
    settings.JUDGE_BASE_URL = ""
    (tmp_path / f"{sha256}.jsonl").write_bytes(data)
    recorded = {name: JUDGE[name] for name in ("model", "label", "replicates")}
    recorded |= {"kind": "recorded", "recording_sha256": sha256, "is_stand_in": True}
    again = words_arena(params={"scale": SCALE, "judge": recorded})
    evaluation = waiting(again)
    assert judge(evaluation).state == JudgeRunState.DONE
    assert marks_of(evaluation) == expected(again)
    assert set(JudgeAnswer.objects.values_list("source", flat=True)) == {"stand-in", "recorded"}


def test_a_stored_file_that_is_lost_stops_the_run_before_any_call(standin, settings):
    evaluation = waiting(words_arena())
    (Path(settings.PUBLIC_FILES) / evaluation.submission.storage_key).unlink()
    run = judge(evaluation)
    assert (run.stop_reason, run.calls) == (JudgeStop.CLIPS_MISSING, 0)
    assert run.stop_detail == {"error": "STORAGE_ERROR"}


def test_what_a_judge_was_asked_about_cannot_be_taken_back(standin, behaviour):
    behaviour.faults = FaultPlan({"server-error": 1.0})
    arena = words_arena()
    begun, fresh = waiting(arena), waiting(arena, ANSWERS | {"q1": "三"})
    judge(begun)
    begun.refresh_from_db()
    assert begun.started_at is not None
    with pytest.raises(AlreadyScoring):
        cancelling.cancel(actor=arena.captain, submission=begun.submission, now=NOW)
    cancelled = cancelling.cancel(actor=arena.captain, submission=fresh.submission, now=NOW)
    assert cancelled.state == SubmissionState.CANCELLED


def test_a_track_whose_organizers_send_the_marks_waits_for_nobody():
    settings = {"scale": SCALE, "marks_in_rows": True, "judge": "Some Model", "replicates": 1}
    submission = hand_in(words_arena(params=settings), marks=[4])
    evaluation = Evaluation.objects.get(submission=submission)
    assert first_state(evaluation.recipe) == EvaluationState.QUEUED == evaluation.state
    assert not Evaluation.objects.filter(waits_for_judge()).exists()
    assert judge(evaluation) is None
    assert score(evaluation).score == 100 * (0.5 * 0.75 + 0.5)


def test_rows_with_marks_are_refused_where_the_server_asks():
    submission = hand_in(words_arena(), marks=[5])
    assert submission.state == SubmissionState.REJECTED
    codes = set(submission.problems.values_list("code", flat=True))
    assert codes == {"MARKS_NOT_TAKEN"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"mark": "nan"}, "the mark is none"),
        ({"mark": 10**350}, "yue-00: OverflowError"),
        ({"language": "fr"}, "the language is none"),
        ({"answer": None, "prompt": "\ud800"}, "surrogates not allowed"),
        ({"id": "yue-01"}, "stands 2 times"),
    ],
)
def test_a_set_of_answers_with_a_fault_is_refused(tmp_path, changed, said):
    write_canaries(tmp_path)
    index = json.loads((tmp_path / "canaries.json").read_text("utf-8"))
    index["answers"][0] |= changed
    (tmp_path / "canaries.json").write_text(json.dumps(index))
    with pytest.raises(judging_canaries.CanariesInvalid) as refused:
        judging_canaries.load(folder=tmp_path, now=NOW)
    assert said in str(refused.value.params["faults"])


def test_the_database_refuses_an_answer_of_neither_kind(standin):
    judge(waiting(words_arena(("q1",), replicates=1)))
    answer = JudgeAnswer.objects.get()
    fields = {f.attname: getattr(answer, f.attname) for f in JudgeAnswer._meta.concrete_fields}
    del fields["id"]
    for wrong in (
        {"mark": None}, {"mark": float("nan")}, {"mark": 1001}, {"is_absent": True}, {"mark_a": 4.0}
    ):  # fmt: skip
        bad = fields | {"cache_key": "x"} | wrong
        assert refused(lambda bad=bad: JudgeAnswer.objects.create(**bad))
