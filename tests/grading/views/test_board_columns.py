"""What the table of a board shows of what its track declares; without a database."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from grading.scoring.tracks.columns import Column
from grading.views.board_figures import provenance_of, scatter_figure
from grading.views.board_rows import BoardRow, columns_of, in_table, sort_rows

SCORE = Column("score", "WER", "%", lower_is_better=True, shown_as="percent")
HITS = Column("hits", "Right", "", lower_is_better=False, shown_as="counted")
NOTE = Column("note", "Note", "", None, shown_as="text")
FROM = Column("provider", "Provider", "", None, shown_as="text", place="panel")
ROW = BoardRow(
    "e1", "Alder", "a-1", "official", "accepted", 1, 1, 1, 1, 0.1625, 0.15, 0.18, {"score": 0.1625}
)


def head(*columns: Column, tabs=()) -> dict:
    return {"columns": [asdict(one) for one in columns], "tabs": list(tabs)}


def row(code: str, score: float | None, **values) -> BoardRow:
    return replace(ROW, code=code, team=code, score=score, values={"score": score, **values})


def test_a_fraction_is_shown_in_percent_and_stays_a_fraction():
    score = columns_of(head(SCORE), "")[0]
    assert score.text(0.1625) == "16.25"
    assert score.span(0.15, 0.18) == "15.00–18.00"
    assert score.change(-0.0125) == "−1.25"
    assert score.sorted_by(0.1625) == 0.1625


def test_a_part_has_a_column_unless_the_track_declares_one_of_that_name():
    tabs = [
        {"key": "en", "label": ""},
        {"key": "ms", "label": "Malay"},
        {"key": "", "label": "all"},
    ]
    english = replace(SCORE, key="en", language="yue")
    found = columns_of(head(SCORE, english, tabs=tabs), "")
    assert [(one.key, one.label) for one in found] == [
        ("score", "WER"),
        ("ms", "Malay"),
        ("en", "Cantonese WER"),
    ]
    assert columns_of(head(SCORE, tabs=tabs), "ms")[0].label == "WER, Malay"


def test_columns_that_say_nothing_are_left_out_of_the_table():
    again = replace(SCORE, key="again")
    columns = columns_of(head(SCORE, again, HITS, NOTE, FROM), "")
    rows = [row("a", 0.1, again=0.1, hits=[1, 2]), row("b", 0.2, again=0.2)]
    assert [one.key for one in in_table(columns, rows)] == ["score", "hits"]
    assert in_table([], []) == []


@pytest.mark.parametrize(("turned", "order"), [(False, "bacd"), (True, "abcd")])
def test_shares_are_sorted_by_their_value_and_rows_without_a_score_stay_last(turned, order):
    hits = columns_of(head(SCORE, HITS), "")[1]
    rows = [row("a", 0.3, hits=[1, 2]), row("b", 0.2, hits=[9, 10]), row("c", 0.1)]
    rows.append(row("d", None, hits=[10, 10]))
    assert "".join(one.code for one in sort_rows(rows, hits, turned=turned)) == order


def test_where_rows_come_from_is_told_by_the_columns_of_the_panel():
    columns = columns_of(head(SCORE, FROM), "")
    told = provenance_of([row("a", 0.1, provider="Acme"), row("b", 0.2)], columns)
    assert told is not None
    assert [dict(one.texts) for one in told.rows] == [{"Provider": "Acme"}, {"Provider": "–"}]
    assert provenance_of([row("b", 0.2)], columns) is None


def test_one_row_makes_no_scatter():
    point = {"entrant": "e1", "team": "Alder", "kind": "official", "x": 300.0, "y": 0.1}
    told = {"x": asdict(replace(SCORE, shown_as="number")), "y": asdict(SCORE)}
    assert scatter_figure({**told, "points": [point]}) is None
    figure = scatter_figure({**told, "points": [point, {**point, "entrant": "e2", "x": 200.0}]})
    assert figure is not None
    assert [(one.x, one.y, one.is_front) for one in figure.items] == [
        ("300.00 %", "10.00 %", False),
        ("200.00 %", "10.00 %", True),
    ]


def test_a_column_of_a_part_stands_on_the_part_and_not_on_the_whole():
    columns = columns_of(head(SCORE, HITS, replace(HITS, key="quiz", place="part"), FROM), "")
    rows = [row("a", 0.1, hits=[1, 2], quiz=[2, 3], provider="Acme")]
    assert [one.key for one in in_table(columns, rows)] == ["score", "hits"]
    assert [one.key for one in in_table(columns, rows, is_part=True)] == ["score", "hits", "quiz"]


def test_a_number_that_needs_its_unit_has_it_beside_its_name():
    spent = Column("spent", "Spent", "ms", lower_is_better=True, group="Batch")
    points = Column("points", "Points", "points", lower_is_better=False)
    columns = columns_of(head(SCORE, spent, points), "")
    assert [one.measured_in for one in columns] == ["%", "ms", ""]
