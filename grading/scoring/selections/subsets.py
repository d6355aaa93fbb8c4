"""The subset of a few items whose weight is nearest to a target, found by looking at every one.

Algorithm `nearest-subset`, version 1. Exact up to MOST_ITEMS items, and refused beyond: a search
that might miss the nearest subset would give a selection that nobody can hold anyone to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grading.scoring.selections.items import Item, SelectionRefused, check_items, total_of

ALGORITHM = "nearest-subset"
VERSION = 1
MOST_ITEMS = 28
MOST_GROUPS = 62

_BLOCK_ITEMS = 18
_MOST_WEIGHT = 2**62

_Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Subset:
    """The ids that were selected, sorted by code point, their weight, how far that is off."""

    item_ids: tuple[str, ...]
    weight: Fraction
    distance: Fraction
    pool: int
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """All subsets of some items: their sums, sizes and groups covered, by bits of the index."""

    sums: _Integers
    sizes: _Integers
    covers: _Integers


def select_subset(items: Iterable[Item], *, target: Fraction | int) -> Subset:
    """Return the subset that covers every group of the pool with the weight nearest to `target`.

    Of equally near ones the smallest, of these the one whose sorted ids come first (rule D2). At
    least one item. Raises SelectionRefused beyond 28 items or 62 groups, for a target below 0, for
    weights whose sums do not fit 62 bits once brought to whole units, and for what is no pool.
    """
    known = sorted(check_items(items))
    groups = sorted({group for item in known for group in item.groups})
    if len(known) > MOST_ITEMS:
        raise SelectionRefused(
            f"{len(known)} items are too many: every subset is looked at, up to {MOST_ITEMS} items"
        )
    if len(groups) > MOST_GROUPS:
        raise SelectionRefused(f"{len(groups)} groups are too many, {MOST_GROUPS} at most")
    exact = Fraction(target)
    if exact < 0:
        raise SelectionRefused("the target is below 0")
    chosen = _search(known, groups, exact)
    weight = total_of(chosen)
    return Subset(
        tuple(item.item_id for item in chosen),
        weight,
        abs(weight - exact),
        len(known),
        tuple(groups),
    )


def _search(items: Sequence[Item], groups: Sequence[str], target: Fraction) -> list[Item]:
    """Return the best subset; the item with the first id has the highest bit of a subset's number.

    So of two subsets of one size the one with the larger number has the smaller sorted ids.
    """
    weights, goal = _whole(items, target)
    bits = {group: 1 << place for place, group in enumerate(groups)}
    covers = [sum(bits[group] for group in set(item.groups)) for item in items]
    split = max(0, len(items) - _BLOCK_ITEMS)
    low = _all_subsets(weights[split:], covers[split:])
    high = _all_subsets(weights[:split], covers[:split])
    best: tuple[int, int, int] | None = None
    for number in range(len(high.sums)):
        found = _best_of_block(low, high, number, goal, (1 << len(groups)) - 1)
        best = found if best is None or (found is not None and found < best) else best
    if best is None:
        raise SelectionRefused("no subset covers every group")
    chosen = -best[2]
    return [item for place, item in enumerate(items) if chosen >> (len(items) - 1 - place) & 1]


def _whole(items: Sequence[Item], target: Fraction) -> tuple[list[int], int]:
    """Return weights and target in one unit that makes all of them whole."""
    unit = math.lcm(target.denominator, *(item.weight.denominator for item in items))
    weights = [int(item.weight * unit) for item in items]
    goal = int(target * unit)
    if max(sum(weights), goal) >= _MOST_WEIGHT:
        raise SelectionRefused("the weights are too large, or have too many decimals")
    return weights, goal


def _all_subsets(weights: Sequence[int], covers: Sequence[int]) -> _Block:
    """Return the sums, sizes and covers of all subsets; the last item is the lowest bit."""
    sums, sizes, covered = (np.zeros(1, dtype=np.int64) for _ in range(3))
    for weight, cover in zip(reversed(weights), reversed(covers), strict=True):
        sums = np.concatenate([sums, sums + weight])
        sizes = np.concatenate([sizes, sizes + 1])
        covered = np.concatenate([covered, covered | cover])
    return _Block(sums, sizes, covered)


def _best_of_block(
    low: _Block, high: _Block, number: int, goal: int, wanted: int
) -> tuple[int, int, int] | None:
    """Return (distance, size, -number) of the best subset with these high bits, None of none."""
    fits: NDArray[np.bool_] = low.covers | high.covers[number] == wanted
    if number == 0:
        fits[0] = False  # the empty subset
    places: NDArray[Any] = np.flatnonzero(fits)
    if not len(places):
        return None
    distances = np.abs(low.sums[places] + high.sums[number] - goal)
    places = places[distances == distances.min()]
    sizes = low.sizes[places]
    place = int(places[sizes == sizes.min()].max())
    size = int(low.sizes[place] + high.sizes[number])
    return int(distances.min()), size, -(number * len(low.sums) + place)
