"""A correction: proposed, queued beside fresh work, or dropped; the board stays as it is."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from competition.models import ReferenceUtterance, ReferenceVersion
from competition.services.errors import NotOrganizer, ReasonMissing
from grading.enums import (
    EvaluationState,
    Priority,
    RecipeRole,
    RescoringState,
    SubmissionState,
)
from grading.models import Evaluation, PhaseRecipe, Rescoring
from grading.services import (
    doorbell,
    errors,
    evaluations,
    recipes,
    rescoring,
    rescoring_queue,
    sweep,
    validation,
)
from tests.factories.accounts import UserFactory
from tests.factories.grading import CANARY, NOW, PARAMS, scored, submit
from tests.factories.rescoring import (
    LATER,
    claim_and_finish,
    lines,
    organizer,
    propose,
    references_bytes,
    switch,
)

pytestmark = pytest.mark.django_db


def test_a_proposal_makes_a_candidate_and_queues_what_stands(
    arena, board, bells, django_capture_on_commit_callbacks
):
    actor = organizer(arena)
    with django_capture_on_commit_callbacks(execute=True):
        proposal = propose(arena, actor)
    assert bells == [(doorbell.FILL_RESCORING, proposal.pk)]
    live = recipes.live_recipe(arena.phase)
    assert (proposal.replaced, proposal.state) == (live, RescoringState.OPEN)
    assert recipes.candidate_recipe(arena.phase) == proposal.recipe
    assert proposal.recipe.references == live.references
    assert proposal.recipe.params["weights"]["f1"] == "0.5"
    assert rescoring.progress(proposal).as_json() == {
        "total": 3,
        "done": 0,
        "failed": 0,
        "running": 0,
        "waiting": 3,
    }
    event = AuditEvent.objects.get(kind="rescoring.proposed")
    assert (event.actor, event.target) == (actor.code, f"phase:{arena.phase.code}")
    assert rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER) == 3
    assert rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER) == 0
    queued = Evaluation.objects.filter(recipe=proposal.recipe)
    assert set(queued.values_list("state", "priority")) == {("queued", Priority.AGAIN)}
    assert queued.count() == 3


def test_only_submissions_that_stand_are_scored_again(arena, board):
    gone = scored(arena, arena.entrant, arena.captain, 10.0).submission
    type(gone).objects.filter(pk=gone.pk).update(
        state=SubmissionState.FAILED, failure_code="SCORER_CRASHED"
    )
    proposal = propose(arena)
    assert rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER) == 3
    assert not Evaluation.objects.filter(submission=gone, recipe=proposal.recipe).exists()


def test_new_references_may_drop_utterances(arena, board):
    fewer = dict(list(arena.rows.items())[1:])
    proposal = propose(arena, params=None, references=references_bytes(fewer))
    version = proposal.recipe.references
    assert (version.name, version.version) == ("final", 2)
    assert version.utterances.count() == len(arena.rows) - 1
    arena.phase.refresh_from_db()
    assert arena.phase.references.version == 1, (
        "files are still read against what they were made for"
    )


def test_new_references_never_add_utterances_and_say_how_many(arena, board):
    more = arena.rows | {"en_9998": ("en", "more [sigh]"), "en_9999": ("en", "and more")}
    with pytest.raises(errors.ReferencesAdd) as refused:
        propose(arena, params=None, references=references_bytes(more))
    assert refused.value.params == {"added": 2}
    assert "2 utterances" in refused.value.message
    assert (ReferenceVersion.objects.count(), Rescoring.objects.count()) == (1, 0)
    assert ReferenceUtterance.objects.count() == len(arena.rows)


def test_faulty_references_are_told_by_code_and_never_by_what_they_say(arena, board):
    broken = references_bytes(arena.rows).replace(b"[sigh]", b"[zounds]")
    with pytest.raises(errors.ReferencesUnusable) as refused:
        propose(arena, params=None, references=broken)
    said = refused.value.message + " ".join(refused.value.params["faults"])
    assert "UNSUPPORTED_NVV_TAG" in said
    assert CANARY not in said
    assert "missed the last train" not in said
    assert Rescoring.objects.count() == 0


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"params": PARAMS}, errors.NothingChanges),
        ({"params": None}, errors.NothingChanges),
        ({"params": {"labels": []}}, errors.ParametersInvalid),
        ({"params": {**PARAMS, "labels": ["laugh"]}}, errors.ReferencesUnusable),
        ({"reason": " "}, ReasonMissing),
    ],
)
def test_what_cannot_be_proposed_changes_nothing(arena, board, changes, refusal):
    events = AuditEvent.objects.count()
    with pytest.raises(refusal):
        propose(arena, **changes)
    assert (Rescoring.objects.count(), AuditEvent.objects.count()) == (0, events)
    assert PhaseRecipe.objects.get().role == RecipeRole.LIVE


def test_before_the_first_score_the_definition_is_changed_instead(arena):
    with pytest.raises(errors.NothingScored):
        propose(arena)


@pytest.mark.parametrize("who", ["captain", "outsider"])
def test_only_organizers_propose_switch_and_drop(arena, board, who):
    actor = arena.captain if who == "captain" else UserFactory()
    with pytest.raises(NotOrganizer):
        propose(arena, actor)
    propose(arena)
    with pytest.raises(NotOrganizer):
        switch(arena, actor=actor)
    with pytest.raises(NotOrganizer):
        rescoring.cancel(actor=actor, phase=arena.phase, now=LATER)
    assert recipes.candidate_recipe(arena.phase) is not None


def test_a_phase_has_one_candidate_at_most(arena, board):
    propose(arena)
    with pytest.raises(errors.CandidateExists):
        propose(arena, params={**PARAMS, "collars": {"en": 1, "zh": 1}})
    assert Rescoring.objects.count() == 1


def test_the_database_keeps_one_open_correction_and_whole_rows(arena, board):
    proposal = propose(arena)
    for fields in ({"state": "switched"}, {"ended_at": LATER}, {"state": "odd"}, {"reason": ""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Rescoring.objects.filter(pk=proposal.pk).update(**fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        Rescoring.objects.create(
            phase=arena.phase,
            recipe=proposal.recipe,
            replaced=proposal.replaced,
            reason="twice",
            proposed_at=LATER,
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        proposal.delete()


def test_dropping_a_candidate_leaves_everything_as_it_was_and_it_may_be_proposed_again(
    arena, board
):
    before = lines(arena)
    proposal = propose(arena)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    kept = claim_and_finish(Evaluation.objects.filter(recipe=proposal.recipe).first().pk, 90.0)
    dropped = rescoring.cancel(actor=None, phase=arena.phase, now=LATER)
    assert (dropped.state, recipes.candidate_recipe(arena.phase)) == ("cancelled", None)
    states = Evaluation.objects.filter(recipe=proposal.recipe).values_list("state", flat=True)
    assert sorted(states) == ["cancelled", "cancelled", "scored"]
    with pytest.raises(errors.NoCandidate):
        rescoring.cancel(actor=None, phase=arena.phase, now=LATER)
    again = propose(arena)
    assert again.recipe == proposal.recipe
    assert rescoring_queue.fill(rescoring_id=again.pk, now=LATER) == 2
    kept.refresh_from_db()
    assert (kept.state, kept.score) == (EvaluationState.SCORED, 90.0)
    assert lines(arena) == before


@pytest.mark.slow
def test_uploads_are_queued_for_both_recipes_and_fresh_work_goes_first(
    arena, bells, django_capture_on_commit_callbacks
):
    earlier = submit(arena, arena.perfect())
    validation.validate(submission_id=earlier.pk, clock=lambda: NOW)
    evaluations.run(evaluation_id=evaluations.live_of(earlier).pk, worker="w", clock=lambda: NOW)
    proposal = propose(arena)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    submission = submit(arena, arena.flawed(1))
    bells.clear()
    waiting = Evaluation.objects.filter(recipe=proposal.recipe).first()

    def answer() -> str:
        with django_capture_on_commit_callbacks(execute=True):
            return rescoring_queue.answer(evaluation_id=waiting.pk, worker="w", clock=lambda: LATER)

    assert answer() == "fresh work first"
    submission.refresh_from_db()
    both = Evaluation.objects.filter(submission=submission)
    assert submission.state == SubmissionState.ACCEPTED
    assert set(both.values_list("recipe", "priority")) == {
        (proposal.replaced_id, Priority.FRESH),
        (proposal.recipe_id, Priority.AGAIN),
    }
    assert answer() == "fresh work first"
    live = Evaluation.objects.get(submission=submission, recipe=proposal.replaced)
    assert live.state == EvaluationState.SCORED
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.QUEUED
    assert bells.count((doorbell.EVALUATE_AGAIN, waiting.pk)) == 2


@pytest.mark.slow
def test_an_upload_whose_references_lost_utterances_is_still_read_whole(arena, bells):
    submission = submit(arena, arena.flawed(1))
    clock = lambda: NOW  # noqa: E731
    validation.validate(submission_id=submission.pk, clock=clock)
    live = evaluations.live_of(submission)
    evaluations.run(evaluation_id=live.pk, worker="w", clock=clock)
    spoilt = {"en_0000", "zh_0000"}
    fewer = {utt_id: row for utt_id, row in arena.rows.items() if utt_id not in spoilt}
    proposal = propose(arena, params=None, references=references_bytes(fewer))
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    candidate = Evaluation.objects.get(submission=submission, recipe=proposal.recipe)
    found = evaluations.run(evaluation_id=candidate.pk, worker="w", clock=clock)
    assert (found.state, found.score) == (EvaluationState.SCORED, 100.0)
    assert Evaluation.objects.get(pk=live.pk).score < 100.0
    switch(arena)
    after = submit(arena, arena.perfect())
    validation.validate(submission_id=after.pk, clock=clock)
    after.refresh_from_db()
    assert after.state == SubmissionState.ACCEPTED, "files still hold every id of the manifest"


def test_the_sweep_queues_what_a_proposal_missed_and_rings_a_few_bells_at_a_time(
    arena, board, bells, django_capture_on_commit_callbacks, monkeypatch
):
    monkeypatch.setattr(rescoring_queue, "BELLS", 2)
    proposal = propose(arena)
    with django_capture_on_commit_callbacks(execute=True):
        sweep.sweep(now=LATER)
    again = [row for name, row in bells if name == doorbell.EVALUATE_AGAIN]
    assert len(again) == 2
    assert Evaluation.objects.filter(recipe=proposal.recipe).count() == 3
    with django_capture_on_commit_callbacks(execute=True):
        sweep.sweep(now=LATER + timedelta(seconds=1))
    assert len([row for name, row in bells if name == doorbell.EVALUATE_AGAIN]) == 2


def test_the_sweep_stops_what_no_recipe_of_the_phase_wants(arena, board):
    proposal = propose(arena)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    PhaseRecipe.objects.filter(recipe=proposal.recipe).update(role=RecipeRole.RETIRED)
    rescoring_queue.settle(now=LATER)
    states = Evaluation.objects.filter(recipe=proposal.recipe).values_list("state", flat=True)
    assert set(states) == {EvaluationState.CANCELLED}


def test_a_definition_gives_the_parameters_of_the_phases_track(arena):
    with pytest.raises(errors.ParametersInvalid):
        rescoring.params_of_definition(text="format: nonsense", phase=arena.phase)
