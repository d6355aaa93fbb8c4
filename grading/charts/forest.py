"""The forest plot of a board: one interval a row on a common scale, in percentages of the column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.charts.axis import Axis, Tick, fit_axis

EDGE = 0.04
"""Share of the column at each end where no label fits."""


@dataclass(frozen=True, slots=True)
class Span:
    """A score and its interval, where it has one."""

    point: float
    low: float | None = None
    high: float | None = None

    @property
    def values(self) -> tuple[float, ...]:
        """Every number that the axis has to hold."""
        return tuple(value for value in (self.point, self.low, self.high) if value is not None)


@dataclass(frozen=True, slots=True)
class Mark:
    """A row of the plot; `low` and `high` are None for a score without an interval."""

    point: str
    low: str | None
    high: str | None


@dataclass(frozen=True, slots=True)
class Lead:
    """The pale column of the leader's interval."""

    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Forest:
    """What the head and every row of the plot share."""

    axis: Axis
    ticks: tuple[Tick, ...]
    lead: Lead | None

    def mark(self, span: Span) -> Mark:
        """Return the coordinates of one row."""
        if span.low is None or span.high is None:
            return Mark(self.axis.percent(span.point), None, None)
        low, high = self.axis.percent(span.low), self.axis.percent(span.high)
        return Mark(self.axis.percent(span.point), low, high)


def draw_forest(spans: Sequence[Span | None], leader: Span | None) -> Forest:
    """Return the plot for the rows' spans; rows without a score (None) take no part in the scale.

    Where no row has a score there is nothing to label: the scale has no ticks.
    """
    values = [value for span in spans if span is not None for value in span.values]
    axis = fit_axis(values)
    return Forest(axis, _ticks(axis) if values else (), _lead(axis, leader))


def _ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return the ticks whose labels have room on both sides."""
    return tuple(
        tick
        for tick, value in zip(axis.percent_ticks(), axis.values, strict=True)
        if EDGE <= axis.share(value) <= 1 - EDGE
    )


def _lead(axis: Axis, leader: Span | None) -> Lead | None:
    if leader is None or leader.low is None or leader.high is None:
        return None
    width = 100 * (axis.share(leader.high) - axis.share(leader.low))
    return Lead(axis.percent(leader.low), f"{width:.2f}%")
