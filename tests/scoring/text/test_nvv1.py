from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.text.normalize import character_set, major_class
from grading.scoring.text.nvv1 import (
    UNITS,
    TranscriptInvalid,
    fold,
    has_units,
    read_transcript,
)
from tests.scoring.golden import PARAMS, cases, nvv, transcript

LABELS = frozenset({"laugh", "throat clearing"})
WORD = re.compile(f"[{character_set('LN')}]+(?:'[{character_set('LN')}]+)*")
TEXTS = st.text(
    st.one_of(
        st.sampled_from("aB3 '’-_.,é你好，。！？、Ａ½ﬁ\u0301\u0338İΣ𠀀😀〇\u3000"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


@pytest.mark.parametrize("case", nvv()["tokenization"], ids=lambda case: case["text"][:12])
def test_golden_units(case: dict[str, Any]) -> None:
    assert transcript(case["text"], case["language"]).units == case["units"]


@pytest.mark.parametrize(
    "case", cases("tagged_wer") + cases("tagged_cer"), ids=lambda case: case["id"]
)
def test_golden_tagged_tokens(case: dict[str, Any]) -> None:
    for side in ("ref", "hyp"):
        assert transcript(case[side], case["lang"]).tokens == case["expected"][f"{side}_tokens"]


@given(TEXTS)
def test_english_words_are_what_the_plain_rule_finds(text: str) -> None:
    assert UNITS["en"](text) == WORD.findall(fold(text))


@given(TEXTS)
def test_mandarin_units_are_the_letters_marks_and_digits(text: str) -> None:
    assert UNITS["zh"](text) == [c for c in fold(text) if major_class(c) in "LMN"]


@given(TEXTS, st.sampled_from(["en", "zh"]))
def test_units_stay_what_they_are(text: str, language: str) -> None:
    units = UNITS[language](text)
    assert UNITS[language](" ".join(units)) == units
    assert has_units(text, language) == bool(units)


@pytest.mark.parametrize(
    ("text", "language", "units"),
    [
        ("a''b 'x' y'", "en", ["a", "b", "x", "y"]),
        ("rock‘n’roll dog′s Ｉ＇m", "en", ["rock'n'roll", "dog's", "i'm"]),
        ("mother_in-law's 二〇", "en", ["mother", "in", "law's", "二〇"]),
        ("well_known x-y", "en", ["well", "known", "x", "y"]),
        ("a_b's c-d", "en", ["a", "b's", "c", "d"]),
        ("don‛t l′été", "en", ["don't", "l'été"]),
        ("donʼt é", "en", ["donʼt", "é"]),
        ("don`t don´t donˈt é", "en", ["don", "t", "don", "t", "donˈt", "é"]),
        ("𝐀𝐁 ℌ Ǆ", "en", ["ab", "h", "dž"]),
        ("𝐀ℌ", "zh", ["a", "h"]),
        ("don't", "zh", list("dont")),
        ("e\u0301a\u0332", "zh", ["é", "a", "\u0332"]),
        ("a\u200bb\u00adc", "en", ["a", "b", "c"]),
        ("你\u3000好\n吗", "zh", ["你", "好", "吗"]),
        ("", "en", []),
    ],
)
def test_units_of_awkward_text(text: str, language: str, units: list[str]) -> None:
    assert UNITS[language](text) == units


def test_a_tag_splits_a_word_and_takes_no_position() -> None:
    read = read_transcript("sur[laugh]prise[ Throat\u3000Clearing ]!", "en", LABELS)
    assert read.units == ["sur", "prise"]
    assert read.tags == ["laugh", "throat clearing"]
    assert read.positions == [1, 2]
    assert read.tokens == ["sur", "[laugh]", "prise", "[throat clearing]"]


def test_each_piece_is_normalized_by_itself() -> None:
    # Across the tag the mark would compose with the letter before it.
    assert read_transcript("e[laugh]\u0301", "zh", LABELS).units == ["e", "\u0301"]


def test_a_faulty_tag_is_refused_without_its_text() -> None:
    with pytest.raises(TranscriptInvalid) as refused:
        read_transcript("secret [giggle]", "en", LABELS)
    assert refused.value.code == "UNSUPPORTED_NVV_TAG"
    assert "secret" not in str(refused.value)
    assert "giggle" not in str(refused.value)


def test_wide_brackets_are_text() -> None:
    assert read_transcript("［laugh］", "zh", PARAMS.label_set).units == list("laugh")
