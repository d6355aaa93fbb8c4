"""Rows to tick and to choose from are as high as a finger on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.browser.conftest import session_of
from tests.browser.test_rating import PHONE
from tests.factories.hearing import make_listeners
from tests.factories.listening import organizer_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROWS = """[...document.querySelectorAll("main label:has([type=checkbox], [type=radio])")]
    .filter((row) => row.getClientRects().length)
    .map((row) => [row.textContent.trim(), row.getBoundingClientRect().height])"""


def test_rows_of_boxes_and_buttons_of_raters_are_44_px_high(
    open_page, live_server, settings, tmp_path
):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    made = make_listeners(organizer_of, timezone.now())
    page = open_page("/", **PHONE)
    seen = 0
    for rater, name in (
        (made.joining, "rate-consent"),
        (made.at_clips.rater, "rate-languages"),
        (made.checking, "rate-check"),
        (made.practicing, "rate-practice"),
    ):
        page.context.add_cookies(session_of(rater.user, live_server.url))
        page.goto(reverse(f"grading:{name}", args=[rater.code]))
        rows = page.evaluate(ROWS)
        assert rows, name
        assert [row for row in rows if row[1] < 44] == [], name
        seen += len(rows)
    assert seen > 10
