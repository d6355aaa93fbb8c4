"""Scales: nice steps, the ticks of an axis, and the place of a value on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
FALLBACK = (0.0, 1.0)
SMALLEST_SPAN = 1e-9


@dataclass(frozen=True, slots=True)
class Tick:
    """A labeled mark: `at` is a coordinate of the chart it belongs to."""

    label: str
    at: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from `low` to `high`, with the values that carry a label."""

    low: float
    high: float
    values: tuple[float, ...]
    decimals: int

    def share(self, value: float) -> float:
        """Return where `value` lies, 0 at the low end and 1 at the high one, clamped to both."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def percent(self, value: float) -> str:
        """Return the place of `value` as a percentage, "91.46%"."""
        return f"{100 * self.share(value):.2f}%"

    def pixel(self, value: float, start: float, end: float) -> float:
        """Return the place of `value` between the coordinates `start` and `end`."""
        return start + (end - start) * self.share(value)

    def label(self, value: float) -> str:
        """Return `value` with the decimals that the step needs."""
        return f"{value:.{self.decimals}f}"

    def percent_ticks(self) -> tuple[Tick, ...]:
        """Return the ticks with percentages as coordinates."""
        return tuple(Tick(self.label(value), self.percent(value)) for value in self.values)

    def pixel_ticks(self, start: float, end: float) -> tuple[Tick, ...]:
        """Return the ticks with coordinates between `start` and `end`."""
        return tuple(
            Tick(self.label(value), f"{self.pixel(value, start, end):.1f}") for value in self.values
        )


def nice_step(span: float, target: int) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten so that `span` holds at most `target` steps."""
    raw = span / max(1, target)
    power = 10.0 ** math.floor(math.log10(raw))
    return power * next(step for step in STEPS if step * power >= raw * (1 - 1e-9))


def fit_axis(values: Iterable[float], *, target: int = 6, pad: float = 0.04) -> Axis:
    """Return an axis that holds every finite value with `pad` of the span as air on both sides.

    Without a finite value it runs from 0 to 1; a single value gets half a unit on each side.
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else FALLBACK
    if high - low < SMALLEST_SPAN:
        low, high = low - 0.5, high + 0.5
    margin = pad * (high - low)
    return spread_axis(low - margin, high + margin, target=target)


def spread_axis(low: float, high: float, *, target: int = 5) -> Axis:
    """Return the axis from `low` to `high`, labeled at the multiples of a nice step inside it."""
    step = nice_step(high - low, target)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9) + (1 if _is_quarter(step) else 0))
    values = tuple(round(index * step, 10) for index in range(first, last + 1))
    return Axis(low, high, values, decimals)


def _is_quarter(step: float) -> bool:
    mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return math.isclose(mantissa, 2.5)
