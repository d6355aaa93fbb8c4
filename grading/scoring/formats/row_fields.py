"""Fields of one row of measurements: each is taken with its type and range checked, at its place."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.rows import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.formats.rows import Row
    from grading.scoring.report import Collector

_SHOWN_KEYS = 6
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class RowFields:
    """The fields of one row, or of an object inside it; whatever is wrong is reported.

    Every `take_…` returns None where there is nothing to use; `is_faulty` tells whether something
    was reported. A field that is null counts as not given.
    """

    def __init__(
        self,
        value: Mapping[str, object],
        *,
        line: int,
        utt_id: str | None,
        report: Collector,
        example: str,
        path: str = "",
    ) -> None:
        self._value = value
        self._report = report
        self._example = example
        self._path = path
        self.line = line
        self.utt_id = utt_id
        self.is_faulty = False

    @classmethod
    def of_row(cls, row: Row, utt_id: str | None, report: Collector, example: str) -> RowFields:
        """Return the fields of a whole row."""
        return cls(row.value, line=row.piece.line, utt_id=utt_id, report=report, example=example)

    def fault(self, code: str, field: str, **params: object) -> None:
        """Report an error of a field."""
        self.is_faulty = True
        name = f"{self._path}{field}"
        self._report.error(code, line=self.line, utt_id=self.utt_id, field=name, **params)

    def has(self, field: str) -> bool:
        """Return whether a field is given and not null."""
        return self._value.get(field) is not None

    def given(self, field: str) -> bool:
        """Return whether a field is there, null or not."""
        return field in self._value

    def require(self, field: str) -> bool:
        """Return whether a field is there, null or not; report that it is missing."""
        if field in self._value:
            return True
        keys = list(self._value)[:_SHOWN_KEYS]
        self.fault("MISSING_REQUIRED_FIELD", field, keys=keys, row=self._example)
        return False

    def _typed(self, field: str, types: tuple[type, ...], wanted: str) -> Any:
        """Return a value of one of these types, None for null, None after reporting another type."""
        value = self._value.get(field)
        if value is None or (isinstance(value, types) and self._is_exact(value, types)):
            return value
        self.fault("INVALID_FIELD_TYPE", field, wanted=wanted, found=type_name(value))
        return None

    @staticmethod
    def _is_exact(value: object, types: tuple[type, ...]) -> bool:
        return not isinstance(value, bool) or bool in types

    def take_text(self, field: str, *, longest: int) -> str | None:
        """Return a text of at most `longest` characters, without NUL and half characters."""
        text: str | None = self._typed(field, (str,), "string")
        if text is None:
            return None
        if len(text) > longest:
            self.fault("TEXT_TOO_LONG", field, characters=len(text), limit=longest)
            return None
        if _UNSTORABLE.search(text):
            self.fault("UNUSABLE_CHARACTER", field)
            return None
        return text

    def take_flag(self, field: str) -> bool | None:
        """Return true or false."""
        flag: bool | None = self._typed(field, (bool,), "boolean")
        return flag

    def take_choice(self, field: str, choices: Sequence[str]) -> str | None:
        """Return one of the choices."""
        text: str | None = self._typed(field, (str,), "string")
        if text is None or text in choices:
            return text
        self.fault("UNKNOWN_CHOICE", field, found=text, choices=list(choices))
        return None

    def take_number(
        self, field: str, low: Fraction | int, high: Fraction | int, *, decimals: int
    ) -> Fraction | None:
        """Return a number from `low` to `high` with at most so many decimals, exactly as written."""
        value = self._typed(field, (int, float), "number")
        return None if value is None else self._checked(value, field, low, high, decimals)

    def take_numbers(
        self,
        field: str,
        low: Fraction | int,
        high: Fraction | int,
        *,
        decimals: int,
        most: int,
    ) -> list[Fraction] | None:
        """Return a list of such numbers; one fault is enough to use none of them."""
        values: list[object] | None = self._typed(field, (list,), "list")
        if values is None:
            return None
        if len(values) > most:
            self.fault("TOO_MANY_VALUES", field, count=len(values), limit=most)
            return None
        found = []
        for index, value in enumerate(values):
            place = f"{field}[{index}]"
            if isinstance(value, bool) or not isinstance(value, int | float):
                self.fault("INVALID_FIELD_TYPE", place, wanted="number", found=type_name(value))
                continue
            found.append(self._checked(value, place, low, high, decimals))
        whole = [number for number in found if number is not None]
        return whole if len(whole) == len(values) else None

    def _checked(
        self, value: float, field: str, low: Fraction | int, high: Fraction | int, decimals: int
    ) -> Fraction | None:
        number = exact(value)
        if number is None or not low <= number <= high or (number * 10**decimals).denominator != 1:
            code = "NUMBER_OUT_OF_RANGE" if decimals else "NO_WHOLE_NUMBER"
            bounds = {"low": _shown(low), "high": _shown(high), "decimals": decimals or None}
            self.fault(code, field, **bounds)
            return None
        return number

    def take_whole(self, field: str, low: int, high: int) -> int | None:
        """Return a whole number from `low` to `high`."""
        found = self.take_number(field, low, high, decimals=0)
        return None if found is None else int(found)

    def take_object(self, field: str) -> dict[str, object] | None:
        """Return an object as it is."""
        found: dict[str, object] | None = self._typed(field, (dict,), "JSON object")
        return found

    def take_part(self, field: str) -> RowFields | None:
        """Return the fields of an object inside the row."""
        found = self.take_object(field)
        return None if found is None else self._inside(found, f"{field}.")

    def take_parts(self, field: str, *, most: int) -> list[RowFields]:
        """Return the fields of each object of a list; empty where there is none."""
        values: list[object] | None = self._typed(field, (list,), "list")
        if values is not None and len(values) > most:
            self.fault("TOO_MANY_VALUES", field, count=len(values), limit=most)
            return []
        parts = []
        for index, value in enumerate(values or ()):
            place = f"{field}[{index}]"
            if isinstance(value, dict):
                parts.append(self._inside(value, f"{place}."))
            else:
                self.fault(
                    "INVALID_FIELD_TYPE", place, wanted="JSON object", found=type_name(value)
                )
        return parts

    def _inside(self, value: Mapping[str, object], path: str) -> RowFields:
        return RowFields(
            value,
            line=self.line,
            utt_id=self.utt_id,
            report=self._report,
            example=self._example,
            path=f"{self._path}{path}",
        )


def exact(value: float) -> Fraction | None:
    """Return a number as it was written in decimals; None for an infinity.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(str(value)) if math.isfinite(value) else None


def _shown(bound: Fraction | int) -> str:
    text = f"{float(bound):f}".rstrip("0").rstrip(".")
    return text or "0"
