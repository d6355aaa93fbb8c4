"""Reads the rows of track `llm`: an answer in words, the fields taken from it, and a judge's marks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.formats.rows import type_name
from grading.scoring.metrics.extraction import same_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grading.scoring.formats.row_fields import RowFields
    from grading.scoring.metrics.extraction import Value

EXAMPLE = '{"utt_id": "…", "answer": "…", "fields": {"name": "value"}}'
REFERENCE_EXAMPLE = '{"utt_id": "…", "language": "yue", "prompt": "…", "fields": {"name": "value"}}'
MARK_DECIMALS = 2
MOST_FIELDS = 200
MOST_VALUES = 200
MOST_MARKS = 100
LONGEST_NAME = 200

Given = dict[str, "Value | list[Value]"]


class MarksWanted(NamedTuple):
    """Which marks a row may have: bounds of the judge's scale and how many; None where none are taken."""

    lowest: Fraction
    highest: Fraction
    most: int


class AnswerRow(NamedTuple):
    """One item of a submission: what was answered, its fields, the marks; None where there are no marks."""

    answer: str
    fields: Given
    marks: tuple[Fraction, ...] | None


class AnswerReference(NamedTuple):
    """One item of the references: what is asked, the right answer where one is given, and the fields."""

    prompt: str
    answer: str
    fields: Given


def take_answer(fields: RowFields, *, longest: int, marks: MarksWanted | None) -> AnswerRow | None:
    """Take a row of a submission; None after reporting what is wrong with it."""
    answer = fields.take_text("answer", longest=longest) if fields.require("answer") else None
    if answer is None and not fields.is_faulty:
        fields.fault("INVALID_FIELD_TYPE", "answer", wanted="string", found="null")
    given = take_fields(fields, longest=longest)
    found = _marks(fields, marks)
    if fields.is_faulty or answer is None or given is None:
        return None
    return AnswerRow(answer, given, found)


def take_reference(fields: RowFields, *, longest: int) -> AnswerReference | None:
    """Take a row of the references; None after reporting what is wrong with it."""
    prompt = fields.take_text("prompt", longest=longest) or ""
    answer = fields.take_text("answer", longest=longest) or ""
    given = take_fields(fields, longest=longest)
    if fields.is_faulty or given is None:
        return None
    return AnswerReference(prompt, answer, given)


def take_fields(fields: RowFields, *, longest: int) -> Given | None:
    """Return the object `fields` of a row: texts, numbers, true, false, null, or lists of these.

    Names that become one by normalization are refused: which of their values was meant?
    """
    if not fields.require("fields"):
        return None
    value = fields.take_object("fields")
    if value is None:
        if not fields.is_faulty:
            fields.fault("INVALID_FIELD_TYPE", "fields", wanted="JSON object", found="null")
        return None
    if len(value) > MOST_FIELDS:
        fields.fault("TOO_MANY_VALUES", "fields", count=len(value), limit=MOST_FIELDS)
        return None
    for name in same_names(value):
        fields.fault("DUPLICATE_FIELD_NAME", f"fields.{name}")
    _check_values(fields, value, longest)
    return None if fields.is_faulty else _as_given(value)


def _as_given(value: Mapping[str, Any]) -> Given:
    return dict(value)


def _check_values(fields: RowFields, value: Mapping[str, Any], longest: int) -> None:
    for name, given in value.items():
        place = f"fields.{name}"
        if not name.strip() or len(name) > LONGEST_NAME:
            fields.fault("INVALID_FIELD_NAME", "fields", limit=LONGEST_NAME)
            continue
        several = given if isinstance(given, list) else [given]
        if len(several) > MOST_VALUES:
            fields.fault("TOO_MANY_VALUES", place, count=len(several), limit=MOST_VALUES)
            continue
        for one in several:
            _check_value(fields, place, one, longest)


def _check_value(fields: RowFields, place: str, value: object, longest: int) -> None:
    if isinstance(value, dict | list):
        found = type_name(value)
        fields.fault("INVALID_FIELD_TYPE", place, wanted="text, number or boolean", found=found)
    elif isinstance(value, float) and not math.isfinite(value):
        fields.fault(
            "INVALID_FIELD_TYPE", place, wanted="number that can be written", found="number"
        )
    elif isinstance(value, str) and len(value) > longest:
        fields.fault("TEXT_TOO_LONG", place, characters=len(value), limit=longest)


def _marks(fields: RowFields, wanted: MarksWanted | None) -> tuple[Fraction, ...] | None:
    if not fields.has("marks"):
        return None
    if wanted is None:
        fields.fault("MARKS_NOT_TAKEN", "marks")
        return None
    found = fields.take_numbers(
        "marks", wanted.lowest, wanted.highest, decimals=MARK_DECIMALS, most=wanted.most
    )
    return tuple(found) if found else None
