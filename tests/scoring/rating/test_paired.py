"""Pairs of systems on the same utterances, against values worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grading.scoring.rating.paired import pairs


def marks(*given: int) -> dict[object, Fraction]:
    return {("en", f"u{number}"): Fraction(mark) for number, mark in enumerate(given)}


def test_every_pair_has_its_difference_its_p_and_the_one_adjusted_for_all_pairs():
    found = pairs({"c": marks(1, 1, 1, 1, 1), "a": marks(5, 4, 5, 3, 4), "b": marks(4, 4, 4, 3, 3)})
    assert [(one.one, one.other) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    first, second, third = found
    assert first.difference == pytest.approx(3 / 5)
    assert first.p == pytest.approx(2 / 8)  # three differ, all one way: 2 of 2^3 signs
    assert second.difference == pytest.approx(16 / 5)
    assert second.p == third.p == pytest.approx(2 / 32)
    assert second.adjusted == pytest.approx(3 * 2 / 32)
    assert third.adjusted == pytest.approx(3 * 2 / 32)
    assert first.adjusted == pytest.approx(2 / 8)
    assert {one.utterances for one in found} == {5}


def test_a_pair_is_of_common_utterances_and_without_a_difference_there_is_no_p():
    one = marks(3, 4)
    (found,) = pairs({"a": one, "b": {**one, ("zh", "u9"): Fraction(5)}, "c": {"x": Fraction(1)}})
    assert (found.utterances, found.difference, found.p, found.adjusted) == (2, 0.0, None, None)
