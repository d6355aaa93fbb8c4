from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.metrics.alignment import reference_boundaries
from tests.scoring.oracles import lowest_visits

UNITS = st.lists(st.sampled_from("abc"), max_size=14)


@settings(max_examples=300)
@given(UNITS, UNITS)
def test_every_boundary_goes_where_the_full_matrix_says(
    reference: list[str], hypothesis: list[str]
) -> None:
    boundaries = list(range(len(hypothesis) + 1))
    wanted = lowest_visits(reference, hypothesis)
    assert reference_boundaries(reference, hypothesis, boundaries) == wanted
    for boundary in boundaries:
        assert reference_boundaries(reference, hypothesis, [boundary]) == [wanted[boundary]]


@settings(max_examples=200)
@given(UNITS, st.integers(0, 14), st.integers(0, 14), st.sampled_from("ab"))
def test_near_copies_go_where_the_full_matrix_says(
    reference: list[str], dropped: int, place: int, unit: str
) -> None:
    hypothesis = reference[:dropped] + reference[dropped + 1 :]
    hypothesis.insert(place, unit)
    boundaries = list(range(len(hypothesis) + 1))
    assert reference_boundaries(reference, hypothesis, boundaries) == lowest_visits(
        reference, hypothesis
    )


@given(UNITS, UNITS)
def test_the_map_is_monotone_and_inside_the_reference(
    reference: list[str], hypothesis: list[str]
) -> None:
    found = reference_boundaries(reference, hypothesis, list(range(len(hypothesis) + 1)))
    assert found == sorted(found)
    assert all(0 <= boundary <= len(reference) for boundary in found)


def test_long_texts_are_traced() -> None:
    reference = [str(k % 97) for k in range(500)]
    hypothesis = [unit for k, unit in enumerate(reference) if k % 11]
    boundaries = [0, 170, 380, len(hypothesis)]
    wanted = lowest_visits(reference, hypothesis)
    assert reference_boundaries(reference, hypothesis, boundaries) == [
        wanted[boundary] for boundary in boundaries
    ]
