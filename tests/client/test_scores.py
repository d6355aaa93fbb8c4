"""The client writes a score as the board does: in the unit and with the decimals that the track declares."""

from __future__ import annotations

import pytest

from grading import shown
from grading.api.presenting import score_shown
from grading.scoring import registry
from grading.scoring.tracks.columns import Column
from tests.client.program import load

client = load()
VALUES = (0.0, 0.1625, 1.0, 0.00005, 63.333333333333, 1234.567891)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", registry.names())
def test_a_score_is_what_the_board_shows(name, value):
    head = registry.get(name).columns[0]
    told = {"score": value, "interval": [value / 2, value * 2], "shown": score_shown(head)}
    text = client.score_text({"result": told})
    assert text.startswith(shown.value(value, head.shown_as, head.digits))
    low, high = (shown.value(one, head.shown_as, head.digits) for one in told["interval"])
    assert text.endswith(f"({low}–{high})")
    assert (f" {head.unit} (" in text) is bool(head.unit)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("score", "WER", "%", lower_is_better=True, shown_as="percent"), 0.1625, "16.25 %"),
        (Column("score", "Pipeline", "ms", lower_is_better=True, digits=1), 950.25, "950.2 ms"),
        (Column("score", "RTF", "", lower_is_better=True, digits=4), 0.25, "0.2500"),
    ],
)
def test_percent_milliseconds_and_ratios_are_told_apart(column, value, text):
    told = {"score": value, "interval": None, "shown": score_shown(column)}
    assert client.score_text({"result": told}) == text


def test_no_score_is_a_dash_and_an_older_server_gives_two_decimals():
    assert client.score_text({"result": None}) == "–"
    assert client.score_text({"result": {"score": None, "shown": {"unit": "%"}}}) == "–"
    assert client.score_text({"result": {"score": 70.5, "interval": [70, 71]}}) == (
        "70.50 (70.00–71.00)"
    )
