"""Budgets stop a run before they are exceeded; canaries stop it when a mark changes."""

from __future__ import annotations

import dataclasses
import json

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from competition.enums import Role
from competition.models import RoleGrant
from grading.demo.canaries import write_canaries
from grading.enums import AttemptKind, AttemptState, JudgeRunState, JudgeStop
from grading.judges import standin as standins
from grading.models import JudgeAttempt, JudgeCanary
from grading.services import judging, judging_acts, judging_canaries
from grading.services.judging_acts import BudgetTooSmall, RaisedBudget, RunNotStopped
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW
from tests.factories.judging import IDS, judged_arena, waiting
from tests.grading.judging.test_run import expected, judge, marks_of

pytestmark = pytest.mark.django_db
PRICE = {"currency": "EUR", "as_of": "2026-11-01", "audio_minute": "0.06"}
CANARIES = {"set": "nvv-demo-1", "every": 200}


def organizer(arena):
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=Role.ORGANIZER, granted_at=NOW
    )
    return user


@pytest.fixture
def canaries(tmp_path):
    write_canaries(tmp_path)
    return judging_canaries.load(folder=tmp_path, now=NOW)


@pytest.mark.parametrize(
    ("budget", "reason", "more"),
    [
        ({"calls": 3}, JudgeStop.BUDGET_CALLS, {"most_calls": 50}),
        ({"audio_minutes": "0.15"}, JudgeStop.BUDGET_AUDIO, {"most_audio_ms": 600_000}),
        ({"cost": "0.01"}, JudgeStop.BUDGET_COST, {"most_cost_micro": 1_000_000}),
    ],
)
def test_a_budget_stops_the_run_and_a_raised_one_lets_it_go_on(standin, budget, reason, more):
    arena = judged_arena(budget=budget, price=PRICE)
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, reason)
    assert 0 < run.done < run.needed
    assert run.calls <= (run.most_calls or 99)
    assert run.audio_ms <= (run.most_audio_ms or 10**9)
    assert run.cost_micro <= (run.most_cost_micro or 10**9)
    assert judge(evaluation) is None
    actor = organizer(arena)
    judging_acts.resume(
        actor=actor, run=run, reason="More money", budget=RaisedBudget(**more), now=NOW
    )
    done = judge(evaluation)
    assert (done.state, done.calls) == (JudgeRunState.DONE, 8)
    assert marks_of(evaluation) == expected(evaluation)
    event = AuditEvent.objects.get(kind="judging.resumed")
    assert event.actor == actor.code
    assert json.loads(event.payload)["reason"] == "More money"


def test_a_bound_may_only_grow_and_only_a_stopped_run_goes_on(standin):
    arena = judged_arena(budget={"calls": 3})
    evaluation = waiting(arena)
    run, actor = judge(evaluation), organizer(arena)
    with pytest.raises(BudgetTooSmall):
        judging_acts.resume(
            actor=actor, run=run, reason="x", now=NOW, budget=RaisedBudget(most_calls=3)
        )
    judging_acts.resume(
        actor=actor, run=run, reason="x", now=NOW, budget=RaisedBudget(most_calls=9)
    )
    with pytest.raises(RunNotStopped):
        judging_acts.resume(actor=actor, run=run, reason="x", now=NOW)


def test_costs_are_counted_at_the_price_and_failed_calls_cost_too(standin, behaviour):
    price = PRICE | {"output_per_million": 10, "audio_per_million": 40, "input_per_million": 2}
    evaluation = waiting(judged_arena(IDS[:2], replicates=1, price=price))
    run = judge(evaluation)
    by_hand = 0
    for attempt in run.attempts.all():
        audio = round((attempt.audio_ms * 32 + 44) / 32_000 * 10)
        text = attempt.input_tokens - audio
        micro = text * 2 + audio * 40 + attempt.output_tokens * 10 + attempt.audio_ms
        assert abs(attempt.cost_micro - micro) <= 1
        by_hand += attempt.cost_micro
    assert run.cost_micro == by_hand > 0


