"""How often a large board is built anew: its first change at once, a burst of changes together.

Building the board of a thousand teams takes half a second of a processor, and every open page asks
for it afterwards. Scores of a rush come faster than that, so such a board is left alone for some
seconds after each building. What comes meanwhile is built by whichever worker looks first.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.cache import cache
from django.db.models import F

from grading.models import Board, Standing
from grading.services import standings

FREE_ROWS = 300
"""Boards of at most so many public rows, all views together, are built after every change."""
ROWS_A_SECOND = 500
CLAIM_SECONDS = 30


def pause_of(rows: int) -> timedelta:
    """Return how long a board of that many public rows is left alone: 6 s for a thousand teams."""
    return timedelta(seconds=rows / ROWS_A_SECOND if rows > FREE_ROWS else 0)


def keep_up(*, board_id: int, now: datetime) -> Board:
    """Build a board that is behind, unless it is in its pause: then `build_due` will; return it."""
    board = Board.objects.defer("data").get(pk=board_id)
    pause = _pause(board)
    if board.built_at is not None and now < board.built_at + pause:
        return board
    # What comes meanwhile has its turn after the pause: no need to begin again for it.
    return standings.rebuild(board_id=board_id, now=now, repeats=1 if pause else standings.REPEATS)


def build_due(*, now: datetime) -> int:
    """Build every large board that is behind and whose pause is over; return how many.

    Workers ask every BOARD_SECONDS; of several one builds. A board that is behind for another reason
    is left to the sweep.
    """
    behind = Board.objects.filter(wanted__gt=F("built"), built_at__isnull=False).defer("data")
    due = [board for board in behind if _is_due(board, now)]
    for board in due:
        keep_up(board_id=board.pk, now=now)
    return len(due)


def _is_due(board: Board, now: datetime) -> bool:
    pause = _pause(board)
    if not pause or board.built_at is None or now < board.built_at + pause:
        return False
    # Two that build it at once would do no harm but the work twice; a claim of one that died lapses.
    return bool(cache.add(f"board-due:{board.pk}:{board.built}", 1, timeout=CLAIM_SECONDS))


def _pause(board: Board) -> timedelta:
    return pause_of(Standing.objects.filter(board=board, audience=standings.PUBLIC).count())
