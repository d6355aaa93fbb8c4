"""Normalized tag distance (NTD): how far predicted events lie from where they belong."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ZERO = Fraction(0)
ONE = Fraction(1)


def tag_distance(
    reference: Sequence[tuple[str, int]],
    hypothesis: Sequence[tuple[str, int]],
    reference_units: int,
) -> Fraction | None:
    """Return the NTD of one utterance, exact and in 0 … 1; None where the reference has no event.

    Events are (label, position in the reference's coordinates), ascending. The cheapest alignment
    that keeps the order of both lists, where a pair of one label costs
    min(distance / max(1, reference_units), 1), a pair of two labels 1 and a lone event 1; divided
    by the number of events of the longer list.

    >>> tag_distance([("cough", 1)], [("cough", 3)], 8)
    Fraction(1, 4)
    >>> tag_distance([("sigh", 0)], [], 4)
    Fraction(1, 1)
    """
    if not reference:
        return None
    if not hypothesis:
        return ONE
    if reference == hypothesis:
        return ZERO
    whole = max(1, reference_units)
    cost = _cheapest(reference, hypothesis, whole)
    return _quotient(cost, whole * max(len(reference), len(hypothesis)))


@lru_cache(maxsize=4096)
def _quotient(numerator: int, denominator: int) -> Fraction:
    """Return the fraction; the same few come again and again, and reducing them takes time."""
    return Fraction(numerator, denominator)


def _cheapest(
    reference: Sequence[tuple[str, int]], hypothesis: Sequence[tuple[str, int]], whole: int
) -> int:
    """Return the cost of the cheapest order-preserving alignment; `whole` stands for a cost of 1."""
    above = [whole * j for j in range(len(hypothesis) + 1)]
    for label, position in reference:
        left = above[0] + whole
        row = [left]
        for j, (other, place) in enumerate(hypothesis):
            pair = min(abs(position - place), whole) if label == other else whole
            left = min(above[j] + pair, above[j + 1] + whole, left + whole)
            row.append(left)
        above = row
    return above[-1]


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the exact mean; 0 for no value (no utterance with an event, nothing misplaced).

    Equal denominators are added first: adding fractions one by one would cancel each time.
    """
    if not values:
        return ZERO
    numerators: dict[int, int] = {}
    for value in values:
        denominator = value.denominator
        numerators[denominator] = numerators.get(denominator, 0) + value.numerator
    total = sum((Fraction(n, d) for d, n in sorted(numerators.items())), start=ZERO)
    return total / len(values)
