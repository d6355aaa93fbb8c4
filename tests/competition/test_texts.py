from __future__ import annotations

import json
from pathlib import Path

import pytest

from competition.models import Competition
from competition.texts import markdown_html, pick, text_of

MATHML = Path(__file__).parents[1] / "cases" / "web" / "p-md-mathml.json"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh-hans", ("简", "zh-Hans")),
        ("zh-hant", ("繁", "zh-Hant")),
        ("zh", ("简", "zh-Hans")),
        ("en", ("en", "en")),
        ("fr", ("en", "en")),
    ],
)
def test_a_text_is_in_the_language_or_the_nearest_there_is(language, expected):
    text = pick({"en": "en", "zh-Hans": "简", "zh-Hant": "繁"}, language)
    assert (str(text), text.language) == expected


def test_an_empty_translation_is_no_translation():
    assert pick({"zh-Hans": "", "en": "Rules"}, "zh-hans") == "Rules"


def test_without_english_any_language_serves_and_without_texts_it_is_empty():
    assert pick({"yue": "規"}, "en") == "規"
    assert pick({}, "en") == ""
    assert text_of(Competition(texts={"en": {"title": None}, "zh-Hans": None}), "title", "en") == ""


def test_markdown_is_drawn_below_the_page_s_own_headings():
    html = markdown_html(
        "# Rules\n\n1. Be *fair*.\n2. Be `kind`.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert "<h3>Rules</h3>" in html
    assert "<li>Be <em>fair</em>.</li>" in html
    assert "<td>1</td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        json.loads(MATHML.read_text(encoding="utf-8"))["value"],
        "<svg/onload=alert(1)>",
        "![x](https://tracker.example/p.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        '[x](https://example.org "onmouseover=alert(1)")',
        "<https://example.org/?a=1&b=<script>>",
    ],
)
def test_markdown_never_runs_or_loads_anything(text):
    html = markdown_html(text)
    for piece in (
        "<script",
        "<img",
        "<svg",
        "<math",
        "<style",
        "<form",
        'href="javascript',
        'href="data',
    ):
        assert piece not in html.lower().replace("&lt;", "(")


def test_links_in_texts_lend_no_weight_and_leak_no_window():
    html = markdown_html("[rules](https://example.org/)")
    assert html.strip() == (
        '<p><a href="https://example.org/" rel="nofollow noopener">rules</a></p>'
    )


def test_a_line_break_inside_a_chinese_sentence_is_no_space():
    assert markdown_html("人说话时\n不只有文字。") == "<p>人说话时不只有文字。</p>\n"
    assert markdown_html("one\ntwo") == "<p>one\ntwo</p>\n"
