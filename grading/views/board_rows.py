"""Rows and columns of a board as values: what pages, CSV and JSON are made of, in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from competition.enums import EntrantState
from competition.languages import language_named
from grading import shown
from grading.scoring.tracks.columns import NUMBERS
from grading.views.parts import titled, words

TINTS = ("b1", "b2", "b3", "b4")
TABLE, PART = "table", "part"

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column: its key, words, unit, which way is better (None: neither), and how it is written."""

    key: str
    label: str
    unit: str
    lower_is_better: bool | None
    digits: int = 2
    shown_as: str = "number"
    group: str = ""
    meaning: str = ""
    place: str = TABLE
    is_part: bool = False

    @property
    def is_number(self) -> bool:
        """Whether rows can be put in order by it."""
        return self.shown_as in NUMBERS

    @property
    def is_in_points(self) -> bool:
        """Whether differences are told in points: of a score out of 100, of percent."""
        return self.shown_as == "percent" or self.unit == _("0–100")

    @property
    def measured_in(self) -> str:
        """The unit that a number cannot be read without; points and ranges are told with the score."""
        return self.unit if self.shown_as == "percent" or self.unit == _("ms") else ""

    @property
    def is_share(self) -> bool:
        """Whether it is the share of a mark, 0 … 1, that more of is better."""
        return self.unit == _("0–1") and self.lower_is_better is False

    def text(self, value: Any) -> str:
        """Return a value as it is shown."""
        return shown.value(value, self.shown_as, self.digits)

    def span(self, low: Any, high: Any) -> str:
        """Return an interval as it is shown."""
        return f"{self.text(low)}–{self.text(high)}"

    def change(self, value: float | None) -> str:
        """Return a difference with its sign, as it is shown."""
        return shown.signed(self.scaled(value), self.digits)

    def scaled(self, value: Any) -> Any:
        """Return a number in the unit it is shown in; None stays None."""
        return 100 * value if value is not None and self.shown_as == "percent" else value

    def sorted_by(self, value: Any) -> Any:
        """Return what rows are put in order by."""
        if self.shown_as == "counted":
            return value[0] / value[1] if value[1] else 0.0
        return value


Columns = Sequence[BoardColumn]


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One row as the reader may see it. `values` holds what every column shows; missing is absent."""

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
    values: Mapping[str, Any]
    difference: Mapping[str, Any] = field(default_factory=dict)
    withheld_reason: str = ""
    interval_reason: str = ""
    corrected_on: str = ""
    measured_on: str = ""
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


def columns_of(head: Json, view: str) -> list[BoardColumn]:
    """Return the columns of a view in the reader's words, from the board's own object.

    The score is first; the board of everything has the score of each part after it.
    """
    told = _columns_told(head, view)
    if not told:
        return []
    score = column_from(told[0])
    tabs = [tab for tab in head.get("tabs", ()) if tab["key"]]
    named = {one["key"] for one in told}
    title = next((tab for tab in tabs if tab["key"] == view), None)
    label = part_label(score.label, tab_title(title)) if title and not _own(head) else score.label
    parts: list[BoardColumn] = []
    if not view and not _own(head):
        parts = [
            replace(score, key=tab["key"], label=tab_title(tab), meaning="", group="", is_part=True)
            for tab in tabs
            if tab["key"] not in named
        ]
    return [replace(score, label=label), *parts, *(column_from(one) for one in told[1:])]


def _own(head: Json) -> bool:
    """Return whether each view has columns of its own, as on a composed board."""
    return bool(head.get("view_columns"))


def _columns_told(head: Json, view: str) -> Sequence[Json]:
    own: Mapping[str, Sequence[Json]] = head.get("view_columns") or {}
    found: Sequence[Json] = own.get(view or "final") or head.get("columns") or ()
    return found


def tab_title(tab: Json) -> str:
    """Return what a part of a board is called: its own name, else that of its language."""
    return words(str(tab["label"])) or language_named(str(tab["key"]))


def part_label(score: str, part: str) -> str:
    """Return the head of the score's column on the board of a part."""
    if score == _("Final score"):
        return _("Score, %(language)s") % {"language": part}
    return f"{score}, {part}"


def column_from(told: Json) -> BoardColumn:
    """Return a column of a board's object in the reader's words."""
    return BoardColumn(
        key=told["key"],
        label=titled(told["label"], told.get("language", "")),
        unit=words(told["unit"]),
        lower_is_better=told["lower_is_better"],
        digits=told["digits"],
        shown_as=told.get("shown_as", "number"),
        group=words(told.get("group", "")),
        meaning=words(told.get("meaning", "")),
        place=told.get("place", TABLE),
    )


def in_table(
    columns: Columns, rows: Sequence[BoardRow], *, is_part: bool = False
) -> list[BoardColumn]:
    """Return the columns that stand in the table: the score, and what says something beside it.

    A column without a value in any row is left out, and one that repeats the score; so are those
    of a part, unless the table is one.
    """
    places = {TABLE, PART} if is_part else {TABLE}
    placed = [column for column in columns if column.place in places]
    if not placed:
        return []
    score, *others = placed
    return [score, *(one for one in others if not rows or _says_something(one, score, rows))]


def _says_something(column: BoardColumn, score: BoardColumn, rows: Sequence[BoardRow]) -> bool:
    values = [row.values.get(column.key) for row in rows]
    if all(value is None for value in values):
        return False
    is_alike = column.is_part or (column.label, column.group) == (score.label, score.group)
    return not is_alike or values != [row.score for row in rows]


def sort_rows(rows: Sequence[BoardRow], column: BoardColumn, *, turned: bool) -> list[BoardRow]:
    """Return the rows by one column, best first (`turned`: worst first); missing numbers last.

    Rows without a score come after all others, whatever else they have. Equal numbers keep the
    official order.
    """
    scored = [row for row in rows if row.score is not None]
    known = [row for row in scored if row.values.get(column.key) is not None]
    missing = [row for row in scored if row.values.get(column.key) is None]
    rising = column.lower_is_better is not False
    known.sort(key=lambda row: column.sorted_by(row.values[column.key]), reverse=rising == turned)
    return known + missing + [row for row in rows if row.score is None]
