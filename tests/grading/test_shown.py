from __future__ import annotations

from datetime import timedelta

import pytest

from grading import sentences, shown
from grading.scoring import messages
from grading.scoring.types import Problem, Severity


def test_missing_is_a_dash_and_never_nought():
    assert (shown.number(None), shown.signed(None), shown.span(None, 1.0)) == ("–", "–", "–")
    assert (shown.number(0.0), shown.span(0.0, 0.0)) == ("0.00", "0.00–0.00")


@pytest.mark.parametrize(
    ("value", "text"), [(1.394, "+1.39"), (-0.2, "−0.20"), (0.001, "±0.00"), (-0.0, "±0.00")]
)
def test_a_change_has_its_sign(value, text):
    assert shown.signed(value) == text


@pytest.mark.parametrize(
    ("took", "text"),
    [(0.62, "0.6 s"), (72, "1 min 12 s"), (3725, "1 h 2 min"), (183_600, "2 d 3 h"), (-1, "0.0 s")],
)
def test_a_span_of_time_has_its_two_largest_units(took, text):
    assert shown.seconds(timedelta(seconds=took)) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "–"), (1.0, "1.0000"), (0.00005, "0.0001"), (0.00004, "< 0.0001"), (0.0, "< 0.0001")],
)
def test_a_chance_that_is_small_is_not_said_to_be_none(p, text):
    assert shown.chance(p) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1_887_437, "1.8 MiB"), (5 << 30, "5 GiB")],
)
def test_a_size_is_written_in_units_of_1024(size, text):
    assert shown.filesize(size) == text


def test_every_code_of_a_submission_has_its_meaning():
    of_references = {"EMPTY_REFERENCE", "EMPTY_REFERENCE_TOKENS", "INVALID_LANGUAGE"}
    of_references |= {"REFERENCE_LANGUAGE_COVERAGE_ERROR", "REFERENCE_WITHOUT_EVENTS"}
    codes = {key.split(".")[0] for key in messages.TEMPLATES} - of_references
    assert sorted(code for code in codes if not sentences.meaning(code)) == []


def test_participants_text_is_never_a_template():
    problem = Problem(
        "UNSUPPORTED_NVV_TAG",
        Severity.ERROR,
        line=1,
        params={"found": "[{column}%(x)s]", "column": 3},
    )
    assert "[{column}%(x)s]" in sentences.sentence(problem)
