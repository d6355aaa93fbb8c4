"""Agreement of listeners: published worked examples, plain second computations, and laws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.rating.agreement import (
    Severity,
    icc_one_way,
    judge_agreement,
    krippendorff_alpha,
    mid_ranks,
    pearson,
    rater_severity,
)
from grading.scoring.rating.signed_rank import signed_rank_p

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers,
# twelve units, seven values missing; the ordinal alpha is given there as 0.815.
OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
UNITS = [
    [int(value) for value in column if value != "."]
    for column in zip(*(row.split() for row in OBSERVERS), strict=True)
]
# Shrout and Fleiss, Intraclass Correlations (1979), table 2: six targets, four judges; table 4
# gives ICC(1,1) as .17 and ICC(1,4) as .44.
TARGETS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
UNIT_LISTS = st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=8)


def plain_alpha(units: list[list[int]]) -> float | None:
    """Alpha as one minus observed over expected disagreement, by every pair of values."""
    paired = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in paired for value in unit]
    if len(set(pooled)) < 2:
        return None
    often = {value: pooled.count(value) for value in pooled}

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(often.get(value, 0) for value in range(low, high + 1))
        return (between - (often[low] + often[high]) / 2) ** 2 if low != high else 0.0

    n = len(pooled)
    observed = sum(
        distance(a, b) / (len(unit) - 1)
        for unit in paired
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    expected = sum(
        distance(a, b) for i, a in enumerate(pooled) for j, b in enumerate(pooled) if i != j
    )
    return 1 - (n - 1) * observed / expected


def test_alpha_of_the_published_example() -> None:
    alpha = krippendorff_alpha(UNITS)
    assert alpha is not None
    assert round(alpha, 3) == 0.815


@given(UNIT_LISTS)
def test_alpha_is_that_of_the_plain_computation(units: list[list[int]]) -> None:
    expected, found = plain_alpha(units), krippendorff_alpha(units)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(expected, abs=1e-9)
        assert found <= 1


@given(UNIT_LISTS, st.randoms(use_true_random=False))
def test_alpha_depends_on_no_order_and_on_ranks_alone(units, chance) -> None:
    shuffled = [chance.sample(unit, len(unit)) for unit in units]
    chance.shuffle(shuffled)
    assert krippendorff_alpha(shuffled) == krippendorff_alpha(units)
    stretched = [[value**3 - 7 for value in unit] for unit in units]
    assert krippendorff_alpha(stretched) == krippendorff_alpha(units)


def test_alpha_at_its_ends() -> None:
    assert krippendorff_alpha([[1, 1, 1], [4, 4]]) == 1.0
    assert krippendorff_alpha([[3, 3], [3, 3]]) is None
    assert krippendorff_alpha([[1], [2]]) is None
    assert krippendorff_alpha([]) is None
    opposed = krippendorff_alpha([[1, 5], [5, 1]] * 10)
    assert opposed is not None
    assert opposed < 0


def test_icc_of_the_published_example() -> None:
    icc = icc_one_way(TARGETS)
    assert icc is not None
    assert icc.average is not None
    assert (round(icc.single, 2), round(icc.average, 2), icc.ratings) == (0.17, 0.44, 4.0)


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=5), min_size=2, max_size=8))
def test_icc_is_that_of_an_analysis_of_variance_by_hand(units: list[list[int]]) -> None:
    count = sum(map(len, units))
    found = icc_one_way(units)
    if count == len(units):
        assert found is None
        return
    grand = sum(map(sum, units)) / count
    within = sum((v - sum(u) / len(u)) ** 2 for u in units for v in u) / (count - len(units))
    between = sum(len(u) * (sum(u) / len(u) - grand) ** 2 for u in units) / (len(units) - 1)
    usual = (count - sum(len(u) ** 2 for u in units) / count) / (len(units) - 1)
    if max(within, between) < 1e-12:
        assert found is None
        return
    assert found is not None
    expected = (between - within) / (between + (usual - 1) * within)
    assert found.single == pytest.approx(expected, abs=1e-9)
    if between > 1e-12:
        assert found.average == pytest.approx((between - within) / between, abs=1e-9)
    else:
        assert found.average is None


def test_icc_has_no_value_without_spread_or_pairs() -> None:
    assert icc_one_way([[1, 2]]) is None
    assert icc_one_way([[3, 3], [3, 3]]) is None
    assert icc_one_way([[], [1], [2]]) is None
    flat = icc_one_way([[1, 5], [5, 1]])
    assert flat is not None
    assert (flat.single, flat.average) == (-1.0, None)


def test_severity_is_the_distance_from_the_others() -> None:
    # strict is 2 below mild and 3 below kind on s1 (others 4.5), 2 below mild on s2
    ratings = [
        ("strict", "s1", 2), ("mild", "s1", 4), ("kind", "s1", 5),
        ("strict", "s2", 1), ("mild", "s2", 3),
        ("kind", "s3", 5), ("alone", "s4", 1),
    ]  # fmt: skip
    found = rater_severity(ratings)
    assert found == {
        "kind": Severity(2.0, None, 1),
        "mild": Severity(1.25, 1.0, 2),
        "strict": Severity(-2.25, 1.0, 2),
    }


def test_a_judge_is_held_against_people_on_what_both_marked() -> None:
    judge = {"a": 5, "b": 3, "c": 4, "only the judge": 1}
    people = {"a": Fraction(9, 2), "b": 2, "c": 2, "only people": 5}
    found = judge_agreement(judge, people)
    assert found is not None
    assert found.items == 3
    assert found.bias == pytest.approx(3.5 / 3)
    assert found.spearman == pytest.approx(math.sqrt(0.75))
    # covariance of (1, -1, 0) with (1.6667, -0.8333, -0.8333), both centered
    assert found.pearson == pytest.approx(2.5 / math.sqrt(2 * (25 / 6)))
    assert judge_agreement({"a": 1}, {"b": 1}) is None
    assert judge_agreement({"a": 1}, {"a": 2}) == (None, None, -1.0, 1)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_mid_ranks_are_the_means_of_the_places(values: list[int]) -> None:
    places = sorted(values)
    expected = [
        Fraction(sum(i for i, v in enumerate(places, 1) if v == value), places.count(value))
        for value in values
    ]
    assert mid_ranks(values) == expected


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=12))
def test_a_correlation_is_within_its_ends_and_symmetric(pairs: list[tuple[int, int]]) -> None:
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    found = pearson(left, right)
    assert found == pearson(right, left)
    if found is not None:
        assert -1 <= found <= 1
        assert pearson(left, [-value for value in right]) == -found
        assert pearson(left, left) == 1.0


@given(st.lists(st.integers(-6, 6), max_size=9))
def test_the_signed_rank_test_counts_every_way_to_set_the_signs(differences: list[int]) -> None:
    sizes = [difference for difference in differences if difference]
    found = signed_rank_p(differences)
    if not sizes:
        assert found is None
        return
    ranks = mid_ranks([abs(size) for size in sizes])
    seen = sum(rank for rank, size in zip(ranks, sizes, strict=True) if size > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(sizes))
    ]
    tail = min(sum(s <= seen for s in sums), sum(s >= seen for s in sums))
    assert found == pytest.approx(min(1.0, 2 * tail / len(sums)), abs=1e-12)


def test_the_signed_rank_test_of_a_published_table() -> None:
    # Wilcoxon's own bounds (1964): with n = 10, a rank sum of 8 is the largest at 5 %, two-sided
    below = [-1, -7, 2, 3, 4, 5, 6, 8, 9, 10]
    above = [-2, -7, 1, 3, 4, 5, 6, 8, 9, 10]
    assert signed_rank_p(below) == pytest.approx(0.048828125)
    assert signed_rank_p(above) > 0.05  # type: ignore[operator]


def test_the_signed_rank_test_bears_many_differences() -> None:
    assert signed_rank_p([1, -1] * 80) == 1.0
    tiny = signed_rank_p(list(range(1, 161)))
    assert tiny is not None
    assert 0 < tiny < 1e-25
