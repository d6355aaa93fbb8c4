"""Exact numbers as they are stored and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

STORED_DECIMALS = 12
COMPARED_DECIMALS = 9
"""Scores and tie-breaks are compared after rounding to so many decimals."""


def decimal_text(value: Fraction) -> str:
    """Return the shortest decimal text of a fraction that came from a decimal.

    >>> decimal_text(Fraction("0.30"))
    '0.3'
    """
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def stored(value: Fraction) -> float:
    """Return a number as it is stored: rounded once, to 12 decimals, half to even."""
    return float(round(value, STORED_DECIMALS))


def stored_or_none(value: Fraction | None) -> float | None:
    """Return a number as it is stored; None stays None."""
    return None if value is None else stored(value)


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the exact mean of one value or more."""
    return sum(values, Fraction(0)) / len(values)


def mean_or_none(values: Sequence[Fraction | None]) -> Fraction | None:
    """Return the exact mean; None while a value is missing, and of none."""
    known = [value for value in values if value is not None]
    return mean(known) if known and len(known) == len(values) else None


def mean_of_stored(values: Sequence[float | None]) -> float | None:
    """Return the mean of numbers as they are stored, itself stored; None while one is missing."""
    exact = [None if value is None else Fraction(str(value)) for value in values]
    return stored_or_none(mean_or_none(exact))


def points(
    languages: Mapping[str, Mapping[str, Any]],
    wanted: Sequence[str],
    factors: Mapping[str, float],
    value_of: Callable[[Mapping[str, Any], str], float | None],
) -> dict[str, float]:
    """Return what each part brings to a score that is a mean over languages, in points.

    `factors` is what a part's mean is multiplied with; `value_of` takes a language's JSON and the name of a
    part. Empty while one of the `wanted` languages has no score.
    """
    parts = [languages.get(name, {}) for name in wanted]
    if any(part.get("score") is None for part in parts):
        return {}
    return {
        name: round(
            factor * sum(value_of(part, name) or 0 for part in parts) / len(parts),
            STORED_DECIMALS,
        )
        for name, factor in factors.items()
    }
