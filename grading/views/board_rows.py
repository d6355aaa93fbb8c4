"""Rows and columns of a board as values: what pages, CSV and JSON are made of, in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from competition.enums import EntrantState
from grading import shown

SCORE = "score"
TINTS = ("b1", "b2", "b3", "b4")


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column of numbers: its key, words, unit, and which way is better."""

    key: str
    label: str
    unit: str
    lower_is_better: bool
    digits: int = 2


Columns = Sequence[BoardColumn]


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One row as the reader may see it. `values` holds every column's number; missing is absent."""

    code: str
    team: str
    system: str
    kind: str
    state: str
    place: int | None
    band: int | None
    first: int | None
    last: int | None
    score: float | None
    low: float | None
    high: float | None
    values: Mapping[str, float | None]
    difference: Mapping[str, Any] = field(default_factory=dict)
    withheld_reason: str = ""
    interval_reason: str = ""
    corrected_on: str = ""
    tint: str = "out"

    @property
    def status(self) -> str:
        """Why the row stands outside, in a word: disqualified or withdrawn; empty for others."""
        out = self.state in {EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN}
        return str(EntrantState(self.state).label) if out else ""

    @property
    def range_text(self) -> str:
        """The places that the interval leaves open, "4–6"; one place stands alone."""
        if self.first is None or self.last is None:
            return shown.NONE
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


def tinted(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Return the rows with the tint of their band: four tints, the last two in turn after that."""
    bands = list(dict.fromkeys(row.band for row in rows if row.band is not None))
    tints = {band: TINTS[min(at, 2 + at % 2)] for at, band in enumerate(bands)}
    return [replace(row, tint=tints[row.band]) if row.band else row for row in rows]


def columns_of(languages: Sequence[str], view: str) -> list[BoardColumn]:
    """Return the columns of a view: the score, in the bilingual view each language, the parts."""
    score = _("Final score") if not view else _("Score, %(language)s") % {"language": view}
    head = [BoardColumn(SCORE, score, _("0–100, 95 % interval"), lower_is_better=False)]
    if not view:
        head += [
            BoardColumn(language, language, _("0–100"), lower_is_better=False)
            for language in sorted(languages, reverse=True)
        ]
    return [
        *head,
        BoardColumn("f1", "F1", _("0–1"), lower_is_better=False),
        BoardColumn("mntd", "mNTD", _("0–1"), lower_is_better=True),
        BoardColumn("error_rate", _("Error"), _("≥ 0"), lower_is_better=True),
    ]


def sort_rows(rows: Sequence[BoardRow], column: BoardColumn, *, turned: bool) -> list[BoardRow]:
    """Return the rows by one column, best first (`turned`: worst first); missing numbers last.

    Equal numbers keep the official order.
    """
    known = [row for row in rows if row.values.get(column.key) is not None]
    missing = [row for row in rows if row.values.get(column.key) is None]
    sign = 1 if column.lower_is_better != turned else -1
    return sorted(known, key=lambda row: sign * (row.values[column.key] or 0.0)) + missing
