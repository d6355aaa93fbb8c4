"""Another judge or other weights: a candidate recipe beside the live one, scored from marks of its own."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grading.enums import EvaluationState, Priority
from grading.models import Board, Evaluation, Standing
from grading.services import (
    doorbell,
    evaluations,
    rescoring,
    rescoring_queue,
    rescoring_switch,
    sweep,
)
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import Arena
from tests.grading.speech.marking import FAIR, GOOD, JUDGE, give
from tests.grading.speech.test_flow import IDS, LATER, accepted, clock, scored, speech

__all__ = ["speech"]

pytestmark = pytest.mark.django_db

OTHER = {"judge": {**JUDGE, "model": "newer", "label": "Judge N"}}


@pytest.fixture
def organizer(speech: Arena):
    return RoleGrantFactory(competition=speech.competition, role="organizer").user


def proposed(arena: Arena, organizer, params=None):
    given = {"reason": "a newer judge", "params": params or OTHER, "now": LATER}
    proposal = rescoring.propose(actor=organizer, phase=arena.phase, **given)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    return proposal


def test_a_new_judge_marks_beside_the_old_one_and_replaces_it_in_one_step(
    speech, organizer, monkeypatch
):
    old = scored(speech, {i: [FAIR] for i in IDS})
    bells: list[tuple[str, int]] = []
    monkeypatch.setattr(doorbell, "ring", lambda name, row: bells.append((name, row)))
    proposal = proposed(speech, organizer)
    beside = Evaluation.objects.get(recipe=proposal.recipe)
    assert (beside.state, beside.priority) == (EvaluationState.WAITING, Priority.AGAIN)
    sweep.sweep(now=LATER + timedelta(seconds=1))
    assert (doorbell.JUDGE, beside.pk) in bells
    assert rescoring.progress(proposal).waiting == 1
    assert rescoring_switch.readiness(proposal).unfinished == (old.submission.code,)

    give(beside, {i: [GOOD] for i in IDS})
    assert evaluations.release(evaluation_id=beside.pk, now=LATER)
    assert bells[-1] == (doorbell.EVALUATE_AGAIN, beside.pk)
    rescoring_queue.answer(evaluation_id=beside.pk, worker="w", clock=clock)
    assert Standing.objects.get(view="", audience="public").evaluation == old
    rescoring_switch.switch(actor=organizer, phase=speech.phase, now=LATER)
    row = Standing.objects.get(view="", audience="public")
    assert (row.evaluation_id, row.score) == (beside.pk, 75.0)
    assert Board.objects.get(phase=speech.phase).data["recipe"]["params"]["judge"]["label"] == (
        "Judge N"
    )
    old.refresh_from_db()
    assert (old.state, old.score) == (EvaluationState.SCORED, 50.0)


def test_a_dropped_candidate_stops_waiting_and_waits_again_when_it_is_proposed_again(
    speech, organizer
):
    scored(speech, {i: [FAIR] for i in IDS})
    proposal = proposed(speech, organizer)
    beside = Evaluation.objects.get(recipe=proposal.recipe)
    rescoring.cancel(actor=organizer, phase=speech.phase, now=LATER)
    beside.refresh_from_db()
    assert beside.state == EvaluationState.CANCELLED
    assert not evaluations.release(evaluation_id=beside.pk, now=LATER)
    proposed(speech, organizer)
    beside.refresh_from_db()
    assert (beside.state, beside.finished_at) == (EvaluationState.WAITING, None)


def test_what_waits_under_the_old_recipe_is_let_go_after_the_switch(speech, organizer):
    live = accepted(speech)
    proposal = proposed(speech, organizer)
    beside = Evaluation.objects.exclude(pk=live.pk).get()
    give(beside, {i: [GOOD] for i in IDS})
    evaluations.release(evaluation_id=beside.pk, now=LATER)
    evaluations.run(evaluation_id=beside.pk, worker="w", clock=clock)
    rescoring_switch.switch(
        actor=organizer, phase=speech.phase, now=LATER, digest=proposal.recipe.digest
    )
    sweep.sweep(now=LATER)
    live.refresh_from_db()
    assert live.state == EvaluationState.CANCELLED
    assert Standing.objects.get(view="", audience="public").score == 75.0


def test_other_weights_need_no_other_marks(speech, organizer):
    marks = {i: [(5, 1, 1, 1, 1)] for i in IDS}
    first = scored(speech, marks)
    weights = {"A": 1, "P": 0, "N": 0, "Q": 0, "E": 0}
    proposal = proposed(speech, organizer, {"judge": JUDGE, "weights": weights})
    beside = Evaluation.objects.get(recipe=proposal.recipe)
    give(beside, marks)
    evaluations.release(evaluation_id=beside.pk, now=LATER)
    found = evaluations.run(evaluation_id=beside.pk, worker="w", clock=clock)
    assert (first.score, found.score) == (30.0, 100.0)
