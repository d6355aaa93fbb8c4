"""What pages of draws and of the log show: shares, names of people."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from django import template

from grading import shown

register = template.Library()


@register.filter
def percent(share: Fraction) -> str:
    """Return a share of 0 to 1 as a percentage with one decimal, "54.5 %".

    >>> percent(Fraction(30, 55))
    '54.5 %'
    """
    return f"{shown.number(float(100 * share), 1)} %"


@register.filter
def named(names: Mapping[str, str], code: str) -> str:
    """Return the name of the person of a code; the code where they are not known any more."""
    return names.get(code, code)
