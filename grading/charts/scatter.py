"""Two numbers of each row against each other: what is fast and right at once stands on the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grading.charts.axis import Axis, Tick, fit_axis

TOP, BOTTOM = 12.0, 268.0
"""Where the highest and the lowest value stand, in pixels."""
PAD = 0.08
BESIDE, ABOVE = 5, -6
"""How far under the middle of its dot a number stands; on the front above the line to the next."""
APART = 14.0
"""Numbers of dots that would stand closer than so many pixels are moved to the other side."""


@dataclass(frozen=True, slots=True)
class Point:
    """A row: its number in the list beside the chart, and its two values as they are shown."""

    number: int
    x: float
    y: float
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A point in the chart: `x` in percent of the width, `y` in pixels; `front` where nothing beats it."""

    number: int
    x: str
    y: str
    dx: int
    dy: int
    anchor: str
    front: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class Plot:
    """The chart; the front is a step line from its best x to its best y."""

    dots: tuple[Dot, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    front: tuple[tuple[str, str, str, str], ...]


def draw_scatter(
    points: Sequence[Point], *, x_lower_is_better: bool, y_lower_is_better: bool
) -> Plot:
    """Return the chart of the points; nothing of it where there are none.

    On the front is a point that no other one beats in one value without losing in the other.
    """
    across = fit_axis((point.x for point in points), target=5, pad=PAD)
    up = fit_axis((point.y for point in points), target=5, pad=PAD)
    signs = (1 if x_lower_is_better else -1, 1 if y_lower_is_better else -1)
    front = [point for point in points if not _is_beaten(point, points, signs)]
    ordered = sorted(front, key=lambda point: (signs[0] * point.x, signs[1] * point.y))
    return Plot(
        dots=tuple(_dots(points, front, across, up)),
        x_ticks=across.percent_ticks(),
        y_ticks=tuple(Tick(up.label(value), _height(up, value)) for value in up.values),
        front=tuple(_steps(ordered, across, up)),
    )


def _is_beaten(point: Point, points: Sequence[Point], signs: tuple[int, int]) -> bool:
    """Return whether another point is at least as good in both and better in one."""
    mine = (signs[0] * point.x, signs[1] * point.y)
    others = ((signs[0] * one.x, signs[1] * one.y) for one in points)
    return any(x <= mine[0] and y <= mine[1] and (x, y) != mine for x, y in others)


def _height(up: Axis, value: float) -> str:
    return f"{up.pixel(value, BOTTOM, TOP):.1f}"


def _dots(points: Sequence[Point], front: Sequence[Point], across: Axis, up: Axis) -> list[Dot]:
    """Return the dots; a number stands right of its dot, left where another is in its way."""
    placed: list[tuple[float, float]] = []
    dots = []
    for point in points:
        x, y = 100 * across.share(point.x), up.pixel(point.y, BOTTOM, TOP)
        is_crowded = any(0 <= at - x < APART / 2 and abs(up_at - y) < APART for at, up_at in placed)
        turned = is_crowded or x > 100 - APART / 2
        dots.append(
            Dot(
                number=point.number,
                x=across.percent(point.x),
                y=_height(up, point.y),
                dx=-9 if turned else 9,
                dy=ABOVE if point in front else BESIDE,
                anchor="end" if turned else "start",
                front=point in front,
                is_open=point.is_open,
            )
        )
        placed.append((x, y))
    return dots


def _steps(ordered: Sequence[Point], across: Axis, up: Axis) -> list[tuple[str, str, str, str]]:
    lines = []
    for left, right in pairwise(ordered):
        x1, y1 = across.percent(left.x), _height(up, left.y)
        x2, y2 = across.percent(right.x), _height(up, right.y)
        lines += [(x1, y1, x2, y1), (x2, y1, x2, y2)]
    return lines
