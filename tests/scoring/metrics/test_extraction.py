"""Extraction by exact fields: what is the same, what is too much, what is not found."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics.events import Counts
from grading.scoring.metrics.extraction import (
    count_fields,
    normalize_name,
    normalize_value,
    number_text,
    same_names,
    values_of,
)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(0, 9, width=16)
)
OBJECTS = st.dictionaries(
    st.text("ab ", max_size=2), SCALARS | st.lists(SCALARS, max_size=3), max_size=4
)


def counts(reference: dict[str, Any], found: dict[str, Any]) -> Counts:
    return count_fields(values_of(reference), values_of(found))


@pytest.mark.parametrize(
    ("reference", "found", "expected"),
    [
        ({}, {}, (0, 0, 0)),
        ({"a": None, "b": "", "c": []}, {}, (0, 0, 0)),
        ({"a": "x"}, {}, (0, 0, 1)),
        ({}, {"a": "x"}, (0, 1, 0)),
        ({"a": "x"}, {"a": "y"}, (0, 1, 1)),
        ({"a": "x"}, {"a": "x", "b": "y"}, (1, 1, 0)),
        ({"a": "x"}, {"b": "x"}, (0, 1, 1)),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, (2, 0, 0)),
        ({"a": ["x", "x"]}, {"a": "x"}, (1, 0, 1)),
        ({"a": "x"}, {"a": ["x", "x"]}, (1, 1, 0)),
        ({"a": ["x"]}, {"a": "x"}, (1, 0, 0)),
        ({"Name": " ＡＢ\tC "}, {" name": "ab c"}, (1, 0, 0)),
        ({"n": 4}, {"n": "4"}, (1, 0, 0)),
        ({"n": 4.0}, {"n": 4}, (1, 0, 0)),
        ({"n": 4}, {"n": "4.0"}, (0, 1, 1)),
        ({"n": True}, {"n": "TRUE"}, (1, 0, 0)),
        ({"n": True}, {"n": 1}, (0, 1, 1)),
        ({"n": 0}, {"n": None}, (0, 0, 1)),
        ({"n": False}, {"n": ""}, (0, 0, 1)),
        ({"a": "后"}, {"a": "後"}, (0, 1, 1)),
    ],
)
def test_a_value_counts_when_it_is_the_same(
    reference: dict[str, Any], found: dict[str, Any], expected: tuple[int, int, int]
) -> None:
    assert counts(reference, found) == expected


@given(OBJECTS)
def test_an_object_finds_all_of_itself(fields: dict[str, Any]) -> None:
    tp, fp, fn = counts(fields, fields)
    assert (tp, fp, fn) == (values_of(fields).total(), 0, 0)


@given(OBJECTS, OBJECTS)
def test_sides_swapped_swap_what_is_too_much_and_what_is_missing(
    reference: dict[str, Any], found: dict[str, Any]
) -> None:
    tp, fp, fn = counts(reference, found)
    assert counts(found, reference) == (tp, fn, fp)


@given(st.text())
def test_normalization_is_idempotent(text: str) -> None:
    assert normalize_value(normalize_value(text)) == normalize_value(text)
    assert normalize_name(normalize_name(text)) == normalize_name(text)


def test_no_code_point_stops_it() -> None:
    text = "".join(map(chr, range(0, sys.maxunicode + 1, 97)))
    assert normalize_value(text)
    assert normalize_value(normalize_value(text)) == normalize_value(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_is_that_number_without_an_exponent(value: float) -> None:
    text = number_text(value)
    assert float(text) == value
    assert set(text) <= set("-.0123456789")


def test_names_that_become_one_are_told() -> None:
    assert same_names(["a", "Ａ", "b", "A "]) == ["Ａ", "A "]
    assert same_names([]) == []
