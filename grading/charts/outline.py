"""The outline of a sound as bars, drawn from heights that were measured when it was prepared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 96
GAP = 0.35
LEAST = 2.0
ROOM = 0.9


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in a box of WIDTH by HEIGHT."""

    x: float
    y: float
    width: float
    height: float


def bars_of(heights: Sequence[int]) -> list[Bar]:
    """Return bars around the middle line for heights of 0–100.

    >>> bars_of([0, 100])
    [Bar(x=0.0, y=47.0, width=156.0, height=2.0), Bar(x=240.0, y=4.8, width=156.0, height=86.4)]
    """
    step = WIDTH / max(1, len(heights))
    drawn = [max(LEAST, ROOM * HEIGHT * height / 100) for height in heights]
    return [
        Bar(
            round(place * step, 1),
            round((HEIGHT - tall) / 2, 1),
            round(step * (1 - GAP), 1),
            round(tall, 1),
        )
        for place, tall in enumerate(drawn)
    ]
