"""An entrant's scores over time: points with intervals, and the best so far as a step line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from grading.charts.axis import Axis, Tick, fit_axis
from grading.charts.forest import Span

LEFT, RIGHT = 48.0, 864.0
TOP, BOTTOM = 16.0, 208.0
DATES = 4
SHORT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Event:
    """One scored submission: when, how good, and what the reader hears of it."""

    at: datetime
    span: Span
    label: str
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the chart in view-box units; `whisker` is empty without an interval."""

    x: str
    y: str
    whisker: str
    label: str
    counts: bool


@dataclass(frozen=True, slots=True)
class History:
    """The chart; `best` is the path of the best score so far, `is_short` asks for times, not days."""

    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    dates: tuple[tuple[datetime, str], ...]
    best: str
    is_short: bool


def draw_history(events: Sequence[Event]) -> History:
    """Return the chart of the events, which must be in order of time; empty ones give no dots."""
    axis = fit_axis(value for event in events for value in event.span.values)
    places = _places([event.at for event in events])
    dots = tuple(_dot(event, x, axis) for event, x in zip(events, places, strict=True))
    ticks = tuple(Tick(axis.label(value), f"{_height(axis, value):.1f}") for value in axis.values)
    is_short = bool(events) and events[-1].at - events[0].at < SHORT
    return History(dots, ticks, _dates(events, places), _best_path(events, places, axis), is_short)


def _places(moments: Sequence[datetime]) -> list[float]:
    if not moments:
        return []
    span = (moments[-1] - moments[0]).total_seconds()
    if span <= 0:
        return [(LEFT + RIGHT) / 2 for _ in moments]
    inner = RIGHT - LEFT - 32
    return [LEFT + 16 + inner * (at - moments[0]).total_seconds() / span for at in moments]


def _height(axis: Axis, value: float) -> float:
    return axis.pixel(value, BOTTOM, TOP)


def _dot(event: Event, x: float, axis: Axis) -> Dot:
    span = event.span
    whisker = ""
    if span.low is not None and span.high is not None:
        whisker = f"M{x:.1f} {_height(axis, span.low):.1f}V{_height(axis, span.high):.1f}"
    y = f"{_height(axis, span.point):.1f}"
    return Dot(f"{x:.1f}", y, whisker, event.label, event.counts)


def _best_path(events: Sequence[Event], places: Sequence[float], axis: Axis) -> str:
    path: list[str] = []
    best: float | None = None
    for event, x in zip(events, places, strict=True):
        if best is None:
            best = event.span.point
            path.append(f"M{x:.1f} {_height(axis, best):.1f}")
        elif event.span.point > best:
            best = event.span.point
            path.append(f"H{x:.1f}V{_height(axis, best):.1f}")
    return "".join([*path, f"H{RIGHT:.1f}"]) if path else ""


def _dates(events: Sequence[Event], places: Sequence[float]) -> tuple[tuple[datetime, str], ...]:
    if not events:
        return ()
    last = len(events) - 1
    chosen: list[tuple[datetime, str]] = []
    taken = -1e9
    for index in sorted({round(last * step / DATES) for step in range(DATES + 1)}):
        if places[index] - taken >= (RIGHT - LEFT) / (DATES + 2):
            chosen.append((events[index].at, f"{places[index]:.1f}"))
            taken = places[index]
    return tuple(chosen)
