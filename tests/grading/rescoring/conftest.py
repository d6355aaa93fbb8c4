"""A board of three teams whose scores are corrected."""

from __future__ import annotations

import pytest

from grading.enums import (
    QuotaState,
)
from grading.services import (
    doorbell,
)
from tests.factories.grading import quota_entry, scored
from tests.factories.rescoring import (
    rebuild,
)


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
    rebuild(arena)
    return rows
