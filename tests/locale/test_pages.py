"""Every page that entrants see, in both ways of writing Chinese: nothing English is left, nothing broken."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.test import Client

from scripts.update_messages import is_apart
from tests.browser.world import PAGES, address, make_world
from tests.factories.grading import PARAMS

SPOKEN = {"alt", "title", "placeholder", "aria-label", "aria-description", "data-label"}
SILENT = {"script", "style", "code", "pre", "samp", "kbd", "bdi"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
FIGURES = {"hash", "mono"}
SENTENCE = re.compile(r"[A-Za-z][a-z]+(?:[ ,]+[a-z]{2,}){2,}")
HAN = re.compile(r"[\u4e00-\u9fff]")
UNFILLED = re.compile(r"%\(\w+\)[sd]|(?<![\"\w])\{[a-z_]+\}")
BY_SCRIPT = re.compile(r"\{(?:seconds|n|time|names)\}")
"""Holes that the page's script fills: the text stands in an attribute until then."""
LABELS = ", ".join(sorted(PARAMS["labels"]))
ENTRANTS = [page for page in PAGES if "console" not in page[0] and page[2] != ["organizer"]]


class Said(HTMLParser):
    """Collects what a page says in its own language: texts, and attributes that are read or shown."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.quiet: list[bool] = [False]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        other = given.get("lang", "zh").startswith("en") or bool(
            FIGURES & set((given.get("class") or "").split())
        )
        quiet = self.quiet[-1] or tag in SILENT or other
        if not quiet:
            self.found += [
                value
                for key, value in attrs
                if value and (key in SPOKEN or (key.startswith("data-") and " " in value))
            ]
        if tag not in VOID:
            self.quiet.append(quiet)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.quiet.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.quiet.pop()

    def handle_data(self, data):
        if not self.quiet[-1] and data.strip():
            self.found.append(" ".join(data.split()))


def said(html: str) -> list[str]:
    texts = Said()
    texts.feed(html)
    return texts.found


def test_english_sentences_and_holes_are_found():
    assert SENTENCE.search("Shown with two decimals")
    assert not SENTENCE.search("Team Alder, CER, JSON Lines")
    assert UNFILLED.search("共 %(n)s 行")
    assert said('<p title="hi there">a <code>b c</code><span lang="en">d</span></p>') == [
        "hi there",
        "a",
    ]


@pytest.mark.slow
@pytest.mark.django_db
def test_no_page_of_entrants_has_english_or_a_hole(
    settings, tmp_path, django_capture_on_commit_callbacks
):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    settings.VAR_DIR, settings.OUTBOX = tmp_path, True
    with django_capture_on_commit_callbacks(execute=True):
        world = make_world()
    visits = [
        (who, address(world, name, thing), f"{name} {thing} as {who}, {language}", language)
        for name, thing, viewers in ENTRANTS
        for who in viewers
        for language in ("zh-hans", "zh-hant")
    ]
    faults = [
        f"{title}: {text}"
        for who, path, title, language in visits
        if not is_apart(path)
        for text in faults_of(page_of(world, who, path, language), title)
    ]
    assert not faults, "\n".join(faults)


def faults_of(html: str, title: str) -> list[str]:
    """Return what is said in English, or with a hole, on a page that is otherwise in Chinese."""
    texts = said(html)
    assert sum(bool(HAN.search(text)) for text in texts) > 10, title
    return [
        text
        for text in texts
        if SENTENCE.search(text.replace(LABELS, "")) or UNFILLED.search(BY_SCRIPT.sub("", text))
    ]


def page_of(world, who: str, path: str, language: str) -> str:
    client = Client()
    if world.people[who] is not None:
        client.force_login(world.people[who])
    client.cookies["django_language"] = language
    response = client.get(path)
    assert response.status_code == 200
    html = response.content.decode()
    assert f'<html lang="{language}"' in html
    return html
