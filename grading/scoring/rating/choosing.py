"""Which systems people rate: the first n of the public board, and those that it does not tell from them.

The same systems in every language. Nothing is chosen by name: where more systems share a place than
there is room for, either all of them fit or none does.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT_N = 8
DEFAULT_LIMIT = 12
TOP, OVERLAP, BASELINE = "top", "overlap", "baseline"


class ChoiceRefused(ScoringError):
    """There is nothing to choose from, or the first n do not fit into the limit."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the public board: `place` None stands outside the rank, as a baseline does."""

    name: str
    place: int | None
    score: float
    low: float | None = None
    high: float | None = None
    is_baseline: bool = False

    @property
    def span(self) -> tuple[float, float]:
        """The closed interval; without one it is the score alone."""
        if self.low is None or self.high is None:
            return (self.score, self.score)
        return (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A candidate that is rated, and why."""

    candidate: Candidate
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What is rated, in order of the board, baselines last; what overlaps and found no room."""

    chosen: tuple[Chosen, ...]
    left_out: tuple[Candidate, ...]


def choose(
    candidates: Sequence[Candidate], *, n: int = DEFAULT_N, limit: int = DEFAULT_LIMIT
) -> Choice:
    """Return the systems to rate: places 1 to n, baselines, then whole places that overlap the n-th.

    Equal ones stay in the order that is given. Fewer than n with a place are all taken. Every one that shares the n-th place is among the
    first. A system overlaps when its closed interval meets that of one on the last place taken.
    Raises ChoiceRefused when no candidate has a place, or when the first n and the baselines
    alone are more than `limit`; ValueError on n below 1 or above the limit.
    """
    if not 1 <= n <= limit:
        raise ValueError("n is at least 1 and at most the limit")
    placed = sorted((one for one in candidates if one.place is not None), key=_order)
    if not placed:
        raise ChoiceRefused("no system has a place")
    top = [one for one in placed if (one.place or 0) <= n]
    baselines = sorted((one for one in candidates if one.is_baseline), key=_order)
    room = limit - len(top) - len(baselines)
    if room < 0:
        raise ChoiceRefused(f"{len(top)} first and {len(baselines)} baselines exceed {limit}")
    near, left_out = _overlapping(placed[len(top) :], _last(top), room)
    chosen = [
        *(Chosen(one, TOP) for one in top),
        *(Chosen(one, OVERLAP) for one in near),
        *(Chosen(one, BASELINE) for one in baselines),
    ]
    return Choice(tuple(chosen), tuple(left_out))


def _order(one: Candidate) -> tuple[int, float]:
    return (one.place or 0, -one.score)


def _last(top: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in top if one.place == top[-1].place]


def _overlapping(
    rest: Sequence[Candidate], last: Sequence[Candidate], room: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Return those that overlap the last place taken, as whole places fit, and those left out."""
    taken: list[Candidate] = []
    left_out: list[Candidate] = []
    for group in _by_place([one for one in rest if any(_meet(one, other) for other in last)]):
        fits = not left_out and len(taken) + len(group) <= room
        (taken if fits else left_out).extend(group)
    return taken, left_out


def _by_place(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    for _place, group in groupby(candidates, key=lambda one: one.place):
        yield list(group)


def _meet(one: Candidate, other: Candidate) -> bool:
    return one.span[0] <= other.span[1] and other.span[0] <= one.span[1]
