"""Real threads on a real PostgreSQL: proposals, switches, uploads that finish, and readers, all at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import AuditEvent
from accounts.services import audit
from grading import queries
from grading.enums import EvaluationState, RecipeRole, RescoringState, SubmissionState
from grading.models import Board, Evaluation, PhaseRecipe, Rescoring, Standing, Submission
from grading.services import (
    boards,
    doorbell,
    errors,
    recipes,
    rescoring,
    rescoring_queue,
    rescoring_switch,
    standings,
)
from tests.factories.grading import NOW, Arena, SubmissionFactory, make_arena, quota_entry, scored
from tests.factories.rescoring import (
    LATER,
    claim_and_finish,
    fail,
    give_score,
    organizer,
    propose,
)
from tests.grading.test_races import together

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TEAMS = 6


@pytest.fixture
def arena(monkeypatch) -> Arena:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_arena()


@pytest.fixture
def board(arena: Arena) -> list[Evaluation]:
    rows = []
    for number in range(TEAMS):
        entrant, captain = arena.enter(f"Team {number}")
        rows.append(scored(arena, entrant, captain, 40.0 + number))
        quota_entry(rows[-1].submission)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    standings.rebuild(board_id=Board.objects.get().pk, now=NOW)
    return rows


def ready(arena: Arena, board: list[Evaluation]) -> Rescoring:
    """Return a proposal that turns the board upside down."""
    proposal = propose(arena)
    for number, row in enumerate(board):
        give_score(proposal, row, 80.0 - number)
    return proposal


def switch(arena: Arena, **changes) -> Rescoring:
    return rescoring_switch.switch(**{"actor": None, "phase": arena.phase, "now": LATER} | changes)


def test_many_proposals_at_once_make_one_candidate(arena, board):
    found = together(lambda _: propose(arena), crowd=8)
    assert found.count("CANDIDATE_EXISTS") == 7
    assert Rescoring.objects.count() == 1
    assert PhaseRecipe.objects.filter(role=RecipeRole.CANDIDATE).count() == 1
    assert AuditEvent.objects.filter(kind="rescoring.proposed").count() == 1
    assert audit.verify().ok


def test_many_switches_at_once_are_one(arena, board):
    ready(arena, board)
    number = Board.objects.get().wanted
    found = together(lambda _: switch(arena), crowd=8)
    assert found.count("NO_CANDIDATE") == 7
    assert sorted(PhaseRecipe.objects.values_list("role", flat=True)) == ["live", "retired"]
    assert Board.objects.get().built == number + 1
    assert AuditEvent.objects.filter(kind="rescoring.switched").count() == 1
    assert audit.verify().ok


def test_a_switch_and_a_drop_at_once_never_both_win(arena, board):
    proposal = ready(arena, board)

    def act(number: int) -> object:
        if number:
            return str(rescoring.cancel(actor=None, phase=arena.phase, now=LATER).state)
        return str(switch(arena).state)

    found = together(act, crowd=2)
    proposal.refresh_from_db()
    assert sorted(found) == sorted([str(proposal.state), "NO_CANDIDATE"])
    is_live = recipes.live_recipe(arena.phase) == proposal.recipe
    assert is_live == (proposal.state == RescoringState.SWITCHED)
    assert recipes.candidate_recipe(arena.phase) is None


def test_live_scores_that_finish_during_a_switch_are_on_the_board_under_the_new_recipe(
    arena, board
):
    """Uploads under way: each has its live and its candidate evaluation finished by threads."""
    proposal = ready(arena, board)
    fresh = _accepted(arena, proposal, crowd=6)

    def act(number: int) -> object:
        if number < len(fresh):
            candidate, live = fresh[number]
            claim_and_finish(candidate, 90.0 + number)
            return claim_and_finish(live, 10.0 + number).state
        while True:
            try:
                return switch(arena).state
            except (errors.RescoringUnfinished, errors.BoardBusy):
                continue

    found = together(act, crowd=len(fresh) + 1)
    assert found == ["scored"] * len(fresh) + ["switched"]
    board_row = standings.rebuild(board_id=Board.objects.get().pk, now=LATER)
    assert board_row.built == board_row.wanted
    shown = {
        row["submission"]: row["score"] for row in queries.board_rows(arena.phase, None, "", LATER)
    }
    wanted = {
        one.submission.code: one.score
        for one in Evaluation.objects.filter(recipe=proposal.recipe, state="scored")
    }
    assert shown == wanted
    assert len(shown) == TEAMS + len(fresh)
    assert audit.verify().ok


def _accepted(arena: Arena, proposal: Rescoring, crowd: int) -> list[tuple[int, int]]:
    """Return (candidate, live) evaluations, queued, of accepted uploads of as many new teams."""
    made = []
    for number in range(crowd):
        entrant, captain = arena.enter(f"Fresh {number}")
        submission = SubmissionFactory(
            entrant=entrant,
            phase=arena.phase,
            uploader=captain,
            state=SubmissionState.ACCEPTED,
            validated_at=LATER + timedelta(seconds=1),
        )
        quota_entry(submission)
        made.append(
            tuple(
                Evaluation.objects.create(submission=submission, recipe=recipe, queued_at=LATER).pk
                for recipe in (proposal.recipe, proposal.replaced)
            )
        )
    return made


def test_a_candidate_that_fails_during_a_switch_is_never_let_go_unnamed(arena, board):
    proposal = ready(arena, board)
    late = _accepted(arena, proposal, crowd=1)[0][0]

    def act(number: int) -> object:
        if number:
            row = Evaluation.objects.get(pk=late)
            return fail(proposal, row).state
        return switch(arena).state

    found = together(act, crowd=2)
    submission = Submission.objects.get(evaluations=late)
    if "FAILURES_NOT_ACCEPTED" in found:
        assert submission.state == SubmissionState.ACCEPTED
        assert recipes.live_recipe(arena.phase) == proposal.replaced
    else:
        assert recipes.live_recipe(arena.phase) == proposal.recipe


def test_a_reader_during_the_switch_sees_the_whole_old_board_or_the_whole_new_one(arena, board):
    proposal = ready(arena, board)
    person = organizer(arena)
    old = _seen(arena, None)
    stop, read_one = threading.Event(), threading.Semaphore(0)
    seen: list[tuple] = []

    def read(user) -> int:
        try:
            while not stop.is_set():
                seen.append(_seen(arena, user))
                read_one.release()
            return len(seen)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read, user) for user in (None, None, person)]
        try:
            assert all(read_one.acquire(timeout=20) for _ in range(30))
            switch(arena)
            while read_one.acquire(blocking=False):
                continue
            assert all(read_one.acquire(timeout=20) for _ in range(30))
        finally:
            stop.set()
        for reader in readers:
            reader.result(timeout=20)
    new = _seen(arena, None)
    assert old[0] == proposal.replaced.digest
    assert new[0] == proposal.recipe.digest
    assert [code for code, _ in old[2]] == [code for code, _ in reversed(new[2])]
    assert set(seen) == {old, new}


def _seen(arena: Arena, user) -> tuple:
    data = queries.board_object(arena.phase, user, LATER)
    rows = tuple((row["submission"], row["score"]) for row in data["views"]["final"]["rows"])
    digests = {row["recipe_digest"] for row in data["views"]["final"]["rows"]}
    return data["recipe"]["digest"], tuple(digests), rows, len(data["corrections"])


def test_rebuilds_and_a_switch_at_once_end_with_the_new_board(arena, board):
    proposal = ready(arena, board)

    def act(number: int) -> object:
        if number:
            boards.want_rebuild(phase_id=arena.phase.pk, now=LATER)
            return standings.rebuild(board_id=Board.objects.get().pk, now=LATER).pk
        return switch(arena).state

    found = together(act, crowd=8)
    assert "switched" in found or "BOARD_BUSY" in found
    if "BOARD_BUSY" in found:
        switch(arena)
    last = standings.rebuild(board_id=Board.objects.get().pk, now=LATER)
    assert last.built == last.wanted
    recipes_shown = set(Standing.objects.values_list("evaluation__recipe", flat=True))
    assert recipes_shown == {proposal.recipe_id}


def test_filling_at_once_queues_each_submission_once(arena, board):
    proposal = propose(arena)
    together(lambda _: rescoring_queue.fill(rescoring_id=proposal.pk, now=LATER), crowd=6)
    made = Evaluation.objects.filter(recipe=proposal.recipe)
    assert made.count() == made.values("submission").distinct().count() == TEAMS
    assert set(made.values_list("state", flat=True)) == {EvaluationState.QUEUED}
