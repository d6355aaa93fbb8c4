"""Sentences of problems: one for each code, safe whatever a participant wrote."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import grading.scoring
from grading.scoring import (
    messages,
    registry,
    row_sentences,
    transcript_sentences,
    wave_sentences,
)
from grading.scoring.messages import TEMPLATES, fill, render
from grading.scoring.report import Collector
from grading.scoring.types import Problem, Severity
from tests.scoring.formats.challenge import check, with_text

PACKAGE = Path(grading.scoring.__file__).parent


def codes_in_the_source() -> set[str]:
    """Every code that a reader can report: the first argument of error, warning and note."""
    found = set()
    signatures = PACKAGE / "formats/contents.py"
    readers = {*PACKAGE.glob("formats/*.py"), *PACKAGE.glob("audio/*.py")}
    for path in {*readers, PACKAGE / "text/tags.py"} - {signatures}:
        source = path.read_text("utf-8")
        found |= set(re.findall(r'\.(?:error|warning|note|fault)\(\s*"([A-Z_0-9]+)"', source))
        found |= set(re.findall(r'"([A-Z]+(?:_[A-Z0-9]+)+)"', source))
    return found


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    of_tracks = [registry.get(name).messages for name in registry.names()]
    with_sentence = {key.partition(".")[0] for group in (TEMPLATES, *of_tracks) for key in group}
    assert codes_in_the_source() == with_sentence


def test_every_template_is_marked_for_translation() -> None:
    modules = (messages, row_sentences, transcript_sentences, wave_sentences)
    sources = [Path(module.__file__).read_text("utf-8") for module in modules]
    marked = {
        node.args[0].value
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "N_"
        if isinstance(node.args[0], ast.Constant)
    }
    everything = [TEMPLATES, row_sentences.ROW_MEANINGS]
    everything += [transcript_sentences.TRANSCRIPT_MEANINGS]
    everything += [messages.SUFFIXES, messages.DIFFERENCES, messages.PLACES]
    assert marked == {text for group in everything for text in group.values()}


def test_a_sentence_has_no_unfilled_name() -> None:
    checked = check(with_text("[giggle] (laugh) ]"))
    for problem in checked.report.problems:
        assert "{" not in render(problem)


def test_what_a_participant_wrote_is_never_read_as_a_template() -> None:
    found = "{line} %s %(x)s {0} {found}"
    report = Collector(100)
    report.error("UNSUPPORTED_NVV_TAG", line=1, utt_id="{line}{column}", found=found, column=3)
    sentence = render(report.report(rows=1, reading="").problems[0])
    assert found in sentence
    assert '"{line}{column}"' in sentence


@given(st.text())
def test_a_sentence_shows_any_text_without_its_controls(text: str) -> None:
    problem = Problem(
        "UNSUPPORTED_NVV_TAG",
        Severity.ERROR,
        line=1,
        utt_id=text,
        params={"found": text, "column": 1, "suggestion": text, "odd": ["U+0430"]},
    )
    sentence = render(problem)
    sentence.encode("utf-8")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", sentence)


@pytest.mark.parametrize(
    ("character", "shown"),
    [("\u202e", "\\u202e"), ("\0", "\\u0000"), ("\x1b", "\\u001b"), ("\ud800", "\\ud800")],
)
def test_unsafe_characters_are_shown_as_escapes(character: str, shown: str) -> None:
    problem = Problem("LOOKS_LIKE_TAG", Severity.WARNING, params={"found": f"({character})"})
    assert f"({shown})" in render(problem)


def test_piled_up_marks_do_not_spill_over_the_page() -> None:
    problem = Problem("LOOKS_LIKE_TAG", Severity.WARNING, params={"found": "o" + "\u0301" * 30})
    assert "\u0301\u0301\u0301" not in render(problem)


def test_a_long_text_is_shortened() -> None:
    problem = Problem("LOOKS_LIKE_TAG", Severity.WARNING, params={"found": "x" * 500})
    assert len(render(problem)) < 200
    assert "…" in render(problem)


def test_sentences_can_be_translated_before_they_are_filled() -> None:
    german = {
        TEMPLATES["EMPTY_TEXT"]: "Der Text ist leer.",
        messages.PLACES["line_utt_id"]: "Zeile {line}, {utt_id}: {sentence}",
    }
    problem = Problem("EMPTY_TEXT", Severity.WARNING, line=4, utt_id="u1")
    assert render(problem, lambda text: german[text]) == "Zeile 4, u1: Der Text ist leer."
    assert render(problem, lambda text: german[text], place=False) == "Der Text ist leer."


def test_filling_is_one_pass_and_leaves_unknown_names() -> None:
    assert fill("{a} {b} {c}", {"a": "{b}", "b": "x"}) == "{b} x {c}"