@pytest.mark.slow
def test_canaries_are_asked_before_the_run_and_after_every_so_many_calls(standin, canaries):
    evaluation = waiting(judged_arena(canaries=CANARIES | {"every": 6}))
    run = judge(evaluation)
    assert run.state == JudgeRunState.DONE
    kinds = list(JudgeAttempt.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds[:24] == [AttemptKind.CANARY] * 24
    assert kinds[24:30] == [AttemptKind.CLIP] * 6
    assert kinds[30:54] == [AttemptKind.CANARY] * 24
    assert kinds[54:] == [AttemptKind.CLIP] * 2
    assert JudgeCanary.objects.filter(speaks_instructions=True).count() == 2
    assert marks_of(evaluation) == expected(evaluation)


def test_a_changed_canary_stops_the_run_before_any_clip_is_asked(standin, canaries, monkeypatch):
    honest = standins.listen

    def flattered(audio, text):
        heard = honest(audio, text)
        is_ordered = "One more floor" in text
        return dataclasses.replace(heard, marks=dict.fromkeys("APNQE", 5)) if is_ordered else heard

    monkeypatch.setattr(standins, "listen", flattered)
    arena = judged_arena(canaries=CANARIES)
    evaluation = waiting(arena)
    run = judge(evaluation)
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.CANARY_CHANGED)
    assert run.stop_detail == {"canary": "en-11", "marks": ["A", "P", "N", "E"]}
    assert not run.attempts.filter(kind=AttemptKind.CLIP).exists()
    monkeypatch.setattr(standins, "listen", honest)
    judging_acts.resume(actor=organizer(arena), run=run, reason="Model is back", now=NOW)
    again = judge(evaluation)
    assert again.state == JudgeRunState.DONE
    fresh = again.attempts.filter(kind=AttemptKind.CANARY, round=1, state=AttemptState.ANSWERED)
    assert fresh.count() == 24


def test_a_canary_that_gives_no_marks_stops_the_run(standin, canaries, monkeypatch):
    honest = standins.answer

    def silent(asked, **kwargs):
        said = honest(asked, **kwargs)
        return said | {"marks": {}} if "One more floor" in asked.text else said

    monkeypatch.setattr(standins, "answer", silent)
    run = judge(waiting(judged_arena(canaries=CANARIES)))
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.CANARY_UNANSWERED)
    assert not run.attempts.filter(kind=AttemptKind.CLIP).exists()


def test_a_definition_that_names_unknown_canaries_begins_no_call(standin):
    run = judge(waiting(judged_arena(canaries=CANARIES)))
    assert (run.stop_reason, run.calls) == (JudgeStop.CANARIES_MISSING, 0)


def test_a_set_is_loaded_once_and_never_changed(canaries, tmp_path):
    assert judging_canaries.load(folder=tmp_path, now=NOW) == canaries
    index = json.loads((tmp_path / "canaries.json").read_text("utf-8"))
    index["clips"][0]["marks"]["A"] = 4
    (tmp_path / "canaries.json").write_text(json.dumps(index))
    with pytest.raises(judging_canaries.CanariesNamed):
        judging_canaries.load(folder=tmp_path, now=NOW)


def test_every_fault_of_a_set_is_named(tmp_path):
    write_canaries(tmp_path)
    index = json.loads((tmp_path / "canaries.json").read_text("utf-8"))
    first, second, third, fourth = index["clips"][:4]
    first["marks"]["N"] = 7
    index["clips"][5]["marks"]["N"] = 10**350
    second["file"] = "../../etc/passwd"
    third["language"] = "fr"
    fourth["id"] = "en-05"
    (tmp_path / "canaries.json").write_text(json.dumps(index))
    with pytest.raises(judging_canaries.CanariesInvalid) as refused:
        judging_canaries.load(folder=tmp_path, now=NOW)
    faults = "; ".join(refused.value.params["faults"])
    for part in (
        "en-01: MarksInvalid",
        "en-02: FileNotFound",
        "fr: is no",
        "OverflowError",
        "en-05: stands 2 times",
    ):
        assert part in faults
    assert "en: 8 items, not 12" in faults


def test_a_run_may_be_left_between_canaries_and_asks_none_of_them_twice(standin, canaries):
    evaluation = waiting(judged_arena(canaries=CANARIES))
    turns = iter([False] * 4 + [True] * 1000)
    run = judging.run(
        evaluation_id=evaluation.pk, worker="w", clock=timezone.now, leaving=lambda: next(turns)
    )
    assert run.state == JudgeRunState.QUEUED
    assert 0 < run.attempts.count() < 24
    judge(evaluation)
    asked = run.attempts.filter(kind=AttemptKind.CANARY).values_list("key", flat=True)
    assert len(asked) == len(set(asked)) == 24
