"""A board as a page: rows in bands, columns to sort by, the forest plot, what is said around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from unicodedata import east_asian_width
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from competition.enums import BandRule, EntrantKind
from competition.models import Phase
from grading import shown
from grading.charts.forest import Forest, Mark, Span, draw_forest
from grading.views.board_rows import BoardColumn, BoardRow, Columns, sort_rows
from grading.views.parts import words

ROWS_PER_PAGE = 100
SHORT_LABEL = 7


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """What a reader chose of a board: the view (empty = of everything), which rows, sorted by what."""

    view: str = ""
    rows: str = "all"
    sort: str = ""
    descending: bool = False
    page: str = "1"

    @classmethod
    def from_query(cls, query: QueryDict, views: Sequence[str], keys: Sequence[str]) -> BoardChoice:
        """Return the choice that a page's query names; what does not exist falls back."""
        view, sort = query.get("view", ""), query.get("sort", "")
        return cls(
            view=view if view in views else "",
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
    lower_is_better: bool | None
    query: str
    sorted: str
    arrow: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a row beside its column's name, which a phone shows in place of the head."""

    label: str
    text: str
    css: str = ""


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row, every text ready."""

    row: BoardRow
    url: str
    score: str
    interval: str
    spoken: str
    mark: Mark | None
    why: str
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
    def measured_on(self) -> str:
        """The day that the row says it was measured on, empty where it says none."""
        return self.row.measured_on

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


def _head(column: BoardColumn, choice: BoardChoice) -> Head:
    is_sorted = choice.sort == column.key
    rising = (column.lower_is_better is not False) != choice.descending
    turned = "reverse" if is_sorted and not choice.descending else ""
    return Head(
        key=column.key,
        label=column.label,
        unit=column.unit,
        group=column.group,
        lower_is_better=column.lower_is_better,
        query=choice.query(sort=column.key, order=turned) if column.is_number else "",
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
    column = next((column for column in columns if column.key == choice.sort), None)
    if column is None:
        return kept
    return sort_rows(kept, column, turned=choice.descending)


def plot_of(rows: Sequence[BoardRow], head: BoardColumn) -> Forest:
    """Return the forest plot whose scale holds every row, with the interval of place 1."""
    leader = next((row for row in rows if row.place == 1), None)
    spans = [span_of(row, head) for row in rows]
    return draw_forest(spans, span_of(leader, head) if leader else None)


def span_of(row: BoardRow, head: BoardColumn) -> Span | None:
    """Return a row's score and interval as they are shown, None where the score is withheld."""
    if row.score is None:
        return None
    return Span(head.scaled(row.score), head.scaled(row.low), head.scaled(row.high))


@dataclass(frozen=True, slots=True)
class Drawing:
    """What every row of a table is drawn with; `mine` is the code of the reader's own entrant, empty
    without one, `reasons` are sentences for codes of withheld scores."""

    columns: Columns
    forest: Forest
    phase: Phase
    mine: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)


def groups_of(rows: Iterable[BoardRow], drawing: Drawing, choice: BoardChoice) -> list[Group]:
    """Return the rows in bands; sorted by another column they stand in nameless groups.

    Rows without a score stand apart, whatever sorts the others.
    """
    shown_rows = [_shown(row, drawing) for row in rows]
    if not choice.sort:
        return list(_bands(shown_rows, drawing.phase.band_rule))
    with_score = tuple(one for one in shown_rows if one.row.score is not None)
    without = tuple(one for one in shown_rows if one.row.score is None)
    groups = [Group("", "", "", with_score)] if with_score else []
    return [*groups, _group(None, without, "")] if without else groups


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
        text=band_text(places, rule),
        css=rows[0].row.tint,
        rows=rows,
    )


def band_text(places: Sequence[int], rule: str) -> str:
    """Return what a band's head says of its places, and of how its rows belong together."""
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


def _shown(row: BoardRow, drawing: Drawing) -> ShownRow:
    head, *others = drawing.columns
    span = span_of(row, head)
    score = head.text(row.score)
    mine = row.code == drawing.mine
    competition = drawing.phase.track.competition
    return ShownRow(
        row=row,
        url=reverse("grading:entrant-history", args=[competition.slug, row.code]),
        score=score,
        interval=_interval(row, head),
        spoken=_spoken(row, head, score),
        mark=drawing.forest.mark(span) if span else None,
        why=_why(row, drawing.reasons),
        cells=tuple(_cell(one, row) for one in others),
        differs=_differs(row),
        differs_title=_difference(row.difference, head),
        css=row.tint + (" mine" if mine else ""),
        mine=mine,
    )


def _spoken(row: BoardRow, head: BoardColumn, score: str) -> str:
    if row.low is None:
        return score
    interval = head.span(row.low, row.high)
    return _("%(score)s, 95 %% interval %(interval)s") % {"score": score, "interval": interval}


def _cell(column: BoardColumn, row: BoardRow) -> Cell:
    """Return a cell; on a phone a long name has room for two columns of numbers, a text the line."""
    name = f"{column.group}: {column.label}" if column.group else column.label
    label = f"{name}, {column.measured_in}" if column.measured_in else name
    is_long = _width(label) > SHORT_LABEL
    css = "line" if column.shown_as == "text" else "long" if is_long else ""
    return Cell(label, column.text(row.values.get(column.key)), css)


def _width(text: str) -> int:
    """Return how many Latin letters wide a text is; a Chinese character takes the room of two."""
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)


def _interval(row: BoardRow, head: BoardColumn) -> str:
    if row.low is not None:
        return head.span(row.low, row.high)
    if row.score is not None:
        return _("no interval")
    return row.status or _("withheld")


def _why(row: BoardRow, reasons: Mapping[str, str]) -> str:
    """Return why a row has no score, where its track says it."""
    is_withheld = row.score is None and not row.status
    return "".join(sentences({row.withheld_reason}, reasons)) if is_withheld else ""


def sentences(codes: Iterable[str], reasons: Mapping[str, str]) -> list[str]:
    """Return why there is no score or interval, by code; a code without a sentence as it is."""
    return [words(reasons.get(code, code)) for code in sorted(codes) if code]


def _differs(row: BoardRow) -> str:
    if row.place == 1:
        return "—"
    differs = row.difference.get("differs")
    if differs is None:
        return shown.NONE
    return _("yes") if differs else _("no")


def _difference(difference: Mapping[str, Any], head: BoardColumn) -> str:
    delta, low, high = (difference.get(name) for name in ("delta", "low", "high"))
    if delta is None:
        return ""
    told = {
        "delta": head.change(delta),
        "span": shown.NONE if low is None else head.span(low, high),
    }
    if head.is_in_points:
        return _("%(delta)s points, 95 %% interval %(span)s") % told
    return _("%(delta)s %(unit)s, 95 %% interval %(span)s") % {**told, "unit": head.unit}
