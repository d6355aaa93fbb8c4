"""The scatter of two columns: which points stand on the front, and where numbers are written."""

from __future__ import annotations

from grading.charts.scatter import Point, draw_scatter

POINTS = [Point(1, 400, 8.0), Point(2, 300, 9.0), Point(3, 500, 9.5), Point(4, 200, 20.0)]


def front(points: list[Point], *, x: bool, y: bool) -> list[int]:
    plot = draw_scatter(points, x_lower_is_better=x, y_lower_is_better=y)
    return [dot.number for dot in plot.dots if dot.front]


def test_only_what_nothing_beats_in_both_stands_on_the_front() -> None:
    assert front(POINTS, x=True, y=True) == [1, 2, 4]
    assert front(POINTS, x=False, y=False) == [3, 4]
    assert front(POINTS, x=True, y=False) == [4]


def test_equal_points_both_stand_on_it() -> None:
    assert front([Point(1, 3, 3), Point(2, 3, 3)], x=True, y=True) == [1, 2]


def test_the_line_goes_in_steps_from_point_to_point() -> None:
    plot = draw_scatter(POINTS, x_lower_is_better=True, y_lower_is_better=True)
    assert len(plot.front) == 4
    for first, second in zip(plot.front[::2], plot.front[1::2], strict=True):
        assert first[1] == first[3]
        assert second[0] == second[2]
        assert first[2:] == second[:2]


def test_a_number_makes_way_for_a_neighbor() -> None:
    near = [Point(1, 100.0, 5.0), Point(2, 99.0, 5.0), Point(3, 0.0, 0.0)]
    dots = draw_scatter(near, x_lower_is_better=True, y_lower_is_better=True).dots
    assert {dot.number: dot.anchor for dot in dots}[2] == "end"


def test_without_points_there_is_a_scale_and_nothing_on_it() -> None:
    plot = draw_scatter([], x_lower_is_better=True, y_lower_is_better=True)
    assert (plot.dots, plot.front) == ((), ())


def test_a_number_on_the_front_stands_above_the_line_that_leaves_its_dot() -> None:
    plot = draw_scatter(POINTS, x_lower_is_better=True, y_lower_is_better=True)
    assert {dot.number for dot in plot.dots if dot.dy < 0} == {1, 2, 4}
