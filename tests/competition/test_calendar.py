from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from competition.calendar import Season, main_phase, next_phase, season
from competition.charts import timeline_chart
from competition.models import Phase

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def phase(opens: float, closes: float, slug: str = "") -> Phase:
    return Phase(slug=slug, opens_at=NOW + opens * DAY, closes_at=NOW + closes * DAY)


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([], Season.PAST),
        ([phase(-2, -1)], Season.PAST),
        ([phase(-2, 0)], Season.OPEN),  # the grace: uploads that began in time still come in
        ([phase(-2, -1), phase(1, 2)], Season.COMING),
        ([phase(0, 2)], Season.OPEN),
        ([phase(1, 2), phase(-1, 1)], Season.OPEN),
    ],
)
def test_a_competition_is_open_coming_or_past(phases, expected):
    assert season(phases, NOW) == expected


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([phase(-2, 5, "dev"), phase(-1, 3, "final")], "final"),
        ([phase(-2, 5, "dev"), phase(-1, 5, "final")], "final"),
        ([phase(-2, -1, "dev"), phase(4, 5, "final"), phase(2, 9, "extra")], "extra"),
        ([phase(-9, -8, "dev"), phase(-5, -2, "final")], "final"),
    ],
)
def test_the_clock_is_that_of_what_happens_next(phases, expected):
    assert next_phase(phases, NOW).slug == expected


def test_without_phases_there_is_no_clock_no_board_and_no_drawing():
    assert next_phase([], NOW) is None
    assert main_phase([], NOW) is None
    assert timeline_chart([], NOW) is None


def test_the_board_shown_first_is_that_of_the_last_phase_that_has_opened():
    phases = [phase(-9, 1, "dev"), phase(-1, 5, "final"), phase(1, 5, "extra")]
    assert main_phase(phases, NOW).slug == "final"
    assert main_phase([phase(1, 2)], NOW) is None


def test_the_drawing_holds_every_phase_and_now():
    chart = timeline_chart([phase(-10, -1), phase(-2, 10)], NOW)
    assert [(bar.state, bar.x, bar.width) for bar in chart.bars] == [
        ("closed", 1.92, 43.27),
        ("open", 40.38, 57.7),
    ]
    assert chart.now == 50.0
    assert 2 <= len(chart.ticks) <= 7
    assert all(0 <= tick.x <= 100 for tick in chart.ticks)


def test_now_is_left_out_where_it_does_not_belong():
    assert timeline_chart([phase(20, 30)], NOW).now is None


@pytest.mark.parametrize("days", [0.01, 1, 6, 7, 400, 4000])
def test_the_axis_is_never_crowded(days):
    ticks = timeline_chart([phase(0, days)], NOW).ticks
    assert len(ticks) <= 7
