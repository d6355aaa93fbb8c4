"""A board that stays open while scores come."""

from __future__ import annotations

import pytest
from django.utils import timezone

from grading.models import Board
from grading.services import boards, standings
from tests.browser.conftest import until
from tests.factories.grading import make_arena, scored
from tests.grading.views.addresses import of_phase

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def arena(settings, tmp_path):
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_arena(now=timezone.now())


def enter(arena, name: str, score: float) -> None:
    entrant, captain = arena.enter(name)
    scored(arena, entrant, captain, score, at=timezone.now())
    boards.want_rebuild(phase_id=arena.phase.pk, now=timezone.now())
    standings.rebuild(board_id=Board.objects.get().pk, now=timezone.now())


def test_a_new_score_comes_by_itself_and_leaves_focus_sorting_and_choice_alone(open_page, arena):
    enter(arena, "Team Alder", 80.0)
    page = open_page(of_phase("board", arena) + "?sort=f1")
    link = page.locator("th.team a")
    link.focus()
    focused = page.evaluate("document.activeElement.id")
    page.select_option("#sort", "")
    enter(arena, "Team Birch", 70.0)
    page.wait_for_selector("th.team a:has-text('Team Birch')")
    assert page.evaluate("document.activeElement.id") == focused
    assert page.input_value("#sort") == ""
    assert page.locator("th[aria-sort] #by-f1").count() == 1
    assert page.text_content("#spoken") == "The board has changed: 2 rows."


def test_an_empty_board_opens_by_itself_with_its_first_score(open_page, arena):
    page = open_page(of_phase("board", arena))
    assert page.locator("table.board").count() == 0
    enter(arena, "Team Alder", 80.0)
    page.wait_for_selector("th.team a:has-text('Team Alder')")
    assert page.locator("#sort").count() == 1


def test_an_open_board_rests_while_its_tab_is_hidden(open_page, arena):
    enter(arena, "Team Alder", 80.0)
    page = open_page(of_phase("board", arena))
    page.clock.install()
    page.reload()
    until(page, "!!window.htmx")
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(10_000)
    assert asked == []
    page.evaluate("Object.defineProperty(document, 'hidden', {value: false})")
    with page.expect_response(lambda response: "live=rows" in response.url) as found:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert found.value.status == 304
