"""Moments as people read them: Anywhere on Earth, UTC and, by script, the reader's own zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.templatetags.interface import badge
from competition import timeline
from competition.models import Phase
from competition.timeline import AOE

register = template.Library()


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _time(moment: datetime, text: str) -> SafeString:
    return format_html('<time datetime="{}">{}</time>', _iso(moment), text)


@register.simple_tag
def moment(value: datetime | None) -> SafeString | str:
    """Return a moment to the minute in UTC, or a dash; a script adds the reader's own time as a title."""
    if value is None:
        return "–"
    shown = date_format(value.astimezone(UTC), "DATETIME_FORMAT")
    return _time(value, _("%(moment)s UTC") % {"moment": shown})


@register.simple_tag
def clock_time(value: datetime) -> SafeString:
    """Return a moment to the second in UTC and the time it is in AoE, with its day where that differs."""
    utc, there = value.astimezone(UTC), value.astimezone(AOE)
    parts = {
        "moment": date_format(utc, "DATETIME_FORMAT") + date_format(utc, ":s"),
        "aoe": date_format(there, "H:i"),
        "day": date_format(there, "MONTH_DAY_FORMAT"),
    }
    if there.date() == utc.date():
        return _time(value, _("%(moment)s UTC · %(aoe)s AoE") % parts)
    return _time(value, _("%(moment)s UTC · %(day)s, %(aoe)s AoE") % parts)


def last_minute(end: datetime) -> datetime:
    """Return a moment in the last minute that counts before an exclusive end."""
    return end - timedelta(microseconds=1)


@register.simple_tag
def opening(value: datetime) -> SafeString:
    """Return the moment at which something begins: AoE, UTC and a place for the reader's zone."""
    return _both(value, is_end=False)


@register.simple_tag
def deadline(value: datetime) -> SafeString:
    """Return the last minute that counts before something ends, in both zones: `23:59 AoE`, `11:59 UTC`."""
    return _both(value, is_end=True)


def _both(value: datetime, *, is_end: bool) -> SafeString:
    shown = last_minute(value) if is_end else value
    aoe, utc = (date_format(shown.astimezone(zone), "DATETIME_FORMAT") for zone in (AOE, UTC))
    return format_html(
        '<span class="when">{} <span class="soft other"><span class="dot">· </span>{}</span>'
        '<span class="soft other" data-local="{}"></span></span>',
        _time(value, _("%(moment)s AoE") % {"moment": aoe}),
        _time(value, _("%(moment)s UTC") % {"moment": utc}),
        _iso(shown),
    )


def parts_left(seconds: float) -> dict[str, int]:
    """Return whole days, hours, minutes and seconds of a span that is not negative."""
    left = max(0, int(seconds))
    return {
        "days": left // 86400,
        "hours": left // 3600 % 24,
        "minutes": left // 60 % 60,
        "seconds": left % 60,
    }


@register.inclusion_tag("partials/clock.html", takes_context=True)
def clock(context: template.Context, phase: Phase) -> dict[str, Any]:
    """Show what is next for a phase, with the time left; a script keeps it running."""
    now: datetime = context["server_now"]
    upcoming = now < phase.opens_at
    until = phase.opens_at if upcoming else phase.closes_at
    return {
        "phase": phase,
        "is_upcoming": upcoming,
        "is_over": now >= phase.closes_at,
        "is_last_hour": until - now < timedelta(hours=1),
        "grace_end": _grace_end(phase, now),
        "until": until,
        "until_iso": _iso(until),
        "now_iso": _iso(now),
        "left": parts_left((until - now).total_seconds()),
    }


@register.simple_tag(takes_context=True)
def grace_of(context: template.Context, phase: Phase) -> datetime | None:
    """Return until when uploads that began in time may still end; None outside that time."""
    return _grace_end(phase, context["server_now"])


def _grace_end(phase: Phase, now: datetime) -> datetime | None:
    is_grace = timeline.phase_state(phase, now) == timeline.PhaseState.GRACE
    return timeline.grace_end(phase) if is_grace else None


@register.simple_tag(takes_context=True)
def phase_state(context: template.Context, phase: Phase) -> str:
    """Return where a phase stands: `upcoming`, `open`, `grace` or `closed`."""
    return timeline.phase_state(phase, context["server_now"]).value


@register.simple_tag
def phase_badge(state: str) -> SafeString:
    """Return the badge of a phase's state."""
    words = {
        "upcoming": (_("upcoming"), "dash"),
        "open": (_("open"), "ok"),
        "grace": (_("closing"), "warn"),
        "closed": (_("closed"), ""),
    }
    word, kind = words[state]
    return badge(word, kind)


@register.simple_tag
def axis_day(value: datetime) -> str:
    """Return a day as the axis of a drawing names it."""
    return date_format(value.astimezone(UTC), "SHORT_DATE_FORMAT")


@register.simple_tag
def date_field(name: str) -> str:
    """Return the words for the date of a phase that was moved."""
    words = {
        "opens_at": _("opens"),
        "closes_at": _("closes"),
        "frozen_from": _("board frozen from"),
    }
    return words.get(name, name)


@register.simple_tag
def changed_date(value: datetime | None, field: str) -> SafeString | str:
    """Return an old or new date of a phase; a dash where there was none."""
    return "–" if value is None else _both(value, is_end=field == "closes_at")


@register.simple_tag
def day(value: datetime | None) -> SafeString | str:
    """Return the day of a moment in UTC, or a dash."""
    return "–" if value is None else _time(value, date_format(value.astimezone(UTC), "DATE_FORMAT"))
