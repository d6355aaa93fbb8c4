"""Numbers of a protocol and marks of an answer: read strictly, every fault told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grading.scoring.rating.answers import read_marks
from grading.scoring.rating.settings import (
    DEFAULTS,
    numbers_of,
    read_settings,
    settings_json,
    settings_sha256,
)
from grading.scoring.types import ParamsInvalid

CASES = Path(__file__).parents[2] / "cases" / "web"


def test_the_defaults_are_those_of_the_challenge():
    assert (DEFAULTS.texts, DEFAULTS.wanted, DEFAULTS.least) == (80, 5, 3)
    assert (DEFAULTS.scored, DEFAULTS.traps, DEFAULTS.known, DEFAULTS.repeats) == (40, 4, 4, 2)
    assert read_settings(settings_json(DEFAULTS)) == DEFAULTS


def test_every_fault_is_told_at_once():
    with pytest.raises(ParamsInvalid) as refused:
        read_settings({"texts": 0, "wanted": "5", "repeats": True, "raters": 2.0, "no": 1})
    assert {fault.path for fault in refused.value.faults} == {
        "texts", "wanted", "repeats", "raters", "no"
    }  # fmt: skip
    with pytest.raises(ParamsInvalid, match="least"):
        read_settings({"least": 6})


def test_any_number_changes_the_hash_and_the_form_does_too():
    one = settings_sha256(DEFAULTS, "nvv")
    assert one != settings_sha256(read_settings({"known_marks": 3}), "nvv")
    assert one != settings_sha256(DEFAULTS, "mos")


def test_numbers_of_one_form_leave_the_hashes_of_others_as_they_were():
    # As they were before any form had a number of its own: scores made then name them.
    assert settings_sha256(DEFAULTS, "nvv").startswith("0ab5707f6eeb22fe07f2de70e99a37da")
    assert settings_sha256(DEFAULTS, "mos").startswith("5b5beccd5dd0ad00a39dd35ef6c18775")
    other = read_settings({"null_every": 20})
    assert settings_sha256(other, "nvv") == settings_sha256(DEFAULTS, "nvv")
    assert settings_sha256(other, "comos") != settings_sha256(DEFAULTS, "comos")
    assert set(numbers_of("comos")) - set(numbers_of("mos")) == {"null_every"}


def test_a_comparison_is_a_whole_number_from_minus_three_to_three():
    for value in (*range(-3, 4), *map(str, range(-3, 4))):
        assert read_marks("comos", {"C": value}).marks == {"C": int(value)}
    for value in ("+1", "-0", "--1", "4", "-4", -4, 4, "1.0", 1.0, "−1", "- 1", "", None, True):
        assert not read_marks("comos", {"C": value}).marks, value


def test_what_the_cases_call_out_of_range_is_no_mark():
    case = json.loads((CASES / "p-rating-out-of-range.json").read_text("utf-8"))
    low, high = case["scale"]
    for value in [
        *case["values"],
        float("nan"),
        float("inf"),
        6,
        0,
        -1,
        4.0,
        3.5,
        None,
        True,
        [],
        " 4",
    ]:
        read = read_marks("mos", {"N": value})
        assert not read.marks, value
        (fault,) = read.faults
        assert (fault.mark, fault.low, fault.high) == ("N", low, high)


def test_accuracy_is_zero_exactly_when_effect_is():
    fine = {"N": 1, "Q": 5, "E": "3"}
    for a, p, codes in [
        (0, 0, []),
        (1, 5, []),
        (0, 1, ["ABSENT_INCONSISTENT"]),
        (2, 0, ["ABSENT_INCONSISTENT"]),
    ]:
        assert [fault.code for fault in read_marks("nvv", {"A": a, "P": p, **fine}).faults] == codes
