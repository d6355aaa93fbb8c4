"""An open board refreshes itself in place: a cheap 304 while nothing changed, else the new rows."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from competition.enums import BoardVisibility
from grading.models import Submission
from grading.services import doorbell
from tests.factories.grading import NOW, scored, submit
from tests.grading.views.addresses import of_phase
from tests.site.markup import read

pytestmark = pytest.mark.django_db


def poll_of(html: str) -> tuple[str, str]:
    """Return what an open page asks for, and the tag that it shows."""
    node = next(e for e in read(html).all("div") if "hx-get" in e.attributes)
    tag = node.attributes["hx-headers"].split('\\"')[1]
    return node.attributes["hx-get"], f'"{tag}"'


def ask(client, arena, query: str, tag: str):
    return client.get(of_phase("board", arena) + query, headers={"If-None-Match": tag})


@pytest.fixture
def full(arena, rebuild):
    for name, score in (("Team Alder", 80.0), ("Team Birch", 70.0)):
        entrant, captain = arena.enter(name)
        scored(arena, entrant, captain, score)
    rebuild()
    return arena


def test_an_open_page_gets_nothing_while_nothing_changed(
    client, full, django_assert_max_num_queries
):
    query, tag = poll_of(client.get(of_phase("board", full)).content.decode())
    with django_assert_max_num_queries(4):
        response = ask(client, full, query, tag)
    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == tag
    assert "no-cache" in response["Cache-Control"]


def test_a_new_score_comes_into_the_open_page_in_the_reader_s_own_order(client, full, rebuild):
    path = of_phase("board", full) + "?sort=f1&rows=official&view=en"
    query, tag = poll_of(client.get(path).content.decode())
    assert ask(client, full, query, tag).status_code == 304
    entrant, captain = full.enter("Team Cedar")
    scored(full, entrant, captain, 75.0)
    rebuild()
    response = ask(client, full, query, tag)
    html = response.content.decode()
    assert response.status_code == 200
    assert "<html" not in html
    assert "Team Cedar" in html
    assert 'hx-swap-oob="innerHTML">The board has changed: 3 rows.' in html
    again, newer = poll_of(html)
    assert (again, response["ETag"]) == (query, newer)
    assert newer != tag
    assert ask(client, full, again, newer).status_code == 304
    assert "live=" not in read(html).text


def test_the_first_score_of_a_board_opens_the_whole_page_anew(client, arena, rebuild):
    query, tag = poll_of(client.get(of_phase("board", arena)).content.decode())
    scored(arena, arena.entrant, arena.captain, 50.0)
    rebuild()
    assert ask(client, arena, query, tag)["HX-Refresh"] == "true"


def test_a_hidden_board_opens_when_it_is_shown_and_tells_nothing_before(client, full):
    full.phase.board_visibility = BoardVisibility.ORGANIZERS
    full.phase.save()
    query, tag = poll_of(client.get(of_phase("board", full)).content.decode())
    assert ask(client, full, query, tag).status_code == 304
    assert ask(client, full, "?live=rows", '"x"')["HX-Refresh"] == "true"
    assert ask(client, full, "?live=hidden", '"x"').content == b""
    with time_machine.travel(full.phase.closes_at + timedelta(seconds=1), tick=False):
        assert ask(client, full, query, tag)["HX-Refresh"] == "true"


def test_a_page_asks_often_only_while_scores_may_come(client, full):
    for moment, seconds in (
        (NOW, 2),
        (full.phase.opens_at - timedelta(hours=1), 30),
        (full.phase.closes_at + timedelta(days=1), 30),
    ):
        with time_machine.travel(moment, tick=False):
            html = client.get(of_phase("board", full)).content.decode()
        assert f'hx-trigger="every {seconds}s, seen"' in html


def test_links_inside_a_refreshed_part_lead_to_pages(client, full, monkeypatch):
    monkeypatch.setattr("grading.views.board_page.ROWS_PER_PAGE", 1)
    html = client.get(of_phase("board", full) + "?page=1&live=rows").content.decode()
    links = [e.attributes["href"] for e in read(html).all("a") if "page=2" in e.attributes["href"]]
    assert links == ["?page=2"]


@pytest.mark.django_db(transaction=True)
def test_a_score_stands_on_the_board_when_its_run_ends_without_another_bell(arena, monkeypatch):
    ring = doorbell.ring
    monkeypatch.setattr(
        doorbell, "ring", lambda name, pk: None if name == doorbell.REBUILD else ring(name, pk)
    )
    submission = submit(arena, arena.perfect())
    board = Submission.objects.get(pk=submission.pk).phase.board
    assert (board.built, board.wanted) == (1, 1)
