"""Extraction by exact fields: which values that a system gave are those of the reference.

Both sides are an object of named fields. A field's name and its value are normalized alike on both
sides: NFKC, lower case, runs of white space as one blank, outer blanks taken off. A number counts as
its shortest decimal text, true and false as these words; null, an empty text and an empty list say
that there is no value. A list holds several values of one field, their order aside.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.metrics.events import Counts
from grading.scoring.text.normalize import lower, nfkc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = str | int | float | bool | None
Values = Counter[tuple[str, str]]


def normalize_name(name: str) -> str:
    """Return a field's name as it is compared.

    >>> normalize_name("  Date of\\tBirth ")
    'date of birth'
    """
    return " ".join(lower(nfkc(name)).split())


def normalize_value(value: Value) -> str:
    """Return a value as it is compared; empty where there is none.

    >>> [normalize_value(value) for value in ("ＡＢ  c", 300, 300.0, "300", True, None)]
    ['ab c', '300', '300', '300', 'true', '']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    return " ".join(lower(nfkc(value)).split())


def number_text(value: float) -> str:
    """Return the shortest decimal text of a finite number, without an exponent.

    >>> [number_text(value) for value in (300, 300.0, 0.5, -0.0, 1e-7)]
    ['300', '300', '0.5', '0', '0.0000001']
    """
    exact = Fraction(str(value))
    digits = 0
    while (exact * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(int(exact * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if exact < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def values_of(fields: Mapping[str, Value | list[Value]]) -> Values:
    """Return each (name, value) of an object and how often it stands there."""
    found: Values = Counter()
    for name, given in fields.items():
        for value in given if isinstance(given, list) else [given]:
            text = normalize_value(value)
            if text:
                found[normalize_name(name), text] += 1
    return found


def same_names(fields: Iterable[str]) -> list[str]:
    """Return the names that are one name after normalization, each once, as written.

    >>> same_names(["Date", "date ", "time"])
    ['date ']
    """
    known: set[str] = set()
    repeated = []
    for name in fields:
        folded = normalize_name(name)
        if folded in known:
            repeated.append(name)
        known.add(folded)
    return repeated


def count_fields(reference: Values, given: Values) -> Counts:
    """Return the values found (tp), given too much (fp) and not found (fn).

    A value counts once for each time it stands in the reference. A wrong value is one too much and
    one not found; an extra field is too much, a missing one not found. Where both sides are empty
    all three are 0, and the item changes no total.

    >>> count_fields(values_of({"day": "Monday", "guests": 4}), values_of({"day": "monday", "guests": 5}))
    Counts(tp=1, fp=1, fn=1)
    """
    tp = (reference & given).total()
    return Counts(tp, given.total() - tp, reference.total() - tp)
