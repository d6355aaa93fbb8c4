"""Bars of shares: one label's F1, one entrant's quota; widths are percentages of the bar."""

from __future__ import annotations


def share_width(part: float, whole: float) -> str:
    """Return `part` of `whole` as a width, "42.5%": never under 0 or over 100, 0 for nothing of it."""
    if whole <= 0:
        return "0.0%"
    return f"{100 * min(1.0, max(0.0, part / whole)):.1f}%"
