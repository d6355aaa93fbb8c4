"""Marks as they come from a form or a file: read strictly, every fault listed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.rating.forms import form_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grading.scoring.rating.forms import Mark

_WRITTEN = re.compile("[0-9]|-[1-9]", re.ASCII)
MARK_MISSING = "MARK_MISSING"
MARK_INVALID = "MARK_INVALID"
MARK_OUT_OF_RANGE = "MARK_OUT_OF_RANGE"
ABSENT_INCONSISTENT = "ABSENT_INCONSISTENT"


@dataclass(frozen=True, slots=True)
class MarkFault:
    """One mark that cannot be taken: its letter, why, and the scale it must be on."""

    mark: str
    code: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ReadMarks:
    """The marks that could be read, and every fault; only without faults may they be used."""

    marks: Mapping[str, int]
    faults: tuple[MarkFault, ...]

    @property
    def row(self) -> tuple[int, ...]:
        """The marks in the form's order."""
        return tuple(self.marks.values())


def read_marks(form: str, given: Mapping[str, object]) -> ReadMarks:
    """Return the marks that a form asks for: whole numbers, or texts of one ASCII digit.

    Nothing else is a mark: no blank, exponent, comma, other digit, NaN or fraction, and no sign but
    the minus of a mark below 0. A is 0 exactly when P is.

    >>> read_marks("mos", {"N": "4"}).marks
    {'N': 4}
    >>> read_marks("comos", {"C": "-3"}).marks
    {'C': -3}
    >>> [fault.code for fault in read_marks("mos", {"N": float("nan")}).faults]
    ['MARK_INVALID']
    """
    marks: dict[str, int] = {}
    faults: list[MarkFault] = []
    for mark in form_of(form).marks:
        number, code = _read(mark, given.get(mark.letter))
        if number is None:
            faults.append(MarkFault(mark.letter, code, mark.low, mark.high))
        else:
            marks[mark.letter] = number
    if {"A", "P"} <= marks.keys() and (marks["A"] == 0) != (marks["P"] == 0):
        faults.append(MarkFault("A", ABSENT_INCONSISTENT, 0, 5))
    return ReadMarks(marks, tuple(faults))


def _read(mark: Mark, value: object) -> tuple[int | None, str]:
    """Return a mark, or None and the code of why it is none."""
    if value is None or value == "":
        return None, MARK_MISSING
    number = _number(value)
    if number is None:
        return None, MARK_INVALID
    return (number, "") if mark.low <= number <= mark.high else (None, MARK_OUT_OF_RANGE)


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and _WRITTEN.fullmatch(value):
        return int(value)
    return None
