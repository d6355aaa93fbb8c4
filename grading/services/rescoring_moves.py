"""Who would move if the candidate became live: the biggest moves first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.models import Entrant
from grading.models import Evaluation, Rescoring, Standing
from grading.services import rescoring_switch, selection, standings
from grading.services.rescoring import Progress, progress

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One entrant's line of one board."""

    submission: str
    score: float | None
    place: int | None
    band: int | None
    first: int | None
    last: int | None

    @classmethod
    def of(cls, row: Standing) -> Side:
        """Return the line of an unsaved or stored row."""
        return cls(
            submission=row.evaluation.submission.code,
            score=row.score,
            place=row.place,
            band=row.band,
            first=row.range_first,
            last=row.range_last,
        )

    def as_json(self) -> Json:
        """Return the line by name; `range` is None without a place."""
        return {
            "submission": self.submission,
            "score": self.score,
            "place": self.place,
            "band": self.band,
            "range": None if self.first is None else [self.first, self.last],
        }


@dataclass(frozen=True, slots=True)
class Move:
    """One entrant on the present board and on the proposed one; None where it has no line."""

    entrant: Entrant
    old: Side | None
    new: Side | None

    @property
    def places(self) -> int | None:
        """How many places it gains (negative: loses), None when it has no place on either side."""
        old, new = _place(self.old), _place(self.new)
        return old - new if old is not None and new is not None else None

    @property
    def points(self) -> float | None:
        """How its score changes, None when it is not a number on either side."""
        if self.old is None or self.new is None:
            return None
        old, new = self.old.score, self.new.score
        return new - old if old is not None and new is not None else None

    @property
    def changes(self) -> bool:
        """Whether anything that the board shows of it changes."""
        return self.old != self.new

    @property
    def size(self) -> tuple[int, int, float]:
        """What moves are sorted by: gaining or losing a line or place, then places, then points."""
        comes_or_goes = (_place(self.old) is None) != (_place(self.new) is None)
        return int(comes_or_goes), abs(self.places or 0), abs(self.points or 0.0)

    def as_json(self) -> Json:
        """Return the move for the API."""
        return {
            "entrant": self.entrant.code,
            "team": self.entrant.team.name,
            "old": self.old.as_json() if self.old else None,
            "new": self.new.as_json() if self.new else None,
            "places": self.places,
            "points": self.points,
        }


@dataclass(frozen=True, slots=True)
class Preview:
    """Both boards side by side, and what stands against the switch."""

    progress: Progress
    moves: list[Move]
    unfinished: tuple[str, ...]
    failed: tuple[Evaluation, ...]

    @property
    def moving(self) -> int:
        """How many entrants' lines change."""
        return sum(move.changes for move in self.moves)

    @property
    def is_ready(self) -> bool:
        """Whether only failures, if anything, are left to be accepted."""
        return not self.unfinished


def preview(*, proposal: Rescoring, now: datetime) -> Preview:
    """Return who would move, biggest moves first; it shows what is scored so far and writes nothing."""
    phase = proposal.phase
    old = _lines(standings.final_rows(phase, selection.counted(phase)))
    new = _lines(standings.final_rows(phase, selection.counted(phase, recipe=proposal.recipe)))
    moves = [
        Move(entrant, _side(old.get(entrant)), _side(new.get(entrant)))
        for entrant in dict.fromkeys([*new, *old])
    ]
    moves.sort(key=lambda move: move.size, reverse=True)
    found = rescoring_switch.readiness(proposal)
    return Preview(progress(proposal), moves, found.unfinished, found.failed)


def _lines(rows: list[Standing]) -> dict[Entrant, Standing]:
    return {row.entrant: row for row in rows}


def _side(row: Standing | None) -> Side | None:
    return Side.of(row) if row is not None else None


def _place(side: Side | None) -> int | None:
    return side.place if side is not None else None
