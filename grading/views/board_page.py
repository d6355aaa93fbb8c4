"""A board as a page: rows in bands, columns to sort by, the forest plot, what is said around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from competition.enums import BandRule, EntrantKind
from competition.models import Phase
from grading import shown
from grading.charts.forest import Forest, Mark, Span, draw_forest
from grading.views.board_rows import BoardRow, Columns, sort_rows

ROWS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """What a reader chose of a board: the view (empty = bilingual), which rows, sorted by what."""

    view: str = ""
    rows: str = "all"
    sort: str = ""
    descending: bool = False
    page: str = "1"

    @classmethod
    def from_query(
        cls, query: QueryDict, languages: Sequence[str], keys: Sequence[str]
    ) -> BoardChoice:
        """Return the choice that a page's query names; what does not exist falls back."""
        view, sort = query.get("view", ""), query.get("sort", "")
        return cls(
            view=view if view in languages else "",
            rows="official" if query.get("rows") == "official" else "all",
            sort=sort if sort in keys else "",
            descending=query.get("order") == "reverse",
            page=query.get("page", "1"),
        )

    def query(self, **changes: str) -> str:
        """Return the query string of this choice with some changes; the page starts anew."""
        values = {"view": self.view, "rows": self.rows, "sort": self.sort}
        values["order"] = "reverse" if self.descending else ""
        values |= changes
        if values["rows"] == "all":
            values["rows"] = ""
        return urlencode({key: value for key, value in values.items() if value})


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head: its words, and the link that sorts by it."""

    key: str
    label: str
    unit: str
    lower_is_better: bool
    query: str
    sorted: str
    arrow: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a row beside its column's name, which a phone shows in place of the head."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row, every text ready."""

    row: BoardRow
    url: str
    score: str
    interval: str
    spoken: str
    mark: Mark | None
    cells: tuple[Cell, ...]
    differs: str
    differs_title: str
    css: str
    mine: bool

    @property
    def place(self) -> int | None:
        """The official place, None outside the rank."""
        return self.row.place

    @property
    def range(self) -> str:
        """The rank range, "4–6"."""
        return self.row.range_text

    @property
    def team(self) -> str:
        """The team's name."""
        return self.row.team

    @property
    def system(self) -> str:
        """The system's name."""
        return self.row.system

    @property
    def corrected_on(self) -> str:
        """The UTC day on which a corrected score took the place of another, empty for none."""
        return self.row.corrected_on

    @property
    def badge(self) -> str:
        """The word for a row outside the official rank, empty for the others."""
        names = {
            EntrantKind.UNOFFICIAL: _("unofficial"),
            EntrantKind.BASELINE: _("baseline"),
        }
        return self.row.status or names.get(EntrantKind(self.row.kind), "")

    @property
    def is_dashed(self) -> bool:
        """True for an unofficial row's badge."""
        return self.row.kind == EntrantKind.UNOFFICIAL

    @property
    def is_baseline(self) -> bool:
        """True for a baseline: it is drawn as a diamond."""
        return self.row.kind == EntrantKind.BASELINE


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one head row: a band, or everything when another column sorts."""

    title: str
    text: str
    css: str
    rows: tuple[ShownRow, ...]


def heads(columns: Columns, choice: BoardChoice) -> list[Head]:
    """Return the column heads; a click on the sorted one turns the order round."""
    return [_head(column, choice) for column in columns]


def _head(column: Any, choice: BoardChoice) -> Head:
    is_sorted = choice.sort == column.key
    rising = column.lower_is_better != choice.descending
    turned = "reverse" if is_sorted and not choice.descending else ""
    return Head(
        key=column.key,
        label=column.label,
        unit=column.unit,
        lower_is_better=column.lower_is_better,
        query=choice.query(sort=column.key, order=turned),
        sorted=("ascending" if rising else "descending") if is_sorted else "",
        arrow="▴" if rising else "▾",
    )


def page_of(rows: Sequence[BoardRow], columns: Columns, choice: BoardChoice) -> Page[BoardRow]:
    """Return one page of the rows that fit the choice, in its order."""
    chosen = chosen_rows(rows, columns, choice)
    return Paginator(chosen, ROWS_PER_PAGE).get_page(choice.page)


def chosen_rows(
    rows: Sequence[BoardRow], columns: Columns, choice: BoardChoice
) -> Sequence[BoardRow]:
    """Return the rows that fit the choice, in its order: the one order of display and export."""
    kept = [row for row in rows if choice.rows == "all" or row.kind == EntrantKind.OFFICIAL]
    if not choice.sort:
        return kept
    column = next(column for column in columns if column.key == choice.sort)
    return sort_rows(kept, column, turned=choice.descending)


def plot_of(rows: Sequence[BoardRow]) -> Forest:
    """Return the forest plot whose scale holds every row, with the interval of place 1."""
    leader = next((row for row in rows if row.place == 1), None)
    return draw_forest([span_of(row) for row in rows], span_of(leader) if leader else None)


def span_of(row: BoardRow) -> Span | None:
    """Return a row's score and interval, None where the score is withheld."""
    return None if row.score is None else Span(row.score, row.low, row.high)


