"""What stands under the table of a board: the scatter of two columns, and where its rows come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competition.enums import EntrantKind
from grading import shown
from grading.charts.scatter import Plot, Point, draw_scatter
from grading.shown import grouped
from grading.views.board_rows import BoardColumn, BoardRow, Columns, column_from

PANEL = "panel"
LISTED = 40
"""So many rows of a scatter are named beside it; the table has all of them."""

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the list beside the chart."""

    number: int
    team: str
    code: str
    x: str
    y: str
    is_front: bool


@dataclass(frozen=True, slots=True)
class ScatterFigure:
    """The chart of two columns, every text ready."""

    x: BoardColumn
    y: BoardColumn
    plot: Plot
    items: tuple[Item, ...]

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers that stand in the chart: those of the list beside it."""
        return frozenset(item.number for item in self.items)

    @property
    def left_out(self) -> str:
        """What is said of dots without a number, empty where every one has its own."""
        count = len(self.plot.dots) - len(self.items)
        if not count:
            return ""
        return ngettext(
            "%(n)s more is drawn without a number; the table names it.",
            "%(n)s more are drawn without a number; the table names them.",
            count,
        ) % {"n": grouped(count)}

    @property
    def title(self) -> str:
        """What is drawn against what."""
        return _("%(y)s against %(x)s") % {"x": self.x_label, "y": self.y_label}

    @property
    def x_label(self) -> str:
        """The axis along the bottom, with its unit."""
        return axis_label(self.x)

    @property
    def y_label(self) -> str:
        """The axis along the side, with its unit."""
        return axis_label(self.y)

    @property
    def better(self) -> str:
        """Where the best are in the chart."""
        words = {
            (True, True): _("The lower and the further left, the better."),
            (True, False): _("The higher and the further left, the better."),
            (False, True): _("The lower and the further right, the better."),
            (False, False): _("The higher and the further right, the better."),
        }
        return words[bool(self.x.lower_is_better), bool(self.y.lower_is_better)]


def axis_label(column: BoardColumn) -> str:
    """Return a column's group, name and unit."""
    name = f"{column.group}: {column.label}" if column.group else column.label
    return f"{name} ({column.unit})" if column.unit else name


def scatter_figure(told: Json | None) -> ScatterFigure | None:
    """Return the figure of a board's object; None where fewer than two rows have both values."""
    if not told or len(told["points"]) < 2:  # noqa: PLR2004  one point is no chart
        return None
    x, y = column_from(told["x"]), column_from(told["y"])
    points = [
        Point(number, x.scaled(one["x"]), y.scaled(one["y"]), one["kind"] != EntrantKind.OFFICIAL)
        for number, one in enumerate(told["points"], 1)
    ]
    plot = draw_scatter(
        points,
        x_lower_is_better=bool(x.lower_is_better),
        y_lower_is_better=bool(y.lower_is_better),
    )
    named = sorted(plot.dots, key=lambda dot: (not dot.front, dot.number))[:LISTED]
    items = tuple(
        Item(
            dot.number,
            one["team"],
            one["entrant"],
            _with_unit(x, one["x"]),
            _with_unit(y, one["y"]),
            dot.front,
        )
        for one, dot in zip(told["points"], plot.dots, strict=True)
        if dot in named
    )
    return ScatterFigure(x, y, plot, items)


def _with_unit(column: BoardColumn, value: Any) -> str:
    return f"{column.text(value)} {column.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one row comes from: a text for each column of the panel."""

    team: str
    system: str
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the rows of a page come from."""

    heads: tuple[str, ...]
    rows: tuple[Origin, ...]


def provenance_of(rows: Sequence[BoardRow], columns: Columns) -> Provenance | None:
    """Return what the rows say of themselves; None where no column does, or no row."""
    panel = [column for column in columns if column.place == PANEL]
    used = [one for one in panel if any(row.values.get(one.key) is not None for row in rows)]
    if not used:
        return None
    heads = tuple(f"{one.label}, {one.unit}" if one.unit else one.label for one in used)
    return Provenance(heads, tuple(_origin(row, used, heads) for row in rows))


def _origin(row: BoardRow, columns: Columns, heads: Sequence[str]) -> Origin:
    texts = [
        shown.NONE if row.values.get(one.key) is None else one.text(row.values[one.key])
        for one in columns
    ]
    return Origin(row.team, row.system, tuple(zip(heads, texts, strict=True)))
