"""Track 2 as one object: what a competition may set."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grading.scoring.recipe import canonical_json
from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.tracks.nvv_t2_params import decimal_text
from grading.scoring.types import ParamsInvalid


def test_the_defaults_are_the_challenges() -> None:
    params = TRACK.params({})
    assert (TRACK.name, TRACK.version) == ("nvv-t2", "1.0.0")
    assert {name: float(weight) for name, weight in params.weights.items()} == {
        "A": 0.30, "P": 0.25, "N": 0.15, "Q": 0.15, "E": 0.15,
    }  # fmt: skip
    assert params.tie_breaks == ("A", "P", "N")
    assert params.judge_weight == Fraction(3, 10)
    assert (params.bounds.shortest, params.bounds.longest) == (Fraction(1, 10), 60)
    assert params.languages == ("en", "zh")


def test_the_canonical_form_is_read_back_and_is_json() -> None:
    given = {"weights": dict.fromkeys("APNQE", 0.2), "tie_breaks": ["N"], "judge_weight": 1}
    given["labels"] = ["Sigh", "laugh"]
    params = TRACK.params({**given, "seconds": {"shortest": 0.25, "longest": "30.0"}})
    form = TRACK.params_json(params)
    assert TRACK.params(form) == params
    assert canonical_json(form).decode() == (
        '{"judge":null,"judge_weight":"1","labels":["laugh","sigh"],"languages":["en","zh"],'
        '"seconds":{"longest":"30","shortest":"0.25"},'
        '"tie_breaks":["N"],"weights":{"A":"0.2","E":"0.2","N":"0.2","P":"0.2","Q":"0.2"}}'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [("0.70", "0.7"), (1, "1"), (100, "100"), ("0.000000000001", "0.000000000001")],
)
def test_a_decimal_is_written_in_its_shortest_form(value: str | int, text: str) -> None:
    assert decimal_text(Fraction(value)) == text


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"labels": []}, ["labels"]),
        ({"weights": {"A": 1}}, ["weights.P", "weights.N", "weights.Q", "weights.E"]),
        ({"weights": dict.fromkeys("APNQE", 0.3)}, ["weights"]),
        ({"weights": {**dict.fromkeys("APNQE", 0.2), "X": 0}}, ["weights.X"]),
        ({"weights": 1}, ["weights"]),
        ({"weights": {**dict.fromkeys("APNQE", 0.2), "A": True}}, ["weights.A"]),
        ({"weights": {**dict.fromkeys("APNQE", 0.2), "A": "NaN"}}, ["weights.A"]),
        ({"tie_breaks": "A"}, ["tie_breaks"]),
        ({"tie_breaks": ["A", "Z", "A"]}, ["tie_breaks[1]", "tie_breaks[2]"]),
        ({"judge_weight": 1.5}, ["judge_weight"]),
        ({"judge_weight": -0.1}, ["judge_weight"]),
        ({"judge_weight": None}, ["judge_weight"]),
        ({"judge_weight": "0.0000000000001"}, ["judge_weight"]),
        ({"seconds": {"shortest": 0, "longest": 60}}, ["seconds"]),
        ({"seconds": {"shortest": 5, "longest": 1}}, ["seconds"]),
        ({"seconds": {"shortest": 1, "longest": 601}}, ["seconds.longest"]),
        ({"seconds": {}}, ["seconds.shortest", "seconds.longest"]),
        ({"languages": ["en"]}, ["languages"]),
        ({"judge_weight": 2, "languages": "en"}, ["judge_weight", "languages"]),
        ({"judge_weight": 10**5000}, ["judge_weight"]),
    ],
)
def test_every_fault_of_the_settings_is_told_with_its_path(raw: dict, paths: list[str]) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert [fault.path for fault in refused.value.faults] == paths
