from __future__ import annotations

from typing import Any

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics.edits import count_edits
from tests.scoring.golden import cases, transcript
from tests.scoring.oracles import full_matrix

TOKENS = st.lists(st.sampled_from(["a", "b", "[a]", "[b]", "dog"]), max_size=12)


@pytest.mark.parametrize(
    "case", cases("tagged_wer") + cases("tagged_cer"), ids=lambda case: case["id"]
)
def test_golden_errors(case: dict[str, Any]) -> None:
    reference = transcript(case["ref"], case["lang"]).tokens
    hypothesis = transcript(case["hyp"], case["lang"]).tokens
    expected = case["expected"]
    edits = count_edits(reference, hypothesis)
    assert (edits, len(reference)) == (expected["errors"], expected["ref_len"])
    assert edits / len(reference) == pytest.approx(expected["rate"], abs=1e-9)


@given(TOKENS, TOKENS)
def test_edits_are_those_of_the_full_matrix(reference: list[str], hypothesis: list[str]) -> None:
    assert count_edits(reference, hypothesis) == full_matrix(reference, hypothesis)[-1][-1]


@given(TOKENS.filter(bool), TOKENS.filter(bool))
def test_jiwer_counts_the_same(reference: list[str], hypothesis: list[str]) -> None:
    found = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
    total = found.substitutions + found.deletions + found.insertions
    assert count_edits(reference, hypothesis) == total
