"""Where measurements come from: who served what, from where, on which machine, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from grading.scoring.formats.row_fields import RowFields

TEXTS = ("provider", "model", "version", "route", "region", "machine")
LONGEST_TEXT = 200
LONGEST_RTT_MS = 60_000
DECIMALS = 24
WHOLE = "all"
"""The part of a provenance that covers whatever has none of its own."""


class Provenance(NamedTuple):
    """One provenance: `part` is what it covers, `rtt_ms` a decimal, dates are YYYY-MM-DD.

    `corrects` is the date of the measurement that this one corrects, empty where it corrects none.
    """

    part: str
    provider: str
    model: str
    version: str
    route: str
    region: str
    machine: str
    rtt_ms: str
    date: str
    corrects: str


def take_provenance(fields: RowFields, parts: Sequence[str]) -> Provenance | None:
    """Take the object `provenance` of a row; None after reporting everything that is wrong with it."""
    inside = fields.take_part("provenance")
    if inside is None:
        if not fields.is_faulty:
            fields.fault("INVALID_FIELD_TYPE", "provenance", wanted="object", found="null")
        return None
    texts = {name: _text(inside, name) for name in TEXTS}
    rtt = _rtt(inside)
    measured = _day(inside, "date") if inside.require("date") else ""
    corrects = _day(inside, "corrects") if inside.has("corrects") else ""
    part = inside.take_choice("part", parts) or WHOLE
    if corrects and measured and corrects > measured:
        inside.fault("CORRECTS_WHAT_CAME_LATER", "corrects", found=corrects, date=measured)
    if inside.is_faulty:
        return None
    return Provenance(part=part, rtt_ms=rtt, date=measured, corrects=corrects, **texts)


def _text(fields: RowFields, name: str) -> str:
    if not fields.require(name):
        return ""
    text = fields.take_text(name, longest=LONGEST_TEXT)
    kept = " ".join((text or "").split())
    if not kept and (text is not None or not fields.has(name)):
        fields.fault("BLANK_PROVENANCE", name)
    elif not kept.isprintable():
        # It is shown to everybody: nothing in it may hide, or turn the text around it.
        fields.fault("UNSEEN_CHARACTER", name)
    return kept


def _rtt(fields: RowFields) -> str:
    if not fields.require("rtt_ms"):
        return ""
    number = fields.take_number("rtt_ms", 0, LONGEST_RTT_MS, decimals=DECIMALS)
    if number is None:
        if not fields.has("rtt_ms"):
            fields.fault("BLANK_PROVENANCE", "rtt_ms")
        return ""
    return short(number)


def short(number: Fraction) -> str:
    """Return a number rounded to 6 decimals, half to even, without zeros at its end."""
    rounded = round(number, 6)
    text = f"{Decimal(rounded.numerator) / Decimal(rounded.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _day(fields: RowFields, name: str) -> str:
    text = fields.take_text(name, longest=LONGEST_TEXT)
    if text is None:
        if not fields.has(name):
            fields.fault("BLANK_PROVENANCE", name)
        return ""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        fields.fault("NO_DAY", name, found=text)
        return ""
    return text


def shown(known: Sequence[Provenance]) -> Mapping[str, str]:
    """Return each field as one text: the value alone where all agree, else each with its part."""
    found = {}
    for name in (*TEXTS, "rtt_ms"):
        values = [str(getattr(one, name)) for one in known]
        if len(set(values)) == 1:
            found[name] = values[0]
        else:
            parts = [one.part for one in known]
            found[name] = "; ".join(f"{p}: {v}" for p, v in zip(parts, values, strict=True))
    return found
