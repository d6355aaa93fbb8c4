"""Numbers on pages: fixed decimals, signs, intervals, spans of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from grading import shown
from grading.charts.bars import share_width

register = template.Library()

register.filter("signed", shown.signed)
register.filter("chance", shown.chance)
register.filter("grouped", shown.grouped)
register.filter("filesize", shown.filesize)


@register.filter
def fixed(value: float | None, digits: int = 2) -> str:
    """Return a number with fixed decimals; None is a dash."""
    return shown.number(value, digits)


@register.simple_tag
def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval, "68.84–71.78"; without one a dash."""
    return shown.span(low, high, digits)


@register.filter
def lasting(took: timedelta | None) -> str:
    """Return a span of time with its two largest units; None is a dash."""
    return shown.NONE if took is None else shown.seconds(took)


@register.filter
def share_of(part: float, whole: float) -> str:
    """Return the width of a bar that shows `part` of `whole`."""
    return share_width(part, whole)


@register.filter
def translated(text: str) -> str:
    """Return a sentence of the scorer in the reader's language."""
    return gettext(text) if text else ""


@register.simple_tag
def second(moment: datetime | None) -> SafeString | str:
    """Return the time of day to the second in UTC, "09:41:07 UTC"; a dash without a moment."""
    if moment is None:
        return shown.NONE
    at = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{} UTC</time>', f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{at:%H:%M:%S}"
    )


@register.simple_tag
def instant(moment: datetime | None) -> SafeString | str:
    """Return a moment to the millisecond in UTC, as evidence needs it."""
    if moment is None:
        return shown.NONE
    at = moment.astimezone(UTC)
    to_the_second = date_format(at, "DATETIME_FORMAT") + date_format(at, ":s")
    text = f"{to_the_second}.{at.microsecond // 1000:03d} UTC"
    return format_html('<time datetime="{}">{}</time>', at.isoformat(timespec="milliseconds"), text)


@register.filter
def slot_reason(reason: str) -> str:
    """Return why a quota slot was given back, in words; a slot in use has no reason."""
    words = {
        "rejected": gettext("the file was rejected"),
        "failed": gettext("it failed on our side"),
        "cancelled": gettext("the team cancelled it"),
    }
    return words.get(reason, reason) or shown.NONE
