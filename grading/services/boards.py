"""Marks a board as due for a rebuild."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F

from grading.models import Board
from grading.services import doorbell
from grading.services.final import marks


def note_change(*, phase_id: int, now: datetime) -> int:
    """Raise the number of the phase's board and return its key; part of the caller's transaction.

    A final board follows: who is in, and what the judge gave, is told by the phase's board. The caller rebuilds the board itself afterwards; should it die before, the sweep rings.
    """
    board, _ = Board.objects.get_or_create(phase_id=phase_id)
    Board.objects.filter(pk=board.pk).update(wanted=F("wanted") + 1, rung_at=now)
    marks.note_change(phase_id=phase_id, now=now)
    return board.pk


def want_rebuild(*, phase_id: int, now: datetime) -> None:
    """Raise the number of the phase's board and ring for a rebuild; part of the caller's transaction."""
    doorbell.ring(doorbell.REBUILD, note_change(phase_id=phase_id, now=now))


def want_rebuild_of_competition(*, competition_id: int, now: datetime) -> None:
    """Do the same for every board of a competition: an entrant's state or kind has changed."""
    phases = Board.objects.filter(phase__track__competition=competition_id)
    for phase_id in phases.order_by("pk").values_list("phase_id", flat=True):
        want_rebuild(phase_id=phase_id, now=now)
