"""What is selected: items with an id and an exact weight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.types import ScoringError


class SelectionRefused(ScoringError):
    """A selection that cannot be made: no items, an id twice, a weight below 0, too many items."""


class Item(NamedTuple):
    """Something to select: `weight` counts words, seconds or items; `groups` names what it covers."""

    item_id: str
    weight: Fraction = Fraction(1)
    groups: tuple[str, ...] = ()


def check_items(items: Iterable[Item]) -> list[Item]:
    """Return the items as a list. Raises SelectionRefused for what cannot be selected from."""
    known = list(items)
    seen: set[str] = set()
    for item in known:
        if not item.item_id:
            raise SelectionRefused("an item has no id")
        if item.item_id in seen:
            raise SelectionRefused(f"{item.item_id} is there twice")
        if item.weight < 0:
            raise SelectionRefused(f"the weight of {item.item_id} is below 0")
        seen.add(item.item_id)
    if not known:
        raise SelectionRefused("there are no items to select from")
    return known


def total_of(items: Sequence[Item]) -> Fraction:
    """Return the sum of the weights."""
    return sum((item.weight for item in items), Fraction(0))
