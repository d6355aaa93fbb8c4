"""Places, bands and rank ranges of a board: one definition for sorting, showing and exporting.

A place says who is ahead: by score, then tie-breaks, then shared (1, 1, 3). A band says who is
statistically tied. Withheld rows and rows outside the ranking (unofficial, baseline) take no
place and are not counted.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grading.scoring.types import ScoringError

COMPARED_DECIMALS = 9

Rule = Literal["leader", "components"]


class RankingRefused(ScoringError):
    """A row cannot be ranked: a number that is none, an interval upside down, mixed directions."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}" if name else message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Entry:
    """One row to rank.

    `score` None is withheld; `low` and `high` None is no interval, nor is one without width. `key`
    sorts the best first (the track's order key); without it the score alone counts. `ranked` is
    False for unofficial and baseline rows. All entries of a board go the same way:
    `lower_is_better`.
    """

    name: str
    score: float | None
    low: float | None = None
    high: float | None = None
    key: tuple[Any, ...] | None = None
    ranked: bool = True
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its place, its band's rank and its rank range; None where it takes no place."""

    entry: Entry
    place: int | None
    band: int | None
    range: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _Row:
    """A ranked entry with what is compared: better is lower `key`, and higher `low` and `high`."""

    index: int
    key: tuple[Any, ...]
    low: float
    high: float

    def overlaps(self, other: _Row) -> bool:
        return self.low <= other.high and other.low <= self.high


def rank(rows: Sequence[Entry], rule: Rule = "leader") -> list[Ranked]:
    """Return the entries in display order with place, band and rank range.

    Display order: by key, entries in the ranking before others of the same key, then by name;
    withheld entries last. Scores and bounds are compared after rounding to 9 decimals. It does
    not depend on the order of `rows`, save for rows alike in all of this.
    Raises RankingRefused on NaN, infinity, an interval upside down, or mixed directions.

    >>> entries = [Entry("a", 70.0, 60.0, 80.0), Entry("b", 65.0, 55.0, 75.0), Entry("c", 20.0)]
    >>> [(r.place, r.band, r.range) for r in rank(entries)]
    [(1, 1, (1, 2)), (2, 1, (1, 2)), (3, 3, (3, 3))]
    """
    for entry in rows:
        _check(entry)
    if len({entry.lower_is_better for entry in rows}) > 1:
        raise RankingRefused("", "some rows are better when lower and some when higher")
    if rule not in {"leader", "components"}:
        raise RankingRefused("", f"there is no rule {rule!r}: leader or components")
    compared = [_row(i, e) for i, e in enumerate(rows) if e.ranked and e.score is not None]
    places = _places(compared)
    bands = _bands(compared, rule)
    ranges = _ranges(compared)
    order = sorted(range(len(rows)), key=lambda index: _display_key(rows[index]))
    return [Ranked(rows[i], places.get(i), bands.get(i), ranges.get(i)) for i in order]


def _check(entry: Entry) -> None:
    for what, value in (("score", entry.score), ("low", entry.low), ("high", entry.high)):
        # Also a whole number that no float holds; NaN compares with nothing.
        if value is not None and not abs(value) <= sys.float_info.max:
            raise RankingRefused(entry.name, f"{what} is not a number to rank by")
    if entry.low is not None and entry.high is not None and entry.low > entry.high:
        raise RankingRefused(entry.name, f"low {entry.low} is above high {entry.high}")


def _key(entry: Entry) -> tuple[Any, ...]:
    if entry.key is not None:
        return entry.key
    score = round(entry.score or 0.0, COMPARED_DECIMALS)
    return (score if entry.lower_is_better else -score,)


def _display_key(entry: Entry) -> tuple[Any, ...]:
    if entry.score is None:
        return (1, (), not entry.ranked, entry.name)
    return (0, _key(entry), not entry.ranked, entry.name)


def _row(index: int, entry: Entry) -> _Row:
    low, high = _bounds(entry)
    if entry.lower_is_better:
        low, high = -high, -low
    return _Row(index, _key(entry), low, high)


def _bounds(entry: Entry) -> tuple[float, float]:
    """Return the interval as it is compared; without one, or without width, it is the score."""
    score = round(entry.score or 0.0, COMPARED_DECIMALS)
    if entry.low is None or entry.high is None:
        return score, score
    low, high = round(entry.low, COMPARED_DECIMALS), round(entry.high, COMPARED_DECIMALS)
    return (low, high) if low < high else (score, score)


def _places(rows: Sequence[_Row]) -> dict[int, int]:
    places: dict[int, int] = {}
    ordered = sorted(rows, key=lambda row: row.key)
    for above, row in enumerate(ordered):
        tied = above > 0 and ordered[above - 1].key == row.key
        places[row.index] = places[ordered[above - 1].index] if tied else above + 1
    return places


def _bands(rows: Sequence[_Row], rule: Rule) -> dict[int, int]:
    groups = _leader_bands(rows) if rule == "leader" else _component_bands(rows)
    bands: dict[int, int] = {}
    for group in groups:
        rank_of_band = 1 + len(bands)
        bands.update(dict.fromkeys((row.index for row in group), rank_of_band))
    return bands


def _leader_bands(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield bands from the top: a leader, and those below it while they overlap its interval.

    Equal keys are taken widest reach first, so that names never decide a band.
    """
    band: list[_Row] = []
    for row in sorted(rows, key=lambda row: (row.key, -row.high, row.low)):
        if band and not row.overlaps(band[0]):
            yield band
            band = []
        band.append(row)
    if band:
        yield band


def _component_bands(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Return the connected components of overlap, the one with the best entry first."""
    components: list[list[_Row]] = []
    reach = math.inf
    for row in sorted(rows, key=lambda row: -row.high):
        if not components or row.high < reach:
            components.append([])
            reach = row.low
        components[-1].append(row)
        reach = min(reach, row.low)
    return sorted(components, key=lambda component: min(row.key for row in component))


def _ranges(rows: Sequence[_Row]) -> dict[int, tuple[int, int]]:
    """Return 1 + those certainly above … n − those certainly below, by bounds that do not meet."""
    lows = sorted(row.low for row in rows)
    highs = sorted(row.high for row in rows)
    return {
        row.index: (
            1 + len(lows) - bisect_right(lows, row.high),
            len(rows) - bisect_left(highs, row.low),
        )
        for row in rows
    }
