"""What moved between two scores: both intervals above each other, and the parts of the gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.charts.axis import Tick, fit_axis
from grading.charts.forest import Span

LEFT, RIGHT = 96.0, 360.0
"""Where the plot of two intervals begins and ends, in units of its 368-wide view box."""
ROWS = (32, 76)
BAR_LEFT, BAR_RIGHT = 176.0, 310.0
BAR_STEP, BAR_HEIGHT, BAR_TOP = 38, 22, 8
SMALLEST_BAR = 1.5


@dataclass(frozen=True, slots=True)
class Whisker:
    """One interval in view-box units; `path` draws line and caps, empty without an interval."""

    x: str
    y: int
    path: str
    label_x: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The previous best and the score now, on one scale."""

    ticks: tuple[Tick, ...]
    before: Whisker
    now: Whisker


@dataclass(frozen=True, slots=True)
class Part:
    """One contribution to a gain, in points, as it is written and measured."""

    label: str
    points: float
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the waterfall; `down` tells a loss from a gain."""

    label: str
    text: str
    x: str
    y: int
    width: str
    text_x: str
    baseline: int
    down: bool


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The bars from no change to the whole change; `zero` is the x of no change."""

    bars: tuple[Bar, ...]
    zero: str
    height: int


def compare(before: Span, now: Span) -> Comparison:
    """Return the drawing of two scores; the scale holds both intervals."""
    axis = fit_axis((*before.values, *now.values), target=6, pad=0.08)

    def whisker(span: Span, y: int) -> Whisker:
        x = axis.pixel(span.point, LEFT, RIGHT)
        return Whisker(f"{x:.1f}", y, _whisker_path(axis_ends(span), y), f"{x:.1f}")

    def axis_ends(span: Span) -> tuple[float, float] | None:
        if span.low is None or span.high is None:
            return None
        return axis.pixel(span.low, LEFT, RIGHT), axis.pixel(span.high, LEFT, RIGHT)

    ticks = axis.pixel_ticks(LEFT, RIGHT)
    return Comparison(ticks, whisker(before, ROWS[0]), whisker(now, ROWS[1]))


def _whisker_path(ends: tuple[float, float] | None, y: int) -> str:
    if ends is None:
        return ""
    low, high = ends
    return f"M{low:.1f} {y}H{high:.1f}M{low:.1f} {y - 5}v10M{high:.1f} {y - 5}v10"


def draw_waterfall(parts: Sequence[Part], total: Part) -> Waterfall:
    """Return one bar a part, each beginning where the last one ended, and one for the whole."""
    edges = [0.0]
    for part in parts:
        edges.append(edges[-1] + part.points)
    low, high = min(*edges, total.points, 0.0), max(*edges, total.points, 0.0)
    scale = (BAR_RIGHT - BAR_LEFT) / ((high - low) or 1.0)

    def place(points: float) -> float:
        return BAR_LEFT + (points - low) * scale

    bars = [
        _bar(part, place(start), place(start + part.points), index)
        for index, (part, start) in enumerate(zip(parts, edges, strict=False))
    ]
    bars.append(_bar(total, place(0.0), place(total.points), len(parts)))
    return Waterfall(tuple(bars), f"{place(0.0):.1f}", BAR_STEP * len(bars))


def _bar(part: Part, start: float, end: float, index: int) -> Bar:
    left, right = min(start, end), max(start, end)
    width = max(SMALLEST_BAR, right - left)
    top = BAR_TOP + BAR_STEP * index
    return Bar(
        label=part.label,
        text=part.text,
        x=f"{left:.1f}",
        y=top,
        width=f"{width:.1f}",
        text_x=f"{left + width + 8:.1f}",
        baseline=top + 16,
        down=part.points < 0,
    )
