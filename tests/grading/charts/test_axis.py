from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.charts.axis import fit_axis, nice_step, spread_axis

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("span", "target", "step"),
    [(7, 6, 2), (26, 6, 5), (1, 5, 0.2), (0.3, 3, 0.1), (100, 4, 25), (10, 10, 1)],
)
def test_a_step_is_one_two_two_and_a_half_or_five_times_a_power_of_ten(span, target, step):
    assert nice_step(span, target) == pytest.approx(step)


def test_ticks_lie_at_the_places_of_the_reference_page():
    axis = spread_axis(52, 78, target=6)
    ticks = axis.percent_ticks()
    assert [tick.label for tick in ticks] == ["55", "60", "65", "70", "75"]
    assert [tick.at for tick in ticks] == ["11.54%", "30.77%", "50.00%", "69.23%", "88.46%"]


def test_labels_have_the_decimals_that_the_step_needs():
    assert [t.label for t in spread_axis(0, 1, target=4).percent_ticks()] == [
        "0.00",
        "0.25",
        "0.50",
        "0.75",
        "1.00",
    ]


@given(st.lists(numbers, min_size=1, max_size=20))
def test_every_value_lies_on_the_axis_in_order(values):
    axis = fit_axis(values)
    places = [axis.share(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    assert axis.low < axis.high
    assert len(axis.values) <= 9


def test_numbers_that_are_none_do_not_stretch_the_axis():
    assert fit_axis([1.0, 2.0, math.inf, math.nan]) == fit_axis([1.0, 2.0])


def test_without_values_or_with_one_there_is_still_an_axis():
    assert (fit_axis([], pad=0).low, fit_axis([], pad=0).high) == (0, 1)
    assert fit_axis([70.0]).share(70.0) == pytest.approx(0.5)


def test_a_value_outside_is_drawn_at_the_edge():
    axis = spread_axis(0, 10)
    assert (axis.percent(-5), axis.percent(15)) == ("0.00%", "100.00%")
