"""Large boards: only what changed is written, bursts are built together, pages find it laid ready."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache

from competition.models import Phase
from grading import laid_ready, published
from grading.models import Board, Evaluation, Standing
from grading.services import board_pace, boards, standings
from grading.views import board_source
from tests.factories.grading import NOW, Arena, scored

pytestmark = pytest.mark.django_db
FIELDS = ("audience", "view", "position", *standings.KEY[2:], *standings.SAID[1:])


@pytest.fixture
def full(arena) -> Arena:
    for number in range(4):
        entrant, captain = arena.enter(f"Team {number}")
        scored(arena, entrant, captain, 50.0 + 10 * number)
    rebuild(arena)
    return arena


def rebuild(arena: Arena, now=NOW) -> Board:
    boards.want_rebuild(phase_id=arena.phase.pk, now=now)
    return standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=now)


def rows() -> list[tuple]:
    return list(Standing.objects.order_by(*standings.KEY).values_list(*FIELDS))


def rows_written_anew(arena: Arena, now) -> list[tuple]:
    Standing.objects.all().delete()
    rebuild(arena, now)
    return rows()


def test_only_rows_that_say_something_else_are_written(full):
    before = dict(Standing.objects.values_list("pk", "entrant__team__name"))
    last = Evaluation.objects.get(submission__entrant__team__name="Team 0")
    Evaluation.objects.filter(pk=last.pk).update(score=51.0, low=50.0, high=52.0)
    rebuild(full)
    gone = set(before) - set(Standing.objects.values_list("pk", flat=True))
    assert {before[pk] for pk in gone} == {"Team 0"}
    assert Standing.objects.count() == len(before)
    assert rows() == rows_written_anew(full, NOW)


def test_who_rises_moves_the_others_and_both_audiences_say_the_same(full):
    entrant = full.competition.entrants.get(team__name="Team 1")
    scored(full, entrant, entrant.members.get().user, 95.0)
    rebuild(full)
    public = Standing.objects.filter(audience="public", view="").order_by("position")
    assert [row.entrant.team.name for row in public] == ["Team 1", "Team 3", "Team 2", "Team 0"]
    halves = [[one[1:] for one in rows() if one[0] == who] for who in ("current", "public")]
    assert halves[0] == halves[1]
    assert rows() == rows_written_anew(full, NOW)


@pytest.mark.parametrize("way", ["freeze", "thaw", "stay frozen"])
def test_a_freeze_that_comes_stays_or_goes_leaves_the_right_rows(full, way):
    begins, later = NOW + timedelta(minutes=1), NOW + timedelta(minutes=2)
    Phase.objects.filter(pk=full.phase.pk).update(frozen_from=begins)
    entrant = full.competition.entrants.get(team__name="Team 0")
    scored(full, entrant, entrant.members.get().user, 99.0, at=later)
    rebuild(full, later)
    if way == "stay frozen":
        scored(full, entrant, entrant.members.get().user, 99.5, at=later)
        rebuild(full, later)
    if way == "thaw":
        Phase.objects.filter(pk=full.phase.pk).update(frozen_from=None)
        rebuild(full, later)
    places = dict(
        Standing.objects.filter(entrant=entrant, view="").values_list("audience", "position")
    )
    assert places == {"public": 1 if way == "thaw" else 4, "current": 1}
    assert rows() == rows_written_anew(full, later)


def test_a_large_board_is_built_at_once_then_left_alone_then_built_again(full, monkeypatch):
    monkeypatch.setattr(board_pace, "FREE_ROWS", 3)
    monkeypatch.setattr(board_pace, "ROWS_A_SECOND", 2)
    board_id = full.phase.board.pk
    pause = board_pace.pause_of(12)
    assert pause == timedelta(seconds=6)
    boards.want_rebuild(phase_id=full.phase.pk, now=NOW)
    for seconds, built in ((0, 1), (5.9, 1), (6, 2)):
        now = NOW + timedelta(seconds=seconds)
        assert board_pace.keep_up(board_id=board_id, now=now).built == built
    assert board_pace.build_due(now=now + pause) == 0
    boards.want_rebuild(phase_id=full.phase.pk, now=now)
    assert board_pace.build_due(now=now + timedelta(seconds=1)) == 0
    assert board_pace.build_due(now=now + pause) == 1
    board = Board.objects.get(pk=board_id)
    assert (board.built, board.wanted, board.built_at) == (3, 3, now + pause)


def test_of_several_workers_one_builds_a_board_that_is_due(full, monkeypatch):
    monkeypatch.setattr(board_pace, "FREE_ROWS", 3)
    boards.want_rebuild(phase_id=full.phase.pk, now=NOW)
    later = NOW + timedelta(minutes=1)
    board = Board.objects.get(phase=full.phase)
    assert [board_pace._is_due(board, later) for _ in range(2)] == [True, False]


def test_a_small_board_has_no_pause(full):
    boards.want_rebuild(phase_id=full.phase.pk, now=NOW)
    assert board_pace.build_due(now=NOW + timedelta(hours=1)) == 0
    assert board_pace.keep_up(board_id=full.phase.board.pk, now=NOW).built == 2


def test_pages_and_data_are_the_same_laid_ready_or_read_from_the_database(full):
    board = Board.objects.get(phase=full.phase)
    phase = Phase.objects.select_related("track__competition").get(pk=full.phase.pk)
    stamp = (board.built, board.built_at)
    laid = laid_ready.data_of(phase.code, stamp)
    assert laid == laid_ready.encode(board.data)
    assert published.published(phase, NOW).body == laid
    for view in ("", "en", "zh"):
        page = laid_ready.view_of(phase.code, stamp, view or "final")
        assert page is not None
        shown = board_source.rows_from(page, view)
        assert shown == board_source.rows_from(board.data, view)
        assert len(shown) == 4


def test_another_snapshot_is_never_taken_for_the_one_that_was_asked_for(full):
    board = Board.objects.get(phase=full.phase)
    code = full.phase.code
    assert laid_ready.data_of(code, (board.built + 1, board.built_at)) is None
    assert laid_ready.data_of(code, (board.built, NOW + timedelta(seconds=1))) is None
    cache.clear()
    assert laid_ready.data_of(code, (board.built, board.built_at)) is None
    assert published.published(full.phase, NOW).body == laid_ready.encode(board.data)


def test_a_cache_that_is_away_costs_no_board(full, settings, caplog):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    board = rebuild(full)
    assert board.built == board.wanted == 2
    assert laid_ready.data_of(full.phase.code, (board.built, board.built_at)) is None
    assert {"board.not-laid-ready", "board.not-at-hand"} <= {one.message for one in caplog.records}
