from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.metrics.ntd import mean, tag_distance
from tests.scoring.oracles import cheapest_alignment

EVENTS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), max_size=5).map(
    lambda events: sorted(events, key=lambda event: event[1])
)


@settings(max_examples=200)
@given(EVENTS, EVENTS, st.integers(0, 6))
def test_the_distance_is_the_cheapest_of_all_alignments(
    reference: list[tuple[str, int]], hypothesis: list[tuple[str, int]], units: int
) -> None:
    wanted = cheapest_alignment(tuple(reference), tuple(hypothesis), units)
    assert tag_distance(reference, hypothesis, units) == wanted


@given(EVENTS.filter(bool), EVENTS)
def test_the_distance_lies_between_0_and_1(
    reference: list[tuple[str, int]], hypothesis: list[tuple[str, int]]
) -> None:
    assert 0 <= (tag_distance(reference, hypothesis, 6) or 0) <= 1
    assert tag_distance(reference, reference, 6) == 0


def test_without_reference_events_there_is_no_distance() -> None:
    assert tag_distance([], [("a", 0)], 3) is None


def test_a_reference_without_units_does_not_divide_by_zero() -> None:
    assert tag_distance([("a", 0)], [("a", 0), ("a", 0)], 0) == Fraction(1, 2)


@given(st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=20))
def test_the_mean_is_exact(values: list[Fraction]) -> None:
    assert mean(values) == sum(values, Fraction(0)) / len(values)


def test_the_mean_of_nothing_is_0_by_the_protocol() -> None:
    assert mean([]) == 0
