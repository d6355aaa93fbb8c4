"""What holds for every normalizer, on any text at all."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings

from grading.scoring.methodology import Phrase
from grading.scoring.normalizers import Normalizer, UnknownNormalizer, get, names
from grading.scoring.types import ScoringError
from scripts.write_normalizers_page import TARGET, make_page
from tests.scoring.normalizers import texts

ALL = [get(name) for name in names()]
CHUNK = 512

each = pytest.mark.parametrize("normalizer", ALL, ids=names())


def assert_stable(normalizer: Normalizer, raw: str) -> None:
    spaced, text = normalizer.spaced(raw), normalizer.text(raw)
    assert normalizer.spaced(spaced) == spaced, ascii(raw)
    assert normalizer.text(text) == text, ascii(raw)
    assert normalizer.text(spaced) == text, ascii(raw)
    assert "  " not in spaced
    assert spaced == spaced.strip(" ")


@each
@settings(max_examples=80)
@given(raw=texts.mixed)
def test_normalizing_twice_changes_nothing(normalizer: Normalizer, raw: str) -> None:
    assert_stable(normalizer, raw)


@pytest.mark.parametrize("name", ["yue-1", "fleurs-zh-1"])
def test_every_short_mixture_of_numerals_is_folded_once(name: str) -> None:
    normalizer = get(name)
    for length in (1, 2, 3):
        for raw in texts.every_numeral(length):
            assert_stable(normalizer, raw)


@pytest.mark.parametrize("name", ["speko-1", "fleurs-en-1"])
def test_every_short_mixture_of_number_words_is_folded_once(name: str) -> None:
    normalizer = get(name)
    for length in (1, 2):
        for raw in texts.every_number_word(length):
            assert_stable(normalizer, raw)


@each
def test_every_code_point_with_a_character_is_taken(normalizer: Normalizer) -> None:
    for first in (*range(0, 0x33000, CHUNK), *range(0xE0000, 0xE1000, CHUNK), 0xF0000, 0x10FE00):
        raw = "".join(map(chr, range(first, first + CHUNK)))
        text = normalizer.text(raw)
        assert normalizer.text(text) == text, hex(first)


@each
def test_white_space_of_any_kind_is_a_blank(normalizer: Normalizer) -> None:
    raw = "ab\tcd\u3000ef\u2028gh\x85ij\u200bkl"
    assert normalizer.spaced(raw) == "ab cd ef gh ij kl"
    assert (" " in normalizer.text(raw)) is not normalizer.removes_space


@each
def test_it_is_a_frozen_value_with_a_version(normalizer: Normalizer) -> None:
    assert normalizer.version == "1.0.0"
    assert normalizer.languages
    with pytest.raises(FrozenInstanceError):
        normalizer.name = "other"  # type: ignore[misc]


@each
def test_each_open_point_has_examples_the_code_has_made(normalizer: Normalizer) -> None:
    assert normalizer.points
    for point in normalizer.points:
        assert point.examples
        assert isinstance(point.question, Phrase)
        for _, after in point.examples:
            assert normalizer.text(after) == normalizer.text(normalizer.text(after))
    titles = [section.title for section in normalizer.describe()]
    assert titles == [
        f"Normalizer {normalizer.name} 1.0.0",
        *(p.question for p in normalizer.points),
    ]


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(UnknownNormalizer, match=r"'yue-9'.*a5s-1, .*speko-1, yue-1") as caught:
        get("yue-9")
    assert isinstance(caught.value, ScoringError)
    assert caught.value.name == "yue-9"


def test_the_page_is_what_the_code_says() -> None:
    assert TARGET.read_text(encoding="utf-8") == make_page(), (
        "run scripts/write_normalizers_page.py"
    )
