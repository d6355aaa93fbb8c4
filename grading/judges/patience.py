"""How long to wait before a call is made again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRIES = 6
LONGEST_SECONDS = 60.0
LONGEST_ASKED_SECONDS = 3600.0


def pause(tries: int, *, first: float, draw: Callable[[], float]) -> float:
    """Return the seconds before the next try after `tries` failed ones.

    They double from `first` up to a minute; `draw` gives a number of 0 to 1 that spreads them over
    the upper half, so that calls that failed together do not come back together.

    >>> [pause(tries, first=1, draw=lambda: 1.0) for tries in (1, 2, 3, 20)]
    [1.0, 2.0, 4.0, 60.0]
    """
    whole = min(LONGEST_SECONDS, first * 2.0 ** (min(tries, 30) - 1))
    return whole * (0.5 + 0.5 * draw())


def asked_for(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that `Retry-After` names, as seconds or as a date; None when it does not.

    >>> asked_for({"retry-after": "2.5"}, datetime.now(UTC))
    2.5
    """
    value = (headers.get("retry-after") or "").strip()
    seconds = _seconds(value)
    if seconds is None:
        seconds = _until(value, now)
    if seconds is None or not math.isfinite(seconds):
        return None
    return min(max(seconds, 0.0), LONGEST_ASKED_SECONDS)


def _seconds(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _until(value: str, now: datetime) -> float | None:
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (aware - now).total_seconds()
