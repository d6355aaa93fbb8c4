"""The timeline of a competition as a drawing: bars of phases on an axis of time. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from competition.models import Phase
from competition.timeline import phase_state

ROW = 36
BAR = 20
TICKS = 6
MARGIN = 0.02
EDGE = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """One phase: where its bar begins and how long it is, in percent of the width; `top` in pixels."""

    phase: Phase
    state: str
    x: float
    width: float
    top: int

    @property
    def label_y(self) -> int:
        """The height of the bar's words, below its middle."""
        return self.top + 15


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis, in percent of the width."""

    x: float
    moment: datetime

    @property
    def anchor(self) -> str:
        """Which end of the mark's words stands on the mark, so that they stay inside."""
        return anchor_at(self.x)


def anchor_at(x: float) -> str:
    """Return the SVG text anchor for words at a place in percent of the width."""
    if x < EDGE:
        return "start"
    return "end" if x > 100 - EDGE else "middle"


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars, marks, and where now is (None outside the drawing)."""

    bars: list[Bar]
    ticks: list[Tick]
    now: float | None
    height: int

    @property
    def now_anchor(self) -> str:
        """Which end of the word for now stands beside its line."""
        return "end" if self.now is not None and self.now > 100 - 2 * EDGE else "start"

    @property
    def now_shift(self) -> int:
        """How far the word stands from the line, in pixels."""
        return -4 if self.now_anchor == "end" else 4


def timeline_chart(phases: Sequence[Phase], now: datetime) -> Timeline | None:
    """Return the drawing, None without phases. The axis spans all phases, a little wider."""
    if not phases:
        return None
    first = min(phase.opens_at for phase in phases)
    last = max(phase.closes_at for phase in phases)
    margin = (last - first) * MARGIN
    start, span = first - margin, (last - first) + 2 * margin

    def percent(moment: datetime) -> float:
        return round(100 * ((moment - start) / span), 2)

    bars = [
        Bar(
            phase=phase,
            state=phase_state(phase, now).value,
            x=percent(phase.opens_at),
            width=round(percent(phase.closes_at) - percent(phase.opens_at), 2),
            top=24 + ROW * number,
        )
        for number, phase in enumerate(phases)
    ]
    inside = start <= now <= start + span
    ticks = [Tick(percent(moment), moment) for moment in _marks(first, last)]
    return Timeline(bars, ticks, percent(now) if inside else None, 24 + ROW * len(phases))


def _marks(first: datetime, last: datetime) -> list[datetime]:
    """Return at most seven evenly spaced midnights (UTC) between two moments."""
    days = max(1, (last - first).days)
    step = timedelta(days=max(1, -(-days // TICKS)))
    mark = first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(
        days=1
    )
    marks = []
    while mark < last:
        marks.append(mark)
        mark += step
    return marks
