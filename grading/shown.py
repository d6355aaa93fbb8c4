"""How numbers, spans of time and sizes are written on pages. Missing is a dash, never 0."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

NONE = "–"
LEAST_CHANCE = 0.00005
"""Below it a p-value rounds to 0.0000, which no p-value is."""
MINUTE, HOUR, DAY = 60, 3600, 86400
KIBI, SIZES = 1024, ("B", "KiB", "MiB", "GiB", "TiB")


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with fixed decimals; None is a dash."""
    return NONE if value is None else f"{value:.{digits}f}"


def chance(p: float | None) -> str:
    """Return a p-value with four decimals, and "< 0.0001" where those would say that it is 0."""
    return "< 0.0001" if p is not None and p < LEAST_CHANCE else number(p, 4)


def signed(value: float | None, digits: int = 2) -> str:
    """Return a change with its sign, "+1.39" or "−0.20"; one that rounds to nothing has none."""
    if value is None:
        return NONE
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return f"±{text}"
    return f"{'+' if value > 0 else '−'}{text}"


def span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval, "68.84–71.78"; without one a dash."""
    if low is None or high is None:
        return NONE
    return f"{number(low, digits)}–{number(high, digits)}"


def value(value: Any, shown_as: str, digits: int) -> str:
    """Return a value of a board as its column says it is shown; what is missing is a dash.

    Percent are stored as fractions; `counted` is a pair [k, n].
    """
    if value is None or value == "":
        return NONE
    if shown_as == "percent":
        return number(100 * value, digits)
    if shown_as == "count":
        return grouped(value)
    if shown_as == "counted":
        return f"{value[0]}/{value[1]}"
    if shown_as == "flag":
        return _("yes") if value else _("no")
    return number(value, digits) if shown_as == "number" else str(value)


def grouped(value: int) -> str:
    """Return a count with a comma between thousands."""
    return f"{value:,}"


def filesize(size: int) -> str:
    """Return a size in the largest fitting unit of 1024, "1.8 MiB"; whole numbers have no decimals."""
    value, unit = float(size), 0
    while value >= KIBI and unit < len(SIZES) - 1:
        value, unit = value / KIBI, unit + 1
    return f"{value:.1f}".removesuffix(".0") + f" {SIZES[unit]}"


def seconds(took: timedelta) -> str:
    """Return a short span of time with its two largest units: "0.6 s", "1 min 12 s", "2 d 3 h"."""
    total = max(0.0, took.total_seconds())
    if total < MINUTE:
        return _("%(s)s s") % {"s": f"{total:.1f}"}
    if total < HOUR:
        return _("%(m)d min %(s)d s") % {"m": total // MINUTE, "s": total % MINUTE}
    if total < DAY:
        return _("%(h)d h %(m)d min") % {"h": total // HOUR, "m": total % HOUR // MINUTE}
    return _("%(d)d d %(h)d h") % {"d": total // DAY, "h": total % DAY // HOUR}
