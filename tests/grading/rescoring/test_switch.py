"""A correction: shown and switched to; the board is the old one until then, and whole at any moment."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import AuditEvent
from accounts.services import audit
from grading import queries
from grading.enums import (
    EvaluationState,
    Priority,
    QuotaState,
    SubmissionState,
)
from grading.models import Board, Evaluation, Notice, PhaseRecipe, Standing
from grading.services import (
    boards,
    errors,
    recipes,
    rescoring_moves,
    rescoring_queue,
    standings,
)
from tests.factories.grading import NOW, PARAMS, scored
from tests.factories.rescoring import (
    LATER,
    claim_and_finish,
    fail,
    give_score,
    lines,
    organizer,
    propose,
    switch,
)

pytestmark = pytest.mark.django_db


def test_finishing_a_candidate_never_touches_the_board(arena, board):
    found = Board.objects.get()
    before = (found.wanted, found.data, lines(arena))
    proposal = propose(arena)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    for row in Evaluation.objects.filter(recipe=proposal.recipe):
        claim_and_finish(row.pk, 90.0)
    found = Board.objects.get()
    assert (found.wanted, found.data, lines(arena)) == before
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
    switched = switch(arena, actor=actor, digest=proposal.recipe.digest)
    assert (switched.state, switched.ended_by, switched.ended_at) == ("switched", actor, LATER)
    roles = dict(PhaseRecipe.objects.values_list("recipe", "role"))
    assert roles == {proposal.replaced_id: "retired", proposal.recipe_id: "live"}
    today = LATER.date().isoformat()
    assert lines(arena) == [
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
    switch(arena)
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
    switch(arena)
    told = Notice.objects.filter(kind="rescored")
    assert told.count() == 4
    assert {one.subject for one in told} == {f"rescoring:{proposal.code}"}
    assert told[0].context["reason"] == "The weights were wrong."


def test_the_switch_waits_for_what_counts_and_for_what_stood_at_the_proposal(arena, board):
    proposal = propose(arena)
    give_score(proposal, board[0], 50.0)
    give_score(proposal, board[1], 50.0)
    before = lines(arena)
    with pytest.raises(errors.RescoringUnfinished) as refused:
        switch(arena)
    assert refused.value.params == {"count": 1, "submissions": [board[2].submission.code]}
    assert (lines(arena), recipes.live_recipe(arena.phase)) == (before, proposal.replaced)


def test_what_came_later_and_does_not_count_may_follow(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    worse = scored(
        arena, board[0].submission.entrant, arena.captain, 1.0, at=LATER + timedelta(minutes=1)
    )
    rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER)
    switch(arena, now=LATER + timedelta(minutes=2))
    late = Evaluation.objects.get(submission=worse.submission, recipe=proposal.recipe)
    assert (late.state, late.priority) == (EvaluationState.QUEUED, Priority.FRESH)
    number = Board.objects.get().wanted
    claim_and_finish(late.pk, 99.0)
    assert Board.objects.get().wanted == number + 1


def test_what_was_accepted_in_the_moment_of_a_switch_is_scored_when_the_machine_is_back(
    arena, board
):
    proposal = propose(arena)
    for live in board:
        give_score(proposal, live, live.score)
    first = board[0].submission
    late = scored(arena, first.entrant, first.uploader, 10.0, at=LATER + timedelta(seconds=1))
    switch(arena, now=LATER + timedelta(seconds=2))
    assert not Evaluation.objects.filter(submission=late.submission, recipe=proposal.recipe)
    rescoring_queue.settle(now=LATER + timedelta(days=6))
    found = Evaluation.objects.get(submission=late.submission, recipe=proposal.recipe)
    assert found.state == EvaluationState.QUEUED


def test_a_better_one_that_came_later_holds_the_switch_until_it_is_scored(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    better = scored(
        arena, board[0].submission.entrant, arena.captain, 99.0, at=LATER + timedelta(minutes=1)
    )
    with pytest.raises(errors.RescoringUnfinished):
        switch(arena)
    give_score(proposal, better, 80.0)
    switch(arena)
    assert lines(arena)[0][0] == better.submission.code


def test_failures_are_accepted_by_name_and_cost_no_quota(arena, board):
    proposal = propose(arena)
    fail(proposal, board[0])
    give_score(proposal, board[1], 50.0)
    give_score(proposal, board[2], 60.0)
    code = board[0].submission.code
    for names in ([], [board[1].submission.code]):
        with pytest.raises(errors.FailuresNotAccepted) as refused:
            switch(arena, accepted_failures=names)
        assert refused.value.params == {"count": 1, "submissions": [code]}
    switched = switch(arena, accepted_failures=[code])
    assert switched.accepted_failures == [code]
    board[0].submission.refresh_from_db()
    assert (board[0].submission.state, board[0].submission.failure_code) == (
        SubmissionState.FAILED,
        "SCORER_CRASHED",
    )
    assert board[0].submission.quota.state == QuotaState.RELEASED
    assert [row[0] for row in lines(arena)] == [
        board[2].submission.code,
        board[1].submission.code,
    ]
    assert Board.objects.get().data["corrections"][0]["without_score"] == [code]


def test_a_switch_names_the_recipe_that_was_looked_at(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    with pytest.raises(errors.NoCandidate):
        switch(arena, digest="f" * 64)
    switch(arena, digest=proposal.recipe.digest)
    with pytest.raises(errors.NoCandidate):
        switch(arena, digest=proposal.recipe.digest)


def test_a_correction_may_be_taken_back_by_another(arena, board):
    proposal = propose(arena)
    for row, score in zip(board, (45.0, 50.5, 70.0), strict=True):
        give_score(proposal, row, score)
    switch(arena)
    back = propose(arena, params=PARAMS, reason="The first weights were right after all.")
    assert back.recipe == proposal.replaced
    assert rescoring_queue.fill(rescoring_id=back.pk, now=LATER) == 0
    switch(arena, now=LATER + timedelta(days=1))
    assert [row[:3] for row in lines(arena)] == [
        (row.submission.code, place, row.score) for place, row in enumerate(board, 1)
    ]
    data = Board.objects.get().data
    assert [one["to"] for one in data["corrections"]] == [
        back.recipe.digest,
        proposal.recipe.digest,
    ]
    assert {row[3] for row in lines(arena)} == {(LATER + timedelta(days=1)).date().isoformat()}


def test_a_frozen_board_stays_frozen_and_is_corrected(arena, board):
    frozen_from = NOW + timedelta(minutes=30)
    type(arena.phase).objects.filter(pk=arena.phase.pk).update(frozen_from=frozen_from)
    arena.phase.refresh_from_db()
    late = scored(arena, arena.entrant, arena.captain, 95.0, at=frozen_from + timedelta(minutes=1))
    proposal = propose(arena)
    for row, score in zip([*board, late], (45.0, 50.5, 70.0, 99.0), strict=True):
        give_score(proposal, row, score)
    switch(arena)
    assert [row[2] for row in lines(arena)] == [70.0, 50.5, 45.0]
    current = queries.board_rows(arena.phase, organizer(arena), "", LATER)
    assert [row["score"] for row in current] == [99.0, 70.0, 50.5, 45.0]


def test_the_definition_does_not_undo_a_switch(arena, board):
    proposal = propose(arena)
    for row in board:
        give_score(proposal, row, 50.0)
    switch(arena)
    assert recipes.ensure_live(phase=arena.phase, now=LATER) == proposal.recipe
