from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from grading.charts.bars import share_width
from grading.charts.forest import Span, draw_forest
from grading.charts.history import BOTTOM, FIRST, LAST, TOP, Event, draw_history
from grading.charts.moves import BAR_LEFT, BAR_RIGHT, Part, compare, draw_waterfall

START = datetime(2026, 12, 1, tzinfo=UTC)


def test_a_forest_has_one_scale_for_all_rows():
    leader = Span(75.78, 74.44, 77.06)
    forest = draw_forest([leader, Span(55.49, 53.83, 57.07), None], leader)
    mark, last = forest.mark(leader), forest.mark(Span(55.49, 53.83, 57.07))
    assert float(last.low[:-1]) < float(last.point[:-1]) < float(mark.low[:-1])
    assert forest.lead.x == mark.low
    width = float(mark.high[:-1]) - float(mark.low[:-1])
    assert float(forest.lead.width[:-1]) == pytest.approx(width, abs=0.02)


def test_a_row_without_an_interval_is_a_point():
    forest = draw_forest([Span(50.0)], Span(50.0))
    assert forest.lead is None
    assert (forest.mark(Span(50.0)).low, forest.mark(Span(50.0)).point) == (None, "50.00%")


def test_a_forest_without_rows_has_no_scale_to_label():
    assert draw_forest([], None).ticks == ()


def test_two_scores_share_a_scale():
    chart = compare(Span(68.97, 67.47, 70.44), Span(70.36, 68.84, 71.78))
    assert float(chart.before.x) < float(chart.now.x)
    assert chart.before.path.startswith("M")
    assert compare(Span(1.0), Span(2.0)).now.path == ""


def test_a_waterfall_ends_where_the_whole_ends():
    parts = [Part("F1", 1.15, "+1.15"), Part("mNTD", -0.4, "−0.40"), Part("Error", 0.03, "+0.03")]
    fall = draw_waterfall(parts, Part("Final", 0.78, "+0.78"))
    f1, mntd, error, whole = fall.bars
    assert float(f1.x) == float(whole.x) == float(fall.zero) == BAR_LEFT
    assert float(f1.x) + float(f1.width) == pytest.approx(BAR_RIGHT, abs=0.1)
    assert float(mntd.x) + float(mntd.width) == pytest.approx(BAR_RIGHT, abs=0.1)
    assert (f1.down, mntd.down, error.down) == (False, True, False)
    assert float(whole.width) == pytest.approx(
        float(error.x) + float(error.width) - BAR_LEFT, abs=2
    )


def test_a_waterfall_of_losses_grows_to_the_left():
    fall = draw_waterfall([Part("F1", -2.0, "−2.00")], Part("Final", -2.0, "−2.00"))
    assert float(fall.zero) == BAR_RIGHT
    assert float(fall.bars[0].x) == BAR_LEFT


def test_nothing_moved_is_drawn_as_thin_lines():
    fall = draw_waterfall([Part("F1", 0.0, "±0.00")], Part("Final", 0.0, "±0.00"))
    assert [bar.width for bar in fall.bars] == ["1.5", "1.5"]


def events(*scores: float) -> list[Event]:
    return [
        Event(START + timedelta(days=day), Span(score, score - 1, score + 1), f"{score}")
        for day, score in enumerate(scores)
    ]


def percent(place: str) -> float:
    return float(place.removesuffix("%"))


def test_a_history_runs_from_left_to_right_and_stays_in_its_frame():
    chart = draw_history(events(50.0, 64.0, 60.0))
    xs = [percent(dot.x) for dot in chart.dots]
    assert xs == sorted(xs)
    assert (xs[0], xs[-1]) == (FIRST, LAST)
    assert all(TOP <= float(dot.y) <= BOTTOM for dot in chart.dots)
    assert float(chart.dots[1].y) < float(chart.dots[2].y) < float(chart.dots[0].y)


def test_the_best_so_far_never_falls_and_has_no_gap():
    chart = draw_history(events(50.0, 64.0, 60.0, 70.0))
    steps = [line for line in chart.best if line.x1 == line.x2]
    assert len(steps) == 2
    assert all(float(line.y2) < float(line.y1) for line in steps)
    assert chart.best[-1].x2 == "100%"
    for one, following in itertools.pairwise(chart.best):
        assert (one.x2, one.y2) == (following.x1, following.y1)


def test_a_history_of_one_or_none_is_drawn():
    assert draw_history([]).best == ()
    assert [percent(dot.x) for dot in draw_history(events(50.0)).dots] == [(FIRST + LAST) / 2]
    assert len(draw_history(events(50.0)).best) == 1


def test_dates_do_not_overlap():
    chart = draw_history(events(*[50.0 + day for day in range(30)]))
    xs = [percent(x) for _at, x in chart.dates]
    assert all(b - a >= 100 / 6 - 0.1 for a, b in itertools.pairwise(xs))


def test_no_day_is_written_twice_below_a_history():
    hours = [0, 5, 20, 30, 60]
    given = [Event(START + timedelta(hours=hour), Span(50.0), "50.0") for hour in hours]
    days = [f"{at:%d %b}" for at, _x in draw_history(given).dates]
    assert len(days) == len(set(days)) > 1


def test_uploads_of_one_day_are_told_apart_by_their_times():
    chart = draw_history([Event(START + timedelta(minutes=m), Span(50.0), "") for m in (0, 30)])
    assert chart.is_one_day
    assert len(chart.dates) == 2


@pytest.mark.parametrize(
    ("part", "whole", "width"),
    [(17, 40, "42.5%"), (40, 40, "100.0%"), (50, 40, "100.0%"), (0, 0, "0.0%"), (-1, 2, "0.0%")],
)
def test_a_bar_is_never_longer_than_its_frame(part, whole, width):
    assert share_width(part, whole) == width
