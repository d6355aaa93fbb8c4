from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
import time_machine

from competition.enums import BoardVisibility, EntrantKind, EntrantState, Feedback
from grading.models import Board
from grading.views import board_source
from tests.factories.grading import NOW, scored
from tests.grading.views.addresses import of_phase
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def enter(arena, name, score, *, parts=(0.5, 0.5, 0.5), half_width=1.0, **fields):
    entrant, captain = arena.enter(name, **fields)
    return scored(arena, entrant, captain, score, parts=parts, half_width=half_width)


@pytest.fixture
def full(arena, rebuild):
    """Five teams: two in the first band, one unofficial, a baseline, one without an interval."""
    enter(arena, "Team Alder", 80.0, parts=(0.8, 0.3, 0.2))
    enter(arena, "Team Birch", 79.0, parts=(0.9, 0.2, 0.3))
    enter(arena, "Team Cedar", 70.0, kind=EntrantKind.UNOFFICIAL)
    enter(arena, "Team Dogwood", 60.0, half_width=None, parts=(0.4, 0.6, 1.2))
    enter(arena, "Baseline A", 50.0, kind=EntrantKind.BASELINE)
    rebuild()
    return arena


def names_in(html: str) -> list[str]:
    """Return the teams of the table in the order in which they stand there."""
    teams = ("Team Alder", "Team Birch", "Team Cedar", "Team Dogwood", "Baseline A")
    table = html[html.index("<tbody") :]
    return sorted((name for name in teams if name in table), key=table.index)


def test_rows_stand_in_bands_with_place_range_score_and_interval(client, full):
    html = client.get(of_phase("board", full)).content.decode()
    assert faults(html) == []
    text = read(html).text
    assert names_in(html) == [
        "Team Alder",
        "Team Birch",
        "Team Cedar",
        "Team Dogwood",
        "Baseline A",
    ]
    assert "Band 1 · places 1–2 · intervals overlap that of place 1" in text
    assert "Band 3 · place 3 · stands alone" in text
    assert "80.00 79.00–81.00" in text
    assert "60.00 no interval" in text
    assert "unofficial" in text
    assert "baseline" in text


def test_the_plot_has_the_leaders_column_and_a_mark_in_every_row(client, full):
    page = read(client.get(of_phase("board", full)).content.decode())
    marks = [e for e in page.all("svg") if e.attributes.get("role") == "img"]
    assert [mark.attributes["aria-label"] for mark in marks][:1] == [
        "80.00, 95 % interval 79.00–81.00"
    ]
    assert len(marks) == 5
    assert len([e for e in page.all("rect") if e.attributes.get("class") == "lead"]) == 5


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", ["Team Alder", "Team Birch", "Team Cedar", "Team Dogwood", "Baseline A"]),
        ("sort=f1", ["Team Birch", "Team Alder", "Team Cedar", "Baseline A", "Team Dogwood"]),
        ("sort=mntd", ["Team Birch", "Team Alder", "Team Cedar", "Baseline A", "Team Dogwood"]),
        (
            "sort=mntd&order=reverse",
            ["Team Dogwood", "Team Cedar", "Baseline A", "Team Alder", "Team Birch"],
        ),
        ("rows=official", ["Team Alder", "Team Birch", "Team Dogwood"]),
        ("view=zh&rows=official&sort=error_rate", ["Team Alder", "Team Birch", "Team Dogwood"]),
        ("sort=nonsense&view=xx&page=99", ["Team Alder", "Team Birch", "Team Cedar"]),
    ],
)
def test_page_csv_and_json_have_one_order(client, full, query, order):
    page = names_in(client.get(f"{of_phase('board', full)}?{query}").content.decode())
    table = csv.DictReader(
        io.StringIO(
            client.get(f"{of_phase('board-csv', full)}?{query}").content.decode("utf-8-sig")
        )
    )
    rows = client.get(f"{of_phase('board-json', full)}?{query}").json()["rows"]
    assert page[: len(order)] == order
    assert [row["team"] for row in table] == page
    assert [row["team"] for row in rows] == page


def test_sorting_by_another_column_keeps_the_places(client, full):
    rows = client.get(of_phase("board-json", full) + "?sort=f1").json()["rows"]
    assert [(row["team"], row["place"]) for row in rows][:2] == [
        ("Team Birch", 2),
        ("Team Alder", 1),
    ]


