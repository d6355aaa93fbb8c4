"""Marks a final board as due for a new snapshot."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Q

from grading.models import FinalBoard
from grading.services import doorbell

PAUSE = timedelta(seconds=60)
"""Between two bells: raters' answers come by the second, a snapshot takes a few."""


def note_change(*, phase_id: int, now: datetime) -> None:
    """Say that marks which count have come or gone; part of the caller's transaction, called last.

    Rings at most once a minute; the sweep rings for what came in between. Does nothing in a phase
    whose systems are not selected yet.
    """
    boards = FinalBoard.objects.filter(phase=phase_id)
    if boards.filter(rung_at__gt=now - PAUSE).update(wanted=F("wanted") + 1):
        return  # mostly: one statement
    calm = Q(rung_at__isnull=True) | Q(rung_at__lte=now - PAUSE)
    if boards.filter(calm).update(wanted=F("wanted") + 1, rung_at=now):
        for board_id in boards.values_list("pk", flat=True):
            doorbell.ring(doorbell.FINAL, board_id)
        return
    boards.update(wanted=F("wanted") + 1)  # somebody rang between the two