def groups_of(
    rows: Iterable[BoardRow],
    columns: Columns,
    forest: Forest,
    phase: Phase,
    choice: BoardChoice,
    *,
    mine: str,
) -> list[Group]:
    """Return the rows in bands; sorted by another column they stand in one nameless group.

    `mine` is the code of the reader's own entrant, empty without one.
    """
    shown_rows = [_shown(row, columns, forest, phase, mine=row.code == mine) for row in rows]
    if choice.sort:
        return [Group("", "", "", tuple(shown_rows))] if shown_rows else []
    return list(_bands(shown_rows, phase.band_rule))


def _bands(rows: Sequence[ShownRow], rule: str) -> Iterator[Group]:
    for band, members in groupby(_with_band(rows), key=lambda pair: pair[0]):
        found = tuple(row for _band, row in members)
        yield _group(band, found, rule)


def _with_band(rows: Sequence[ShownRow]) -> Iterator[tuple[int | None, ShownRow]]:
    """Give rows outside the rank the band of the ranked row above them; withheld ones have none."""
    band: int | None = None
    for row in rows:
        band = row.row.band or (band if row.row.score is not None else None)
        yield band, row


def _group(band: int | None, rows: tuple[ShownRow, ...], rule: str) -> Group:
    if band is None:
        withheld = all(row.row.score is None for row in rows)
        return Group(_("Without a score") if withheld else _("Outside the rank"), "", "", rows)
    places = [row.place for row in rows if row.place]
    return Group(
        title=_("Band %(band)s") % {"band": band},
        text=_band_text(places, rule),
        css=rows[0].row.tint,
        rows=rows,
    )


def _band_text(places: Sequence[int], rule: str) -> str:
    first, last = min(places), max(places)
    if len(places) == 1:
        return _("place %(place)s · stands alone") % {"place": first}
    span = {"first": first, "last": last}
    where = (
        _("place %(first)s, shared") if first == last else _("places %(first)s–%(last)s")
    ) % span
    if rule == BandRule.COMPONENTS:
        return _("%(where)s · each interval overlaps another one") % {"where": where}
    return _("%(where)s · intervals overlap that of place %(first)s") % {"where": where, **span}


def _shown(row: BoardRow, columns: Columns, forest: Forest, phase: Phase, mine: bool) -> ShownRow:
    interval = shown.span(row.low, row.high)
    span = span_of(row)
    score = shown.number(row.score)
    spoken = _("%(score)s, 95 %% interval %(interval)s") % {"score": score, "interval": interval}
    return ShownRow(
        row=row,
        url=reverse("grading:entrant-history", args=[phase.track.competition.slug, row.code]),
        score=score,
        interval=_interval(row),
        spoken=spoken if row.low is not None else score,
        mark=forest.mark(span) if span else None,
        cells=tuple(
            Cell(column.label, shown.number(row.values.get(column.key), column.digits))
            for column in list(columns)[1:]
        ),
        differs=_differs(row),
        differs_title=_difference(row.difference),
        css=row.tint + (" mine" if mine else ""),
        mine=mine,
    )


def _interval(row: BoardRow) -> str:
    if row.low is not None:
        return shown.span(row.low, row.high)
    if row.score is not None:
        return _("no interval")
    return row.status or _("withheld")


def _differs(row: BoardRow) -> str:
    if row.place == 1:
        return "—"
    differs = row.difference.get("differs")
    if differs is None:
        return shown.NONE
    return _("yes") if differs else _("no")


def _difference(difference: Mapping[str, Any]) -> str:
    delta = difference.get("delta")
    if delta is None:
        return ""
    text = shown.signed(delta)
    span = shown.span(difference.get("low"), difference.get("high"))
    return _("%(delta)s points, 95 %% interval %(span)s") % {"delta": text, "span": span}
