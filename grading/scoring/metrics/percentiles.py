"""Percentiles by nearest rank, and the median: exact on integers and fractions.

The rank of the p-th part of n values is ⌈p·n⌉, in exact arithmetic: 0.95 · 20 is 19 and not the
19.000000000000004 or so that floating point makes of some products. Values may be +∞, which stands
for what never came.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from grading.scoring.types import ScoringError

Number = TypeVar("Number", bound=int | Fraction | float)


class PercentileRefused(ScoringError):
    """A part that is none, or a value that cannot be sorted."""


def nearest_rank(part: Fraction | Decimal | float | str, count: int) -> int:
    """Return ⌈part · count⌉, the rank counted from 1; a float is taken for the decimal it prints as.

    Raises PercentileRefused for a part outside 0 < part ≤ 1 and for no values at all.

    >>> nearest_rank(0.95, 20), nearest_rank("0.95", 21), nearest_rank(0.5, 1)
    (19, 20, 1)
    """
    exact = _exact(part)
    if not 0 < exact <= 1:
        raise PercentileRefused(f"a part is above 0 and at most 1, not {part}")
    if count < 1:
        raise PercentileRefused("there is no rank among no values")
    return -(-exact.numerator * count // exact.denominator)


def percentile(values: Iterable[Number], part: Fraction | Decimal | float | str) -> Number | None:
    """Return the value at the nearest rank, one of those given; None where there are none.

    The only float that belongs here is +∞, for what never came.

    Raises PercentileRefused for NaN and for a part that is none.

    >>> percentile([910, 180, 1900, 210], "0.5")
    210
    """
    ordered = _ordered(values)
    if not ordered:
        nearest_rank(part, 1)
        return None
    return ordered[nearest_rank(part, len(ordered)) - 1]


def median(values: Iterable[int | Fraction | float]) -> Fraction | float | None:
    """Return the middle value, the mean of the two middle ones of an even number; None of none.

    Exact; +∞ where a middle value is. Raises PercentileRefused for NaN.

    >>> median([41, 39, 44, 42])
    Fraction(83, 2)
    """
    ordered = _ordered(values)
    if not ordered:
        return None
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if math.inf in (low, high):
        return math.inf
    return (Fraction(low) + Fraction(high)) / 2


def mean(values: Iterable[int | Fraction]) -> Fraction | None:
    """Return the exact mean, None of none; for integers, or for few fractions."""
    known = list(values)
    return Fraction(sum(known)) / len(known) if known else None


def _exact(part: Fraction | Decimal | float | str) -> Fraction:
    try:
        return Fraction(str(part)) if isinstance(part, float | str) else Fraction(part)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise PercentileRefused(f"{part!r} is no part of a whole") from None


def _ordered(values: Iterable[Number]) -> list[Number]:
    known = list(values)
    if any(
        isinstance(value, float) and (math.isnan(value) or value == -math.inf) for value in known
    ):
        raise PercentileRefused("NaN and -∞ have no place among sorted values")
    return sorted(known)
