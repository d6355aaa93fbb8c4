from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.text.normalize import (
    fold_label,
    lower,
    major_class,
    nfkc,
    nfkc_lower,
)
from scripts.check_determinism import normalization_hash
from tests.scoring.golden import GOLDEN


@pytest.mark.slow
def test_every_code_point_normalizes_as_committed() -> None:
    wanted = json.loads((GOLDEN / "determinism.json").read_text(encoding="utf-8"))
    assert normalization_hash() == wanted["normalization"]


def test_classes_agree_with_the_interpreter_on_what_both_know() -> None:
    differing = [
        hex(point)
        for point in range(0x110000)
        if unicodedata.category(chr(point)) != "Cn"
        and major_class(chr(point)) != unicodedata.category(chr(point))[0]
    ]
    assert differing == []


def test_a_letter_of_a_later_unicode_is_no_letter_here() -> None:
    # U+1C89, a Cyrillic capital letter, came with Unicode 16.0.
    assert major_class("\u1c89") == "C"
    assert lower("\u1c89") == "\u1c89"


def test_code_points_after_unicode_14_split_what_is_normalized() -> None:
    # U+0CF3, a mark, came with Unicode 15.0: nothing composes or reorders across it.
    assert nfkc("e\u0cf3\u0301Ａ") == "e\u0cf3\u0301A"
    assert nfkc("e\u0301") == "é"


def test_lower_case_is_the_full_one() -> None:
    assert lower("ΑΣ İ") == "ας i\u0307"


@given(st.text())
def test_the_joined_way_equals_the_two_steps(text: str) -> None:
    assert nfkc_lower(text) == lower(nfkc(text))


@given(st.text(st.characters(max_codepoint=0x2FFF, exclude_categories=["Cn", "Cs"])))
def test_on_known_text_normalization_is_the_interpreters(text: str) -> None:
    known = "".join(c for c in text if unicodedata.category(c) != "Cn" and c != "\u0cf3")
    if unicodedata.unidata_version == "14.0.0":
        assert nfkc(known) == unicodedata.normalize("NFKC", known)
    assert nfkc(nfkc(text)) == nfkc(text)


@given(st.text())
def test_folding_a_label_twice_changes_nothing_on_ascii(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert fold_label(fold_label(plain)) == fold_label(plain)


def test_the_last_code_point_has_a_class() -> None:
    assert major_class(chr(sys.maxunicode)) == "C"
