from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competition.timeline import (
    AOE,
    MomentFault,
    PhaseState,
    aoe_day,
    day_reset,
    day_start,
    format_moment,
    frozen_since,
    grace_end,
    is_closed,
    is_complete_in_time,
    is_frozen,
    is_on_time,
    parse_moment,
    phase_state,
)

SECOND = timedelta(seconds=1)
TICK = timedelta(microseconds=1)
MOMENTS = st.integers(0, 4_000_000_000_000_000).map(
    lambda number: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(microseconds=number)
)


@dataclass(frozen=True)
class Window:
    opens_at: datetime = datetime(2026, 12, 1, 12, tzinfo=UTC)
    closes_at: datetime = datetime(2026, 12, 8, 12, tzinfo=UTC)
    grace_minutes: int = 30
    frozen_from: datetime | None = None
    held_from: datetime | None = None


PHASE = Window()

PARSED = [
    ("2026-12-01 23:59 AoE", False, "2026-12-02T11:59:00"),
    ("2026-12-01 23:59 AoE", True, "2026-12-02T12:00:00"),
    ("2026-12-01 24:00 AoE", True, "2026-12-02T12:00:00"),
    ("2026-12-01 24:00 AoE", False, "2026-12-02T12:00:00"),
    ("2026-12-01 00:00 AoE", False, "2026-12-01T12:00:00"),
    ("2026-12-01 00:00 AoE", True, "2026-12-01T12:01:00"),
    ("2026-12-31 23:59 AoE", True, "2027-01-01T12:00:00"),
    ("2024-02-29 12:00 UTC", False, "2024-02-29T12:00:00"),
    ("2026-12-01T23:59:59Z", True, "2026-12-02T00:00:00"),
    ("2026-12-01 23:59:59 UTC", False, "2026-12-01T23:59:59"),
    ("2026-12-01 08:00 +08:00", False, "2026-12-01T00:00:00"),
    ("2026-12-01 08:00-09:30", False, "2026-12-01T17:30:00"),
    ("  2026-12-01  08:00aoe ", False, "2026-12-01T20:00:00"),
]


@pytest.mark.parametrize(("text", "closing", "utc"), PARSED)
def test_a_moment_is_read_into_utc(text: str, closing: bool, utc: str) -> None:
    assert parse_moment(text, closing=closing) == datetime.fromisoformat(utc + "+00:00")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-12-01",
        "2026-12-01 23:59",
        "2026-12-01 23:59 CET",
        "2026-13-01 10:00 AoE",
        "2026-02-29 10:00 AoE",
        "2026-12-01 24:01 AoE",
        "2026-12-01 25:00 AoE",
        "2026-12-01 23:60 AoE",
        "2026-12-01 23:59:60 UTC",
        "2026-12-01 10:00 +15:30",
        "2026-12-01 10:00 +08:60",
        "9999-12-31 23:59 AoE",
        "9999-01-01 00:00 UTC",
        "1969-12-31 23:59 UTC",
        "0026-12-01 23:59 AoE",
        "0001-01-01 00:00 +14:00",
        "２０２６-12-01 10:00 AoE",
        "2026-12-01 10:00 AoE x",
    ],
)
def test_what_names_no_moment_is_refused(text: str) -> None:
    with pytest.raises(MomentFault):
        parse_moment(text, closing=True)


@given(MOMENTS)
def test_format_and_parse_are_inverse_to_the_minute(moment: datetime) -> None:
    minute = moment.replace(second=0, microsecond=0)
    assert parse_moment(format_moment(minute)) == minute
    assert parse_moment(format_moment(minute, closing=True), closing=True) == minute
    assert parse_moment(format_moment(minute, UTC)) == minute


def test_a_closing_moment_is_shown_as_its_last_minute() -> None:
    closes_at = parse_moment("2026-12-01 23:59 AoE", closing=True)
    assert format_moment(closes_at, closing=True) == "2026-12-01 23:59 AoE"
    assert format_moment(closes_at, UTC) == "2026-12-02 12:00 UTC"
    assert format_moment(closes_at, timezone(timedelta(hours=8), "SGT")) == "2026-12-02 20:00 SGT"


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (PHASE.opens_at - TICK, PhaseState.UPCOMING),
        (PHASE.opens_at, PhaseState.OPEN),
        (PHASE.closes_at - TICK, PhaseState.OPEN),
        (PHASE.closes_at, PhaseState.GRACE),
        (PHASE.closes_at + timedelta(minutes=30) - TICK, PhaseState.GRACE),
        (PHASE.closes_at + timedelta(minutes=30), PhaseState.CLOSED),
    ],
)
def test_a_phase_goes_through_its_states_at_exact_instants(
    now: datetime, state: PhaseState
) -> None:
    assert phase_state(PHASE, now) == state


def test_without_grace_a_phase_closes_at_once() -> None:
    assert phase_state(Window(grace_minutes=0), PHASE.closes_at) == PhaseState.CLOSED


@given(MOMENTS)
def test_on_time_closed_and_state_agree(now: datetime) -> None:
    state = phase_state(PHASE, now)
    assert is_on_time(now, PHASE) == (state == PhaseState.OPEN)
    assert is_closed(PHASE, now) == (state in {PhaseState.GRACE, PhaseState.CLOSED})
    assert is_complete_in_time(now, PHASE) == (state != PhaseState.CLOSED)


def test_an_upload_that_began_in_the_last_second_may_complete_in_the_grace() -> None:
    assert is_on_time(PHASE.closes_at - SECOND, PHASE)
    assert is_complete_in_time(grace_end(PHASE) - TICK, PHASE)
    assert not is_complete_in_time(grace_end(PHASE), PHASE)
    assert not is_on_time(PHASE.closes_at, PHASE)


def test_a_board_frozen_by_hand_stays_so_beyond_the_end_and_keeps_the_earlier_moment() -> None:
    planned = PHASE.closes_at - timedelta(days=1)
    phase = Window(held_from=PHASE.closes_at + TICK)
    assert not is_frozen(phase, PHASE.closes_at)
    assert frozen_since(phase, PHASE.closes_at + timedelta(days=9)) == PHASE.closes_at + TICK
    both = Window(frozen_from=planned, held_from=planned + TICK)
    assert frozen_since(both, planned + TICK) == planned
    assert frozen_since(both, PHASE.closes_at) == planned + TICK


def test_a_board_is_frozen_until_its_phase_closes() -> None:
    phase = Window(frozen_from=PHASE.closes_at - timedelta(days=1))
    assert not is_frozen(phase, phase.closes_at - timedelta(days=1) - TICK)
    assert is_frozen(phase, phase.closes_at - timedelta(days=1))
    assert is_frozen(phase, phase.closes_at - TICK)
    assert not is_frozen(phase, phase.closes_at)
    assert not is_frozen(PHASE, PHASE.closes_at - TICK)


def test_the_aoe_day_begins_at_noon_utc() -> None:
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert aoe_day(noon - TICK) == date(2026, 11, 30)
    assert aoe_day(noon) == date(2026, 12, 1)
    assert day_reset(noon - TICK) == noon
    assert day_reset(noon) == noon + timedelta(days=1)


@given(MOMENTS)
def test_a_day_lasts_from_its_start_to_the_reset(now: datetime) -> None:
    start, reset = day_start(aoe_day(now)), day_reset(now)
    assert start <= now < reset
    assert reset - start == timedelta(days=1)
    assert aoe_day(start) == aoe_day(reset - TICK) != aoe_day(reset)
    assert reset.astimezone(AOE).time().isoformat() == "00:00:00"