def test_numbers_of_the_page_are_numbers_of_the_export(client, full):
    text = read(client.get(of_phase("board", full)).content.decode()).text
    for row in client.get(of_phase("board-json", full)).json()["rows"]:
        assert f"{row['score']:.2f}" in text
        assert f"{row['f1']:.2f}" in text


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "＝1+1", "＠SUM(1)", "－1+1"])
def test_a_name_that_a_spreadsheet_would_run_is_neutralized(client, arena, rebuild, name):
    enter(arena, name, 50.0)
    rebuild()
    content = client.get(of_phase("board-csv", arena)).content
    assert content.startswith(b"\xef\xbb\xbf")
    row = next(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert row["team"] == f"'{name}"
    assert float(row["score"]) == 50.0


def test_names_are_escaped(client, arena, rebuild):
    enter(arena, "<svg onload=alert(1)>", 50.0)
    rebuild()
    html = client.get(of_phase("board", arena)).content.decode()
    assert "<svg onload" not in html
    assert faults(html) == []


def test_the_readers_own_team_is_marked(seen_by, arena, rebuild):
    scored(arena, arena.entrant, arena.captain, 66.0)
    rebuild()
    path = of_phase("board", arena)
    assert "your team" in read(seen_by("captain", path).content.decode()).text
    assert "your team" not in read(seen_by("rival", path).content.decode()).text


def test_an_empty_board_says_what_to_do(seen_by, arena):
    path = of_phase("board", arena)
    assert "Submit to this phase" in seen_by("captain", path).content.decode()
    outside = seen_by("anonymous", path).content.decode()
    assert "No score is on this board yet." in outside
    assert "See how it is scored" in outside


def test_a_frozen_board_says_so(client, arena, rebuild):
    enter(arena, "Team Alder", 80.0)
    arena.phase.frozen_from = NOW - timedelta(hours=1)
    arena.phase.save()
    rebuild()
    assert "The board is frozen." in client.get(of_phase("board", arena)).content.decode()


def test_a_board_for_entrants_is_not_shown_to_others(seen_by, arena, rebuild):
    enter(arena, "Team Alder", 80.0)
    arena.phase.board_visibility = BoardVisibility.ENTRANTS
    arena.phase.save()
    rebuild()
    seen = {
        who: (
            "Team Alder" in seen_by(who, of_phase("board", arena)).content.decode(),
            seen_by(who, of_phase("board-csv", arena)).status_code,
            seen_by(who, of_phase("board-data", arena)).status_code,
        )
        for who in ("anonymous", "outsider", "captain", "organizer", "auditor")
    }
    assert seen == {
        "anonymous": (False, 404, 404),
        "outsider": (False, 404, 404),
        "captain": (True, 200, 200),
        "organizer": (True, 200, 200),
        "auditor": (True, 200, 200),
    }


def test_without_feedback_nothing_of_the_board_shows_but_to_organizers(seen_by, arena, rebuild):
    arena.phase.feedback = Feedback.NONE
    arena.phase.save()
    enter(arena, "Team Alder", 81.25)
    rebuild()
    path = of_phase("board", arena)
    assert "Team Alder" not in seen_by("captain", path).content.decode()
    assert "81.25" in seen_by("organizer", path).content.decode()
    assert seen_by("captain", of_phase("board-csv", arena)).status_code == 404


def test_a_disqualified_team_leaves_a_trace_without_a_number(client, arena, rebuild):
    enter(arena, "Team Alder", 80.0, state=EntrantState.DISQUALIFIED, reason="x")
    rebuild()
    text = read(client.get(of_phase("board", arena)).content.decode()).text
    assert "Team Alder disqualified" in text
    assert "80.00" not in text


def test_an_unchanged_data_json_answers_304(client, full):
    path = of_phase("board-data", full)
    first = client.get(path)
    assert first.status_code == 200
    assert json.loads(first.content)["views"]["final"]["ranked"] == 3
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_board_takes_as_many_queries_for_three_rows_as_for_one(
    client, arena, rebuild, django_assert_num_queries
):
    path = of_phase("board", arena)
    enter(arena, "Team Alder", 80.0)
    rebuild()
    with django_assert_num_queries(6):
        client.get(path)
    enter(arena, "Team Birch", 70.0)
    enter(arena, "Team Cedar", 60.0)
    with time_machine.travel(NOW + timedelta(minutes=1), tick=False):
        rebuild()
    with django_assert_num_queries(6):
        assert "Team Cedar" in client.get(path).content.decode()
    with django_assert_num_queries(6):
        client.get(path)


def test_a_long_board_comes_in_pages(client, arena, rebuild):
    for number in range(101):
        enter(arena, f"Team {number:03d}", 90.0 - number / 2)
    rebuild()
    path = of_phase("board", arena)
    first = client.get(path).content.decode()
    assert "Team 099" in first
    assert "Team 100" not in first
    assert "Page 1 of 2" in read(first).text
    assert "Team 100" in client.get(f"{path}?page=2").content.decode()


def test_a_board_rebuilt_between_two_reads_is_shown_anew(client, full, monkeypatch):
    stale = Board.objects.get(phase=full.phase)
    stale.built -= 1
    reads = iter([stale])
    real = board_source.Board.objects.filter

    class Once:
        """Gives the board as it was before the rebuild, once."""

        def defer(self, _name):
            return self

        def values_list(self, *names):
            return real(phase=full.phase).values_list(*names)

        def first(self):
            return next(reads, None) or real(phase=full.phase).defer("data").first()

    monkeypatch.setattr(Board.objects, "filter", lambda **_: Once())
    assert "Team Alder" in client.get(of_phase("board", full)).content.decode()
