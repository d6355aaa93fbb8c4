"""Cursors that nobody was given: refused with a reason, never an error of the server."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from config.api.paging import CursorPages
from tests.api.test_submissions import problem, send
from tests.factories.grading import jsonl

MADE_UP = [
    {"p": "abc"},
    {"p": ""},
    {"p": "2026-13-45"},
    {"p": "2026-01-01"},
    {"p": "2026-01-01 00:00:00"},
    {"p": "\0"},
    {"p": "9" * 6000},
    {"p": "infinity"},
    {"p": "-infinity"},
    {"p": "NaN"},
    {"p": "0001-01-01T00:00:00+14:00"},
    {"p": "9999-12-31T23:59:59-12:00"},
    {"p": "2026-12-01T00:00:00+99:99"},
    {"p": "<script>", "r": "1"},
    {"o": "-5"},
    {"o": "1e3"},
    {"r": "x"},
]


def cursor(**tokens: str) -> str:
    return base64.b64encode(urlencode(tokens).encode()).decode()


@pytest.mark.parametrize("tokens", MADE_UP, ids=range(len(MADE_UP)))
@pytest.mark.parametrize("place", ["of all", "of a phase"])
def test_a_made_up_cursor_of_submissions_is_refused(api, address, tokens, place):
    where = "/api/v1/submissions/" if place == "of all" else address.submissions
    problem(api.get(where, {"cursor": cursor(**tokens)}), 404, "NOT_FOUND")


@pytest.mark.parametrize("tokens", [{"p": "abc"}, {"p": "\0"}, {"p": "1.5"}, {"p": "9" * 6000}])
def test_a_made_up_cursor_of_competitions_is_refused(api, arena, tokens):
    problem(api.get("/api/v1/competitions/", {"cursor": cursor(**tokens)}), 404, "NOT_FOUND")


@pytest.mark.parametrize("tokens", [{"p": "9" * 400}, {"p": "-1"}, {"p": "1", "o": "999999999"}])
def test_a_cursor_beyond_every_row_is_an_empty_or_a_full_page(api, arena, tokens):
    assert api.get("/api/v1/competitions/", {"cursor": cursor(**tokens)}).status_code == 200


def test_a_cursor_that_was_given_leads_on_and_back(api, address, arena, monkeypatch):
    monkeypatch.setattr(CursorPages, "page_size", 1)
    codes = [send(api, address, jsonl(arena.flawed(n))).json()["code"] for n in range(3)]
    seen, link = [], address.submissions
    while link:
        page = api.get(link).json()
        seen += [row["code"] for row in page["results"]]
        back, link = page["previous"], page["next"]
    assert seen == codes[::-1]
    assert [row["code"] for row in api.get(back).json()["results"]] == [codes[1]]


def test_a_cursor_that_was_given_still_leads_on_when_its_zone_is_written_otherwise(
    api, address, arena, monkeypatch
):
    monkeypatch.setattr(CursorPages, "page_size", 1)
    codes = [send(api, address, jsonl(arena.flawed(n))).json()["code"] for n in range(2)]
    link = api.get(address.submissions).json()["next"]
    given = base64.b64decode(parse_qs(urlsplit(link).query)["cursor"][0]).decode()
    [position] = parse_qs(given)["p"]
    again = cursor(p=position.replace("+00:00", "Z"))
    page = api.get(address.submissions, {"cursor": again}).json()
    assert [row["code"] for row in page["results"]] == codes[:1]
