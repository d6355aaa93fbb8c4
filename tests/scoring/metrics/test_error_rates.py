"""Error rates: tokens of each unit, counts against a plain table, the golden values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics import error_rates
from grading.scoring.metrics.error_rates import Counts, Unit, count, count_all, cut, split, tokens
from tests.scoring.golden import cases
from tests.scoring.oracles import full_matrix

SIDES = st.lists(st.sampled_from(["a", "b", "cc", "我", "𠮷", ""]), max_size=12)
TEXTS = st.text(alphabet="ab 我𠮷〇々é1\u3000\t", max_size=30)


@dataclass(frozen=True)
class AsItIs:
    """Rewrites nothing."""

    removes_space: bool = False

    def spaced(self, raw: str) -> str:
        return raw


def measured(case: dict[str, Any], unit: Unit) -> dict[str, Any]:
    normalizer = AsItIs("whitespace removed" in case["tokenise"])
    wanted, heard = (tokens(case[side], unit, normalizer) for side in ("ref", "hyp"))
    found = count(wanted, heard)
    return {
        "errors": found.edits,
        "ref_len": found.reference_length,
        "rate": float(found.rate or 0),
        "sdi": list(split(wanted, heard)),
        "ref_tokens": list(wanted),
    }


@pytest.mark.parametrize("case", cases("cer"), ids=lambda case: case["id"])
def test_golden_characters(case: dict[str, Any]) -> None:
    found = measured(case, Unit.CER)
    assert {key: found[key] for key in case["expected"]} == case["expected"]


@pytest.mark.parametrize("case", cases("mer"), ids=lambda case: case["id"])
def test_golden_mixed_tokens(case: dict[str, Any]) -> None:
    found = measured(case, Unit.MER)
    assert {key: found[key] for key in case["expected"]} == case["expected"]


@pytest.mark.parametrize("case", cases("wer_corpus"), ids=lambda case: case["id"])
def test_golden_corpus(case: dict[str, Any]) -> None:
    wanted, heard = (
        [tokens(text, Unit.WER, AsItIs()) for text in side]
        for side in zip(*case["pairs"], strict=True)
    )
    found = count_all(wanted, heard)
    expected = case["expected"]
    assert found.total == Counts(expected["errors"], expected["ref_len"], expected["ref_len"])
    assert found.total.rate == Fraction(1, 100)
    mean = error_rates.mean_of_utterances(found.utterances())
    assert float(mean or 0) == expected["mean_of_rates_must_not_be_reported"]


@given(SIDES, SIDES)
def test_edits_are_those_of_the_whole_table(wanted: list[str], heard: list[str]) -> None:
    edits = full_matrix(wanted, heard)[-1][-1]
    assert count(wanted, heard) == Counts(edits, len(wanted), len(heard))
    found = split(wanted, heard)
    assert sum(found) == edits
    assert found.insertions - found.deletions == len(heard) - len(wanted)


@given(TEXTS)
def test_units_part_a_text_without_loss(text: str) -> None:
    whole = "".join(text.split())
    assert "".join(tokens(text, Unit.WER, AsItIs())) == whole
    assert "".join(tokens(text, Unit.MER, AsItIs())) == whole
    assert tokens(text, Unit.CER, AsItIs(removes_space=True)) == whole
    assert tokens(text, Unit.CER, AsItIs()) == text.strip()


@pytest.mark.parametrize(
    "han", ["〇", "々", "〡", "㐂", "𠮷", "𨋢", "\u2f00", "\uf900", "\U0002ebf0", "\U000323af"]
)
def test_every_kind_of_han_stands_alone(han: str) -> None:
    assert tokens(f"ok{han}{han}3G", Unit.MER, AsItIs()) == ["ok", han, han, "3G"]


@pytest.mark.parametrize("other", ["ア", "한", "é", "ก", "1", "ー", "？"])
def test_other_scripts_are_words(other: str) -> None:
    assert tokens(f"a{other} b", Unit.MER, AsItIs()) == [f"a{other}", "b"]


def test_words_are_cut_before_white_space_goes() -> None:
    removing = AsItIs(removes_space=True)
    found = cut(" 我 machine learning ", (Unit.WER, Unit.MER, Unit.CER), removing)
    assert found == [
        ["我", "machine", "learning"],
        ["我", "machine", "learning"],
        "我machinelearning",
    ]


def test_empty_sides() -> None:
    both, heard, wanted = (count(*pair) for pair in (("", ""), ("", "ab"), ("ab", "")))
    assert [one.rate for one in (both, heard, wanted)] == [None, None, 1]
    assert [one.utterance_rate for one in (both, heard, wanted)] == [0, 1, 1]
    column = count_all(["", "", "ab"], ["", "abc", "ab"])
    assert column.total == Counts(3, 2, 5)
    assert error_rates.mean_of_utterances(column.utterances()) == Fraction(1, 3)
    assert error_rates.mean_of_utterances([]) is None


def test_both_sides_have_as_many_utterances() -> None:
    with pytest.raises(ValueError, match="1 references, 2 hypotheses"):
        count_all(["a"], ["a", "b"])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_the_mean_of_utterances_is_exact(rows: list[tuple[int, int, int]]) -> None:
    counts = [Counts(*row) for row in rows]
    mean = sum((one.utterance_rate for one in counts), Fraction(0)) / len(counts)
    assert error_rates.mean_of_utterances(counts) == mean
