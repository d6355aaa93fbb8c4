"""Deadlines and days: pure functions of moments.

A deadline written as `2026-12-01 23:59 AoE` lasts through that minute; it is kept as the exclusive
end, 2026-12-02 00:00 AoE = 12:00 UTC. Days of quota are AoE days (UTC-12).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import Final, Protocol

AOE: Final = timezone(timedelta(hours=-12), "AoE")

_MOMENT: Final = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[T ]+(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"\s*(?P<zone>AoE|UTC|Z|[+-]\d{2}:\d{2})",
    re.ASCII | re.IGNORECASE,
)
_OFFSET_LIMIT: Final = timedelta(hours=15)
_YEARS: Final = range(1970, 9999)
"""Years of moments: a grace after the last of them, or its day in any zone, is still a moment."""
_DAY_END: Final = (24, 0, 0)


class PhaseState(StrEnum):
    """Where a phase stands in time. In the grace only uploads that began before may end."""

    UPCOMING = "upcoming"
    OPEN = "open"
    GRACE = "grace"
    CLOSED = "closed"


class Window(Protocol):
    """A phase as far as time goes; `closes_at` is exclusive, `frozen_from` None means never."""

    @property
    def opens_at(self) -> datetime: ...
    @property
    def closes_at(self) -> datetime: ...
    @property
    def grace_minutes(self) -> int: ...
    @property
    def frozen_from(self) -> datetime | None: ...


class Freezable(Window, Protocol):
    """A window whose board can be frozen by hand too, from `held_from` until somebody ends it."""

    @property
    def held_from(self) -> datetime | None: ...


class MomentFault(ValueError):
    """A text that names no moment; the message says what was expected."""


def parse_moment(text: str, *, closing: bool = False) -> datetime:
    """Return the moment in UTC that `YYYY-MM-DD HH:MM[:SS] ZONE` names; raises MomentFault.

    ZONE is AoE, UTC, Z or an offset like +08:00. With `closing` the minute (or second) that is named
    still belongs to the window, so its end is returned. 24:00 is the end of that day, in both cases.
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        raise MomentFault("expected a moment like 2026-12-01 23:59 AoE (or UTC, or +08:00)")
    seconds = int(match["second"]) if match["second"] else 0
    clock = (int(match["hour"]), int(match["minute"]), seconds)
    step = timedelta(seconds=1) if match["second"] else timedelta(minutes=1)
    is_end = closing and clock != _DAY_END
    try:
        moment = _moment(_day(match["date"]), clock, _zone(match["zone"]))
        return moment + step if is_end else moment
    except (ValueError, OverflowError) as error:
        raise MomentFault(f"there is no such moment: {error}") from error


def format_moment(moment: datetime, zone: tzinfo = AOE, *, closing: bool = False) -> str:
    """Return the moment as `2026-12-01 23:59 AoE`; with `closing`, the last minute that belongs."""
    shown = moment - timedelta(minutes=1) if closing else moment
    local = shown.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M} {local.tzname()}"


def phase_state(phase: Window, now: datetime) -> PhaseState:
    """Return where the phase stands at `now`."""
    if now < phase.opens_at:
        return PhaseState.UPCOMING
    if now < phase.closes_at:
        return PhaseState.OPEN
    return PhaseState.GRACE if now < grace_end(phase) else PhaseState.CLOSED


def grace_end(phase: Window) -> datetime:
    """Return the exclusive end of the time in which an upload that began on time may complete."""
    return phase.closes_at + timedelta(minutes=phase.grace_minutes)


def is_on_time(created_at: datetime, phase: Window) -> bool:
    """Return whether an upload that began then (its headers read) began inside the window."""
    return phase.opens_at <= created_at < phase.closes_at


def is_complete_in_time(received_at: datetime, phase: Window) -> bool:
    """Return whether an upload whose last byte came then completed before the grace ended."""
    return received_at < grace_end(phase)


def is_closed(phase: Window, now: datetime) -> bool:
    """Return whether the window has ended, grace or not: exact values and counts may be shown."""
    return now >= phase.closes_at


def is_frozen(phase: Freezable, now: datetime) -> bool:
    """Return whether the public board is held back."""
    return frozen_since(phase, now) is not None


def frozen_since(phase: Freezable, now: datetime) -> datetime | None:
    """Return the moment at which the public board stands still; None while it does not.

    A planned freeze ends when the phase closes, one by hand when an organizer ends it.
    """
    planned = phase.frozen_from if now < phase.closes_at else None
    begun = [moment for moment in (planned, phase.held_from) if moment and moment <= now]
    return min(begun, default=None)


def aoe_day(moment: datetime) -> date:
    """Return the AoE calendar day of a moment."""
    return moment.astimezone(AOE).date()


def day_reset(now: datetime) -> datetime:
    """Return, in UTC, the instant at which the next AoE day begins: 12:00 UTC."""
    return day_start(aoe_day(now) + timedelta(days=1))


def day_start(day: date) -> datetime:
    """Return, in UTC, the instant at which an AoE day begins."""
    return datetime.combine(day, time(), AOE).astimezone(UTC)


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if day.year not in _YEARS:
        raise ValueError(f"the year must be {_YEARS[0]} to {_YEARS[-1]}")
    return day


def _moment(day: date, clock: tuple[int, int, int], zone: tzinfo) -> datetime:
    if clock == _DAY_END:
        return (datetime.combine(day, time(), zone) + timedelta(days=1)).astimezone(UTC)
    return datetime.combine(day, time(*clock), zone).astimezone(UTC)


def _zone(name: str) -> tzinfo:
    if name.lower() == "aoe":
        return AOE
    if name.lower() in {"utc", "z"}:
        return UTC
    clock = time.fromisoformat(name[1:])
    offset = timedelta(hours=clock.hour, minutes=clock.minute)
    if offset > _OFFSET_LIMIT:
        raise ValueError(f"no zone is {name} from UTC")
    return timezone(offset if name[0] == "+" else -offset)
