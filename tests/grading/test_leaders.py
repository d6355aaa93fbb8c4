from __future__ import annotations

from datetime import timedelta

import pytest
from django.template import Context

from competition.enums import EntrantKind, Feedback
from grading.models import Board
from grading.services import standings
from grading.templatetags.leaders import leaders
from tests.factories.grading import NOW, make_arena, scored

pytestmark = pytest.mark.django_db


def first_places(arena):
    return leaders(Context({"server_now": NOW + timedelta(minutes=2)}), arena.phase)


def fill(arena, scores) -> None:
    for number, score in enumerate(scores):
        entrant, captain = arena.enter(f"Team {number:02d}")
        scored(arena, entrant, captain, score)
    board, _ = Board.objects.get_or_create(phase=arena.phase)
    Board.objects.filter(pk=board.pk).update(wanted=board.wanted + 1)
    standings.rebuild(board_id=board.pk, now=NOW + timedelta(minutes=1))


def test_the_first_five_official_places_are_shown_with_their_intervals():
    arena = make_arena()
    guest, captain = arena.enter("Guest", kind=EntrantKind.UNOFFICIAL)
    scored(arena, guest, captain, 99.0)
    fill(arena, [50.0, 80.0, 70.0, 60.0, 40.0, 30.0])
    rows = first_places(arena)
    assert [(row.place, row.team) for row in rows] == [
        (1, "Team 01"),
        (2, "Team 02"),
        (3, "Team 03"),
        (4, "Team 00"),
        (5, "Team 04"),
    ]
    assert (rows[0].score, rows[0].interval, rows[0].system) == ("80.00", "79.00–81.00", "baseline")


def test_before_the_first_score_there_are_no_rows():
    assert first_places(make_arena()) == []


def test_nothing_is_shown_while_the_phase_gives_no_feedback():
    arena = make_arena(feedback=Feedback.NONE)
    fill(arena, [50.0])
    assert first_places(arena) is None


def test_five_rows_take_one_statement(django_assert_num_queries):
    arena = make_arena()
    fill(arena, [50.0, 40.0, 30.0])
    with django_assert_num_queries(1):
        first_places(arena)
