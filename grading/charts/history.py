"""An entrant's scores over time: points with intervals, and the best so far as a step line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from grading.charts.axis import Axis, Tick, fit_axis
from grading.charts.forest import Span

FIRST, LAST = 4.0, 96.0
"""Where the first and the last point stand, in percent of the width."""
TOP, BOTTOM = 16.0, 208.0
DATES = 4


@dataclass(frozen=True, slots=True)
class Event:
    """One scored submission: when, how good, and what the reader hears of it."""

    at: datetime
    span: Span
    label: str
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line: `x1`, `x2` in percent of the width, `y1`, `y2` in pixels."""

    x1: str
    y1: str
    x2: str
    y2: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A point: `x` in percent of the width, `y` in pixels; `whisker` is None without an interval."""

    x: str
    y: str
    whisker: Line | None
    label: str
    counts: bool


@dataclass(frozen=True, slots=True)
class History:
    """The chart; `best` are the lines of the best score so far, `is_one_day` asks for times, not days."""

    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    dates: tuple[tuple[datetime, str], ...]
    best: tuple[Line, ...]
    is_one_day: bool


def draw_history(events: Sequence[Event], *, lower_is_better: bool = False) -> History:
    """Return the chart of the events, which must be in order of time; empty ones give no dots."""
    axis = fit_axis(value for event in events for value in event.span.values)
    places = _places([event.at for event in events])
    dots = tuple(_dot(event, x, axis) for event, x in zip(events, places, strict=True))
    ticks = tuple(Tick(axis.label(value), _height(axis, value)) for value in axis.values)
    is_one_day = len({_day(event) for event in events}) == 1
    dates = _dates(events, places, is_one_day=is_one_day)
    best = _best_lines(events, places, axis, lower_is_better=lower_is_better)
    return History(dots, ticks, dates, best, is_one_day)


def _day(event: Event) -> date:
    return event.at.astimezone(UTC).date()


def _places(moments: Sequence[datetime]) -> list[float]:
    if not moments:
        return []
    span = (moments[-1] - moments[0]).total_seconds()
    if span <= 0:
        return [(FIRST + LAST) / 2 for _ in moments]
    return [FIRST + (LAST - FIRST) * (at - moments[0]).total_seconds() / span for at in moments]


def _percent(x: float) -> str:
    return f"{x:.2f}%"


def _height(axis: Axis, value: float) -> str:
    return f"{axis.pixel(value, BOTTOM, TOP):.1f}"


def _dot(event: Event, place: float, axis: Axis) -> Dot:
    span, x = event.span, _percent(place)
    whisker = None
    if span.low is not None and span.high is not None:
        whisker = Line(x, _height(axis, span.low), x, _height(axis, span.high))
    return Dot(x, _height(axis, span.point), whisker, event.label, event.counts)


def _best_lines(
    events: Sequence[Event], places: Sequence[float], axis: Axis, *, lower_is_better: bool
) -> tuple[Line, ...]:
    """Return a step at every score that beats those before it, and the level lines between."""
    lines: list[Line] = []
    best: float | None = None
    since, level = "", ""
    for event, place in zip(events, places, strict=True):
        if best is not None and not _beats(event.span.point, best, lower_is_better):
            continue
        x, y = _percent(place), _height(axis, event.span.point)
        if best is not None:
            lines += [Line(since, level, x, level), Line(x, level, x, y)]
        best, since, level = event.span.point, x, y
    return (*lines, Line(since, level, "100%", level)) if lines or since else ()


def _beats(point: float, best: float, lower_is_better: bool) -> bool:
    return point < best if lower_is_better else point > best


def _dates(
    events: Sequence[Event], places: Sequence[float], *, is_one_day: bool
) -> tuple[tuple[datetime, str], ...]:
    """Return the moments that are written below, apart from each other, no day twice."""
    last = len(events) - 1
    chosen: list[tuple[datetime, str]] = []
    taken, named = -1e9, set[date]()
    for index in sorted(
        {round(last * step / DATES) for step in range(DATES + 1)} if events else ()
    ):
        day, apart = _day(events[index]), places[index] - taken >= 100 / (DATES + 2)
        if apart and (is_one_day or day not in named):
            chosen.append((events[index].at, _percent(places[index])))
            taken = places[index]
            named.add(day)
    return tuple(chosen)
