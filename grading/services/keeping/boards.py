"""What a board says, as one hash: equal here and where it was taken to."""

from __future__ import annotations

import hashlib
from typing import Any

from accounts.chain import canonical_json
from competition.models import Competition
from grading.models import Board, Standing

COLUMNS = (
    "audience",
    "view",
    "position",
    "entrant__code",
    "evaluation__submission__code",
    "evaluation__recipe__digest",
    "place",
    "band",
    "range_first",
    "range_last",
    "score",
    "low",
    "high",
    "components",
    "difference",
)


def digests(competition: Competition) -> dict[str, str]:
    """Return the SHA-256 (hex) of each phase's board, by the phase's code: rows, order, numbers."""
    found = Board.objects.filter(phase__track__competition=competition).select_related("phase")
    return {board.phase.code: _digest(board) for board in found.order_by("phase__code")}


def _digest(board: Board) -> str:
    rows: Any = Standing.objects.filter(board=board).order_by("audience", "view", "position")
    said = {"data": board.data, "rows": [list(row) for row in rows.values_list(*COLUMNS)]}
    return hashlib.sha256(canonical_json(said).encode("ascii")).hexdigest()
