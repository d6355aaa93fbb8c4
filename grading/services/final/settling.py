"""What the sweep does for finals: rings for what is behind and whose bell was lost."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet

from grading.models import FinalBoard, FinalCheck
from grading.services import doorbell
from grading.services.final.marks import PAUSE

PATIENCE = timedelta(minutes=2)
"""After which a bell was surely lost: computing takes seconds."""
AT_ONCE = 50


def settle(*, now: datetime) -> int:
    """Ring for final boards that are behind and for checks that were not run; return for how many."""
    is_behind = Q(wanted__gt=F("built")) | Q(built_at__isnull=True)
    boards = FinalBoard.objects.filter(is_behind)
    checks = FinalCheck.objects.filter(outcome="")
    return _ring(doorbell.FINAL, boards, now, PAUSE) + _ring(
        doorbell.FINAL_CHECK, checks, now, PATIENCE
    )


def _ring(name: str, rows: QuerySet[Any], now: datetime, after: timedelta) -> int:
    quiet = rows.filter(Q(rung_at__isnull=True) | Q(rung_at__lt=now - after))
    rung = 0
    for row_id in list(quiet.values_list("pk", flat=True)[:AT_ONCE]):
        if quiet.filter(pk=row_id).update(rung_at=now):
            doorbell.ring(name, row_id)
            rung += 1
    return rung
