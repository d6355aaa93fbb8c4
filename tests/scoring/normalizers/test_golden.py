"""The golden values of normalizers and numerals."""

from __future__ import annotations

from typing import Any

import pytest

from grading.scoring.normalizers import get
from tests.scoring.golden import cases

NUMERALS_BY = {"en": ("speko-1", "fleurs-en-1"), "zh": ("yue-1", "fleurs-zh-1")}
POLICIES = {
    "nineteen ninety nine": "1999",
    "oh five": "oh 5",
    "wait a second": "wait a 2",
    "two and a half": "25",
    "three point one four": "314",
    "1,000": "1000",
    "三三兩兩": "3322",
    "卅一": "31",
    "百分之五十": "50",
    "公元二零二四年": "公元2024年",
    "萬一": "萬1",
    "千萬唔好": "千萬唔好",
    "亂七八糟": "亂78糟",
    "½": "12",
    "九一一": "911",
}


def of(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases(kind)]


@pytest.mark.parametrize("case", of("normalize_equal"))
def test_pairs_are_equal_or_not(case: dict[str, Any]) -> None:
    text = get(case["normalizer"]).text
    assert (text(case["ref"]) == text(case["hyp"])) is case["expected"]["equal"]


@pytest.mark.parametrize("case", of("normalize_policy"))
def test_open_questions_are_answered_as_the_page_says(case: dict[str, Any]) -> None:
    text = get(case["normalizer"]).text
    assert text(case["input"]) == POLICIES[case["input"]]
    assert text(text(case["input"])) == text(case["input"])


@pytest.mark.parametrize("case", of("numeral"))
def test_numerals_have_their_value(case: dict[str, Any]) -> None:
    for name in NUMERALS_BY[case["lang"]]:
        assert get(name).text(case["input"]) == case["expected"]["digits"]
