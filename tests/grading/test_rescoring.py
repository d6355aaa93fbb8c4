"""A correction: proposed, filled, shown, switched to or dropped; the board is the old one until then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from accounts.services import audit
from competition.models import ReferenceUtterance, ReferenceVersion
from competition.services.errors import NotOrganizer, ReasonMissing
from grading import queries
from grading.enums import (
    EvaluationState,
    Priority,
    QuotaState,
    RecipeRole,
    RescoringState,
    SubmissionState,
)
from grading.models import Board, Evaluation, Notice, PhaseRecipe, Rescoring, Standing
from grading.services import (
    boards,
    doorbell,
    errors,
    evaluations,
    recipes,
    rescoring,
    rescoring_moves,
    rescoring_queue,
    rescoring_switch,
    standings,
    sweep,
    validation,
)
from tests.factories.accounts import UserFactory
from tests.factories.grading import CANARY, NOW, PARAMS, quota_entry, scored, submit
from tests.factories.rescoring import (
    LATER,
    claim_and_finish,
    fail,
    give_score,
    organizer,
    propose,
    references_bytes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def bells(monkeypatch) -> list[tuple[str, int]]:
    """What was rung for, instead of a broker."""
    heard: list[tuple[str, int]] = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row: heard.append((name, row)))
    return heard


@pytest.fixture
def board(arena, bells, django_capture_on_commit_callbacks):
    """Three teams on the board: 60, 50 and 40 points."""
    rows = []
    for place, score in enumerate((60.0, 50.0, 40.0), 1):
        entrant, captain = arena.enter(f"Team {place}")
        row = scored(arena, entrant, captain, score)
        quota_entry(row.submission, QuotaState.CHARGED)
        rows.append(row)
    _rebuild(arena)
    return rows


def _rebuild(arena) -> Board:
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    return standings.rebuild(board_id=arena.phase.board.pk, now=NOW)


def _switch(arena, **changes) -> Rescoring:
    given = {"actor": None, "phase": arena.phase, "now": LATER}
    return rescoring_switch.switch(**given | changes)


def _rows(arena) -> list[tuple]:
    rows = queries.board_rows(arena.phase, None, "", LATER)
    return [(row["submission"], row["place"], row["score"], row["corrected_on"]) for row in rows]


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
        _switch(arena, actor=actor)
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


def test_finishing_a_candidate_never_touches_the_board(arena, board):
    found = Board.objects.get()
    before = (found.wanted, found.data, _rows(arena))
    proposal = propose(arena)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    for row in Evaluation.objects.filter(recipe=proposal.recipe):
        claim_and_finish(row.pk, 90.0)
    found = Board.objects.get()
    assert (found.wanted, found.data, _rows(arena)) == before
    assert queries.live_evaluation(board[0].submission) == board[0]


def test_the_preview_shows_the_biggest_moves_first_and_failures_by_name(arena, board):
    first, second, third = board
    proposal = propose(arena)
    give_score(proposal, first, 45.0)
    give_score(proposal, second, 50.5)
    give_score(proposal, third, 70.0)
    found = rescoring_moves.preview(proposal=proposal, now=LATER)
    names = [(move.entrant.team.name, move.places, move.points) for move in found.moves]
    assert names == [("Team 3", 2, 30.0), ("Team 1", -2, -15.0), ("Team 2", 0, 0.5)]
    assert (found.moves[0].old.place, found.moves[0].new.place) == (3, 1)
    assert (found.moving, found.unfinished, found.failed) == (3, (), ())
    Evaluation.objects.filter(recipe=proposal.recipe).update(
        state="failed", score=None, low=None, high=None, failure_code="SCORER_TIMEOUT"
    )
    found = rescoring_moves.preview(proposal=proposal, now=LATER)
    assert {one.submission.entrant.team.name for one in found.failed} == {
        "Team 1",
        "Team 2",
        "Team 3",
    }
    assert all(move.new is None for move in found.moves)


def test_the_switch_puts_the_candidate_and_its_board_in_one_step(arena, board):
    first, second, third = board
    actor = organizer(arena)
    proposal = propose(arena, actor)
    for row, score in ((first, 45.0), (second, 50.5), (third, 70.0)):
        give_score(proposal, row, score)
    number = Board.objects.get().wanted
    switched = _switch(arena, actor=actor, digest=proposal.recipe.digest)
    assert (switched.state, switched.ended_by, switched.ended_at) == ("switched", actor, LATER)
    roles = dict(PhaseRecipe.objects.values_list("recipe", "role"))
    assert roles == {proposal.replaced_id: "retired", proposal.recipe_id: "live"}
    today = LATER.date().isoformat()
    assert _rows(arena) == [
        (third.submission.code, 1, 70.0, today),
        (second.submission.code, 2, 50.5, today),
        (first.submission.code, 3, 45.0, today),
    ]
    found = Board.objects.get()
    assert found.built == found.wanted == number + 1 == found.data["number"]
    assert found.data["recipe"]["digest"] == proposal.recipe.digest
    correction = {
        "date": today,
        "what": "The weights were wrong.",
        "from": proposal.replaced.digest,
        "to": proposal.recipe.digest,
        "without_score": [],
    }
    assert found.data["corrections"] == [correction]
    assert queries.board_object(arena.phase, actor, LATER)["corrections"] == [correction]
    event = AuditEvent.objects.get(kind="rescoring.switched")
    assert (event.actor, audit.verify().ok) == (actor.code, True)


def test_the_switch_writes_what_a_rebuild_writes(arena, board):
    proposal = propose(arena)
    for row, score in zip(board, (45.0, 50.5, 70.0), strict=True):
        give_score(proposal, row, score)
    _switch(arena)
    fields = [field.name for field in Standing._meta.fields if field.name != "id"]
    written = list(Standing.objects.order_by("audience", "view", "position").values(*fields))
    data = Board.objects.get().data
    boards.want_rebuild(phase_id=arena.phase.pk, now=LATER)
    standings.rebuild(board_id=arena.phase.board.pk, now=LATER)
    again = list(Standing.objects.order_by("audience", "view", "position").values(*fields))
    assert again == written
    assert Board.objects.get().data == {**data, "number": data["number"] + 1}


def test_everybody_who_takes_part_is_told_once(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    _switch(arena)
    told = Notice.objects.filter(kind="rescored")
    assert told.count() == 4
    assert {one.subject for one in told} == {f"rescoring:{proposal.code}"}
    assert told[0].context["reason"] == "The weights were wrong."


def test_the_switch_waits_for_what_counts_and_for_what_stood_at_the_proposal(arena, board):
    proposal = propose(arena)
    give_score(proposal, board[0], 50.0)
    give_score(proposal, board[1], 50.0)
    before = _rows(arena)
    with pytest.raises(errors.RescoringUnfinished) as refused:
        _switch(arena)
    assert refused.value.params == {"count": 1, "submissions": [board[2].submission.code]}
    assert (_rows(arena), recipes.live_recipe(arena.phase)) == (before, proposal.replaced)


def test_what_came_later_and_does_not_count_may_follow(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    worse = scored(
        arena, board[0].submission.entrant, arena.captain, 1.0, at=LATER + timedelta(minutes=1)
    )
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    _switch(arena, now=LATER + timedelta(minutes=2))
    late = Evaluation.objects.get(submission=worse.submission, recipe=proposal.recipe)
    assert (late.state, late.priority) == (EvaluationState.QUEUED, Priority.FRESH)
    number = Board.objects.get().wanted
    claim_and_finish(late.pk, 99.0)
    assert Board.objects.get().wanted == number + 1


def test_a_better_one_that_came_later_holds_the_switch_until_it_is_scored(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    better = scored(
        arena, board[0].submission.entrant, arena.captain, 99.0, at=LATER + timedelta(minutes=1)
    )
    with pytest.raises(errors.RescoringUnfinished):
        _switch(arena)
    give_score(proposal, better, 80.0)
    _switch(arena)
    assert _rows(arena)[0][0] == better.submission.code


def test_failures_are_accepted_by_name_and_cost_no_quota(arena, board):
    proposal = propose(arena)
    fail(proposal, board[0])
    give_score(proposal, board[1], 50.0)
    give_score(proposal, board[2], 60.0)
    code = board[0].submission.code
    for names in ([], [board[1].submission.code]):
        with pytest.raises(errors.FailuresNotAccepted) as refused:
            _switch(arena, accepted_failures=names)
        assert refused.value.params == {"count": 1, "submissions": [code]}
    switched = _switch(arena, accepted_failures=[code])
    assert switched.accepted_failures == [code]
    board[0].submission.refresh_from_db()
    assert (board[0].submission.state, board[0].submission.failure_code) == (
        SubmissionState.FAILED,
        "SCORER_CRASHED",
    )
    assert board[0].submission.quota.state == QuotaState.RELEASED
    assert [row[0] for row in _rows(arena)] == [
        board[2].submission.code,
        board[1].submission.code,
    ]
    assert Board.objects.get().data["corrections"][0]["without_score"] == [code]


def test_a_switch_names_the_recipe_that_was_looked_at(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    with pytest.raises(errors.NoCandidate):
        _switch(arena, digest="f" * 64)
    _switch(arena, digest=proposal.recipe.digest)
    with pytest.raises(errors.NoCandidate):
        _switch(arena, digest=proposal.recipe.digest)


def test_dropping_a_candidate_leaves_everything_as_it_was_and_it_may_be_proposed_again(
    arena, board
):
    before = _rows(arena)
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
    assert _rows(arena) == before


def test_a_correction_may_be_taken_back_by_another(arena, board):
    proposal = propose(arena)
    for row, score in zip(board, (45.0, 50.5, 70.0), strict=True):
        give_score(proposal, row, score)
    _switch(arena)
    back = propose(arena, params=PARAMS, reason="The first weights were right after all.")
    assert back.recipe == proposal.replaced
    assert rescoring_queue.fill(rescoring_id=back.pk, now=LATER) == 0
    _switch(arena, now=LATER + timedelta(days=1))
    assert [row[:3] for row in _rows(arena)] == [
        (row.submission.code, place, row.score) for place, row in enumerate(board, 1)
    ]
    data = Board.objects.get().data
    assert [one["to"] for one in data["corrections"]] == [
        back.recipe.digest,
        proposal.recipe.digest,
    ]
    assert {row[3] for row in _rows(arena)} == {(LATER + timedelta(days=1)).date().isoformat()}


def test_a_frozen_board_stays_frozen_and_is_corrected(arena, board):
    frozen_from = NOW + timedelta(minutes=30)
    type(arena.phase).objects.filter(pk=arena.phase.pk).update(frozen_from=frozen_from)
    arena.phase.refresh_from_db()
    late = scored(arena, arena.entrant, arena.captain, 95.0, at=frozen_from + timedelta(minutes=1))
    proposal = propose(arena)
    for row, score in zip([*board, late], (45.0, 50.5, 70.0, 99.0), strict=True):
        give_score(proposal, row, score)
    _switch(arena)
    assert [row[2] for row in _rows(arena)] == [70.0, 50.5, 45.0]
    current = queries.board_rows(arena.phase, organizer(arena), "", LATER)
    assert [row["score"] for row in current] == [99.0, 70.0, 50.5, 45.0]


def test_uploads_are_queued_for_both_recipes_and_fresh_work_goes_first(
    arena, board, bells, django_capture_on_commit_callbacks
):
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
    _switch(arena)
    after = submit(arena, arena.perfect())
    validation.validate(submission_id=after.pk, clock=clock)
    after.refresh_from_db()
    assert after.state == SubmissionState.ACCEPTED, "files still hold every id of the manifest"


def test_the_definition_does_not_undo_a_switch(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    _switch(arena)
    assert recipes.ensure_live(phase=arena.phase, now=LATER) == proposal.recipe


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
