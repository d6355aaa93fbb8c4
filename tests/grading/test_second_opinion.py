"""jiwer counts again, each token as one symbol."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grading.sandbox import _symbols
from grading.scoring.metrics.edits import count_edits
from grading.services import second_opinion

tokens = st.lists(st.sampled_from(["a", "b", "A", " ", "[laugh]", "的", "don't"]), max_size=12)


@given(st.lists(st.tuples(tokens, tokens), max_size=5))
def test_two_aligners_agree_on_any_tokens_and_empty_sides_are_counted(pairs):
    sample = [
        _symbols(tuple(left), tuple(right), count_edits(left, right)) for left, right in pairs
    ]
    opinion = second_opinion.compare(sample)
    assert opinion.agrees
    assert opinion.edits == opinion.jiwer_edits
    assert opinion.skipped == sum(not left or not right for left, right in pairs)
    assert opinion.checked + opinion.skipped == len(pairs)


def test_a_wrong_count_is_seen():
    sample = [_symbols(("a", "b"), ("a", "c"), 1), _symbols(("a",), ("a",), 1)]
    opinion = second_opinion.compare(sample)
    assert (opinion.agrees, opinion.differing) == (False, 1)
    assert (opinion.edits, opinion.jiwer_edits) == (2, 1)
    assert opinion.as_json()["by"].startswith("jiwer ")


def test_errors_that_cancel_each_other_are_seen_too():
    sample = [_symbols(("a", "b"), ("a", "c"), 2), _symbols(("a",), ("b",), 0)]
    assert second_opinion.compare(sample).differing == 2
