"""A frozen selection: items by SHA-256 of `key:id`, as many as come nearest to a target.

Algorithm `hash-prefix`, version 1. The order is that of draws; no random numbers, any language.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from grading.scoring.draws import in_hash_order
from grading.scoring.selections.items import Item, SelectionRefused, check_items

ALGORITHM = "hash-prefix"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Frozen:
    """The ids that were selected in hash order, what they weigh together, how far that is off."""

    item_ids: tuple[str, ...]
    weight: Fraction
    distance: Fraction
    pool: int


def select(items: Iterable[Item], *, key: str, target: Fraction | int) -> Frozen:
    """Return the prefix in hash order whose weight is nearest to `target`, at least one item.

    Of prefixes equally near the shorter is taken (rule D1). The order of `items` does not matter.
    Raises SelectionRefused for an empty key, a target below 0 and items that cannot be selected
    from, and DrawRefused for an id that is not valid Unicode.
    """
    known = check_items(items)
    if not key:
        raise SelectionRefused("the key is empty")
    if target < 0:
        raise SelectionRefused("the target is below 0")
    weights = {item.item_id: item.weight for item in known}
    order = in_hash_order(weights, key)
    length, weight = _nearest([weights[item_id] for item_id in order], Fraction(target))
    return Frozen(tuple(order[:length]), weight, abs(weight - target), len(known))


def _nearest(weights: list[Fraction], target: Fraction) -> tuple[int, Fraction]:
    """Return the length and the weight of the nearest prefix; it grows until it has reached the target."""
    length, total = 1, weights[0]
    best = length, total
    for weight in weights[1:]:
        if total >= target:
            break
        length, total = length + 1, total + weight
        if abs(total - target) < abs(best[1] - target):
            best = length, total
    return best
