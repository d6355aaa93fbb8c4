from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.metrics.events import Counts, count_events, match_positions
from tests.scoring.oracles import best_matching

POSITIONS = st.lists(st.integers(0, 12), max_size=5).map(sorted)


@settings(max_examples=150)
@given(POSITIONS, POSITIONS, st.integers(0, 5))
def test_no_matching_has_more_pairs_or_less_distance(
    reference: list[int], hypothesis: list[int], collar: int
) -> None:
    pairs = match_positions(reference, hypothesis, collar)
    distances = [abs(reference[i] - hypothesis[j]) for i, j in pairs]
    assert all(distance <= collar for distance in distances)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert (len(pairs), sum(distances)) == best_matching(reference, hypothesis, collar)


def test_the_nearest_pair_first_would_lose_an_event() -> None:
    assert match_positions([2, 4], [4, 6], 2) == [(0, 0), (1, 1)]


def test_the_collar_is_inclusive() -> None:
    assert match_positions([5], [7], 2) == [(0, 0)]
    assert match_positions([5], [8], 2) == []


def test_labels_do_not_mix() -> None:
    assert count_events({"laugh": [1, 9]}, {"cough": [1], "laugh": [2]}, 2) == {
        "laugh": Counts(1, 0, 1),
        "cough": Counts(0, 1, 0),
    }


def test_many_events_of_one_label_pair_up() -> None:
    assert len(match_positions(list(range(100)), list(range(1, 101)), 2)) == 100


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_f1_is_the_harmonic_mean(tp: int, fp: int, fn: int) -> None:
    counts = Counts(tp, fp, fn)
    precision, recall = counts.precision, counts.recall
    if precision + recall:
        assert counts.f1 == 2 * precision * recall / (precision + recall)
    else:
        assert counts.f1 == Fraction(0)
