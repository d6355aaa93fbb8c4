from __future__ import annotations

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics.percentiles import (
    PercentileRefused,
    mean,
    median,
    nearest_rank,
    percentile,
)

TWENTY = [180, 210, 220, 240, 250, 260, 270, 280, 290, 310,
          330, 350, 380, 410, 450, 500, 560, 640, 910, 1900]  # fmt: skip


def test_the_95th_of_twenty_is_the_nineteenth_not_an_interpolation() -> None:
    assert percentile(reversed(TWENTY), 0.95) == 910
    assert nearest_rank(0.95, 20) == 19


@pytest.mark.parametrize(
    ("part", "count", "rank"),
    [
        ("0.95", 1, 1),
        ("0.95", 12, 12),
        ("0.95", 21, 20),
        ("0.95", 40, 38),
        ("0.95", 100, 95),
        ("0.95", 101, 96),
        ("0.5", 10, 5),
        ("0.5", 11, 6),
        ("0.9", 10, 9),
        (0.9, 10, 9),
        (0.07, 100, 7),  # 0.07 * 100 is 7.000000000000001 in floating point
        (0.29, 100, 29),  # and 0.29 * 100 is 28.999999999999996
        (Decimal("0.55"), 100, 55),
        (Fraction(1, 3), 3, 1),
        (1, 7, 7),
        ("0.000001", 7, 1),
    ],
)
def test_ranks_are_exact(part: object, count: int, rank: int) -> None:
    assert nearest_rank(part, count) == rank  # type: ignore[arg-type]


@given(st.integers(1, 1000), st.integers(1, 3000))
def test_the_rank_is_the_smallest_that_reaches_the_part(part: int, count: int) -> None:
    rank = nearest_rank(Fraction(part, 1000), count)
    assert rank * 1000 >= part * count > (rank - 1) * 1000


@pytest.mark.parametrize("part", [0, -0.1, 1.0001, "nan", float("nan"), float("inf"), "x", "1/0"])
def test_a_part_that_is_none_is_refused(part: object) -> None:
    with pytest.raises(PercentileRefused):
        percentile([1, 2], part)  # type: ignore[arg-type]
    with pytest.raises(PercentileRefused):
        percentile([], part)  # type: ignore[arg-type]


def test_what_never_came_is_the_largest_value() -> None:
    assert percentile([200] * 11 + [math.inf], "0.95") == math.inf
    assert percentile([200] * 20 + [math.inf], "0.95") == 200


def test_of_nothing_there_is_nothing() -> None:
    assert percentile([], "0.5") is None
    assert median([]) is None
    assert mean([]) is None
    with pytest.raises(PercentileRefused):
        nearest_rank("0.5", 0)


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_what_cannot_be_sorted_is_refused(bad: float) -> None:
    with pytest.raises(PercentileRefused):
        percentile([1, bad, 2], "0.5")
    with pytest.raises(PercentileRefused):
        median([1, bad, 2])


@given(st.lists(st.integers(0, 2**70), min_size=1, max_size=30))
def test_the_median_is_that_of_statistics(values: list[int]) -> None:
    assert median(values) == statistics.median([Fraction(value) for value in values])


def test_a_median_beside_what_never_came() -> None:
    assert median([1, math.inf]) == math.inf
    assert median([1, 2, math.inf]) == 2
