"""A new version of the scorer is installed: what is uploaded waits for the switch and never fails."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from grading import queries, sandbox
from grading.enums import EvaluationState, RecipeRole, SubmissionState
from grading.models import Evaluation, Notice, PhaseRecipe, QuotaEntry, Recipe, Submission
from grading.services import (
    child,
    doorbell,
    evaluations,
    health,
    recipes,
    rescoring_queue,
    status,
    sweep,
    validation,
)
from tests.api.conftest import client_of
from tests.factories.grading import NOW, submit
from tests.factories.rescoring import LATER, propose, rebuild, result_of, switch

pytestmark = pytest.mark.django_db
WAITS = "a new version of the scorer is being put in use"
SOON = LATER + timedelta(minutes=1)


def clock():
    return NOW


@pytest.fixture
def old(arena, bells) -> Recipe:
    """The live recipe of a phase that was scored by the version before the one that runs here."""
    live = recipes.live_recipe(arena.phase)
    recipe = Recipe.objects.create(
        digest="0" * 64,
        track=live.track,
        scorer=live.scorer,
        version="0.9.0",
        params=live.params,
        references=live.references,
        created_at=NOW,
    )
    PhaseRecipe.objects.filter(phase=arena.phase, role=RecipeRole.LIVE).update(recipe=recipe)
    _score_by(recipe, submit(arena, arena.flawed(4)))
    rebuild(arena)
    return recipe


def _score_by(recipe: Recipe, submission: Submission) -> None:
    """Do what a worker of that version did before the new one was installed."""
    accepted = {"state": SubmissionState.ACCEPTED, "validated_at": NOW}
    Submission.objects.filter(pk=submission.pk).update(**accepted)
    running = Evaluation.objects.create(
        submission=submission,
        recipe=recipe,
        state=EvaluationState.RUNNING,
        attempt=1,
        queued_at=NOW,
        started_at=NOW,
        lease_until=LATER,
    )
    evaluations.finish(evaluation=running, result=result_of(60.0), now=NOW)


@pytest.fixture
def fresh(arena, old):
    """An upload of another team that came after the new version was installed."""
    _, captain = arena.enter("Latecomers")
    arena.captain = captain
    submission = submit(arena, arena.flawed(1), actor=captain)
    validation.validate(submission_id=submission.pk, clock=clock)
    submission.refresh_from_db()
    return submission


def live_of(submission) -> Evaluation:
    return queries.live_evaluation(submission)


def test_it_is_accepted_and_waits_without_being_tried(fresh, old):
    assert fresh.state == SubmissionState.ACCEPTED
    waiting = live_of(fresh)
    assert waiting.recipe == old
    assert evaluations.run(evaluation_id=waiting.pk, worker="w", clock=clock) is None
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt) == (EvaluationState.QUEUED, 0)
    assert queries.place_in_queue(fresh) is None


def test_nobody_is_rung_for_what_cannot_be_scored_here_and_no_queue_is_late(fresh, bells):
    bells.clear()
    long_after = NOW + timedelta(hours=5)
    sweep.sweep(now=long_after)
    assert (doorbell.EVALUATE, live_of(fresh).pk) not in bells
    found = status.status(now=long_after)
    assert (found.waiting, found.is_late) == (0, False)


def test_page_and_api_say_why_it_waits(fresh, client, arena):
    client.force_login(arena.captain)
    page = client.get(reverse("grading:submission-detail", kwargs={"code": fresh.code}))
    assert WAITS in page.text
    assert "next in the queue" not in page.text
    body = client_of(arena.captain).get(f"/api/v1/submissions/{fresh.code}/").json()
    assert (body["stage"], body["queue_position"]) == ("queued", None)
    assert WAITS in body["reason"]


def test_doctor_says_what_to_do_until_the_switch(fresh, arena):
    (found,) = health.examine(now=NOW, parts=("scorer",))
    assert "0.9.0; 1 evaluations wait" in found.said
    assert "rescore propose" in found.remedy
    _switch_to_the_new_scorer(arena)
    (found,) = health.examine(now=SOON, parts=("scorer",))
    assert found.ok


@pytest.mark.slow
def test_the_switch_scores_it_and_tells_its_team_once(fresh, arena):
    proposal = _switch_to_the_new_scorer(arena)
    result = live_of(fresh)
    assert (result.recipe, result.state) == (proposal.recipe, EvaluationState.SCORED)
    assert result.corrected_at is None, "it had no score that could be corrected"
    rows = queries.board_rows(arena.phase, None, "", SOON)
    assert fresh.code in {row["submission"] for row in rows}
    told = Notice.objects.filter(kind="scored", subject=f"submission:{fresh.code}")
    assert told.count() == 1
    rescoring_queue.settle(now=SOON)
    states = dict(fresh.evaluations.values_list("recipe__version", "state"))
    assert states["0.9.0"] == EvaluationState.CANCELLED
    assert QuotaEntry.objects.get(submission=fresh).state == "charged"


@pytest.mark.slow
def test_what_waits_holds_up_neither_the_candidate_nor_other_fresh_work(fresh, arena, bells):
    proposal = propose(arena, params=None)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    candidate = fresh.evaluations.get(recipe=proposal.recipe)
    said = rescoring_queue.answer(evaluation_id=candidate.pk, worker="w", clock=lambda: LATER)
    assert said == "scored"
    another = submit(arena, arena.perfect())
    assert (
        rescoring_queue.answer(evaluation_id=candidate.pk, worker="w", clock=lambda: LATER)
        == "fresh work first"
    )
    another.refresh_from_db()
    assert another.state == SubmissionState.ACCEPTED


def test_a_file_replaced_under_a_running_worker_puts_the_work_back(arena, bells, monkeypatch):
    submission = submit(arena, arena.perfect())
    validation.validate(submission_id=submission.pk, clock=clock)
    waiting = live_of(submission)
    version = {"version": "0.9.0"}
    job = evaluations.job_of
    monkeypatch.setattr(evaluations, "job_of", lambda one: job(one) | version)
    again = evaluations.run(evaluation_id=waiting.pk, worker="w", clock=clock)
    assert (again.state, again.attempt) == (EvaluationState.QUEUED, 0)
    assert not rescoring_queue._do_fresh("w", clock), "it is not tried in a circle"
    monkeypatch.setattr(evaluations, "job_of", job)
    assert rescoring_queue._do_fresh("w", lambda: LATER)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.SCORED


def test_the_child_tells_a_missing_version_from_a_recipe_that_differs():
    with pytest.raises(child.ScorerAbsent):
        child._answer({"error": sandbox.ABSENT})
    with pytest.raises(child.ChildFailed) as failed:
        child._answer({"error": sandbox.OUTDATED})
    assert not isinstance(failed.value, child.ScorerAbsent)


def _switch_to_the_new_scorer(arena):
    proposal = propose(arena, params=None, reason="A new version of the scorer.")
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    for row in Evaluation.objects.filter(recipe=proposal.recipe, state="queued"):
        evaluations.run(evaluation_id=row.pk, worker="w", clock=lambda: LATER)
    switch(arena, now=SOON)
    return proposal
