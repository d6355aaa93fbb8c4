"""Boards of every kind as they stand on a common screen and on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.browser.boards_world import BOARDS_PAGES, make_boards_world
from tests.browser.test_accessibility import CUT, NARROW, window

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

COMMON = 1280
LEAST_PLOT = 150
"""Pixels under which an interval and the sentence on why there is no score cannot be read."""
FAULTS = """(least) => {
  const main = document.querySelector("#live").getBoundingClientRect();
  const found = [...document.querySelectorAll(".wide")]
    .filter((node) => node.scrollWidth > node.clientWidth)
    .map((node) => `is moved sideways: ${node.scrollWidth} of ${node.clientWidth}`);
  for (const node of document.querySelectorAll("#live table")) {
    const over = node.getBoundingClientRect().right - main.right;
    if (over > 1) found.push(`${node.className} is ${over} wider than the page`);
  }
  const plot = document.querySelector(".board thead .plot");
  if (plot && plot.clientWidth < least) found.push(`the plot has ${plot.clientWidth}`);
  return found;
}"""


@pytest.fixture
def places(settings, tmp_path):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    _people, places = make_boards_world(timezone.now())
    names = [thing for name, thing, _who in BOARDS_PAGES if name == "grading:board"]
    return {name: dict(places[name]) for name in names}


def address(place: dict[str, str]) -> str:
    view = place.pop("?view", "")
    return reverse("grading:board", kwargs=place) + (f"?view={view}" if view else "")


def test_no_board_is_moved_sideways_or_cut_off(open_page, places):
    pages = {name: address(place) for name, place in places.items()}
    page = open_page("/", viewport=window(COMMON))
    faults = []
    for name, path in pages.items():
        page.set_viewport_size(window(COMMON))
        assert page.goto(path).status == 200
        assert page.locator("table.board").count() == 1, name
        faults += [f"{name}: {fault}" for fault in page.evaluate(FAULTS, LEAST_PLOT)]
        page.set_viewport_size(window(NARROW))
        faults += [f"{name} on a phone: {fault}" for fault in page.evaluate(CUT)]
        head = page.locator(".lead-head").bounding_box()
        assert head["height"] > 10, f"{name} on a phone: the score has no name and no unit"
    assert not faults, "\n".join(faults)


def test_languages_are_counted_in_the_order_of_the_tabs(open_page, places):
    page = open_page(address(places["agents place"]))
    tabs = page.locator(".tabs a").all_text_contents()
    told = page.text_content(".title p")
    assert tabs[:-1] == ["English", "Malay", "Tamil"]
    assert [told.index(name) for name in tabs[:-1]] == sorted(told.index(x) for x in tabs[:-1])


def test_the_judge_finds_a_board_that_was_made_too_wide(open_page, places):
    page = open_page(address(places["rates place"]), viewport=window(COMMON))
    assert page.evaluate(FAULTS, LEAST_PLOT) == []
    page.evaluate("document.querySelector('.board .team').style.paddingRight = '400px'")
    assert any("wider than the page" in fault for fault in page.evaluate(FAULTS, LEAST_PLOT))
