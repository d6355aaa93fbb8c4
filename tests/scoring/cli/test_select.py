"""`select` and `subset`: the lists of the library, from files as people have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scoring.cli.commands import Run
from tests.scoring.selections.test_frozen import KEY, NOTSOFAR

Capsys = pytest.CaptureFixture[str]
Rows = list[dict[str, Any]]


def written(path: Path, rows: object) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in rows) if isinstance(rows, list) else rows
    path.write_text(str(lines))
    return path


def test_the_meetings_of_the_protocol_from_a_file(capsys: Capsys, tmp_path: Path) -> None:
    rows = [{"id": one, "words": 1_500} for one in sorted(NOTSOFAR)]
    given = ["--items", written(tmp_path / "m.jsonl", rows), "--key", KEY, "--weight", "words"]
    run = Run(capsys, "select", *given, "--target", 32_928, "--json")
    assert run.code == 0
    assert run.json == {
        "algorithm": "hash-prefix",
        "version": 1,
        "key": KEY,
        "target": 32_928,
        "weight_field": "words",
        "ids": NOTSOFAR,
        "weight": 33_000,
        "distance": 72,
        "pool": 22,
    }


@pytest.mark.parametrize("shape", ["lines", "list", "object", "one"])
def test_the_ways_to_write_a_pool(capsys: Capsys, tmp_path: Path, shape: str) -> None:
    rows = [{"utt_id": "a", "s": 0.1}, {"utt_id": "b", "s": 0.2}]
    text = {
        "lines": "\n".join(map(json.dumps, rows)),
        "list": json.dumps(rows),
        "object": json.dumps({"utterances": rows}, indent=1),
        "one": json.dumps({"id": "a", "s": 0.3}),
    }[shape]
    given = ["--items", written(tmp_path / "m", text), "--key", "k", "--weight", "s"]
    run = Run(capsys, "select", *given, "--target", "0.3", "--json")
    assert (run.code, run.json["distance"], run.json["weight"]) == (0, 0, 0.3)


def test_a_weight_is_the_decimal_that_it_is_written_as(capsys: Capsys, tmp_path: Path) -> None:
    weight = "123456789012.123456789"
    path = written(tmp_path / "m", f'{{"id": "a", "s": {weight}}}')
    given = ["--items", path, "--key", "k", "--weight", "s", "--target", weight]
    assert Run(capsys, "select", *given, "--json").json["distance"] == 0


def test_a_carriage_return_ends_a_line(capsys: Capsys, tmp_path: Path) -> None:
    path = written(tmp_path / "m", '{"id": "a"}\r{"id": "b"}\r')
    run = Run(capsys, "select", "--items", path, "--key", "k", "--target", 2, "--json")
    assert (run.code, sorted(run.json["ids"])) == (0, ["a", "b"])


def test_people_get_the_ids_and_a_sentence(capsys: Capsys, tmp_path: Path) -> None:
    given = ["--items", written(tmp_path / "m", [{"id": "a"}]), "--key", "k", "--target", 3]
    run = Run(capsys, "select", *given)
    assert run.out.splitlines() == ["a", "", "  1 of 1 items, together 1, 2 from 3"]


def test_a_subset_that_covers(capsys: Capsys, tmp_path: Path) -> None:
    rows = [
        {"id": "a1", "words": 50, "series": "a", "phase": "1"},
        {"id": "a2", "words": 60, "series": "a", "phase": "2"},
        {"id": "b1", "words": 40, "series": "b", "phase": "1"},
    ]
    given = [
        "--items",
        written(tmp_path / "m", rows),
        "--weight",
        "words",
        "--target",
        90,
        "--json",
    ]
    assert Run(capsys, "subset", *given).json["ids"] == ["a1", "b1"]
    run = Run(capsys, "subset", *given, "--cover", "series,phase")
    assert run.json == {
        "algorithm": "nearest-subset",
        "version": 1,
        "cover": ["series", "phase"],
        "target": 90,
        "weight_field": "words",
        "ids": ["a2", "b1"],
        "weight": 100,
        "distance": 10,
        "pool": 3,
    }


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no items"),
        ([{"words": 1}], "line 1: must have utt_id or id"),
        ([{"id": 3, "words": 1}], "line 1: must have utt_id or id"),
        ([{"id": "a"}], "line 1: must have words, a number"),
        ([{"id": "a", "words": True}], "words, a number"),
        ([{"id": "a", "words": "5"}], "words, a number"),
        ([{"id": "a", "words": -1}], "words must be from 0"),
        ([{"id": "a", "words": 10**13}], "words must be from 0"),
        ([{"id": "a", "words": 1e-10}], "words must be from 0"),
        (['{"id": "a", "words": NaN}'], "INVALID_JSON"),
        (['{"id": "a", "words": 1e999}'], "words must be from 0"),
        (['{"id": "a", "words": 1e999999999999999999999}'], "words must be from 0"),
        (['{"id": "a", "words": 1e-99999999999999999999}'], "words must be from 0"),
        (['{"id": "a", "words": 5.0000000000000000001}'], "words must be from 0"),
        ([{"id": "a", "words": 10**350}], "words must be from 0"),
        (["[1]"], "must be an object, not a number"),
        (["[1.5]"], "must be an object, not a number"),
        (['{"id": "a", "id": "b"}'], "DUPLICATE_JSON_KEY"),
        (["{broken"], "INVALID_JSON"),
    ],
)
def test_files_that_are_no_pool(
    capsys: Capsys, tmp_path: Path, rows: list[object], said: str
) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path = written(tmp_path / "m", "\n".join([*lines, ""]))
    run = Run(capsys, "subset", "--items", path, "--weight", "words", "--target", 1)
    assert run.code == 2
    assert said in run.err


@pytest.mark.parametrize("target", ["-1", "x", "nan", "1e999999999", "1e-99", "½", "1000000000001"])
def test_targets_that_are_none(capsys: Capsys, tmp_path: Path, target: str) -> None:
    path = written(tmp_path / "m", [{"id": "a"}])
    run = Run(capsys, "select", "--items", path, "--key", "k", f"--target={target}")
    assert run.code == 2


@pytest.mark.parametrize(
    ("command", "rows", "said"),
    [
        (["select", "--key", "k"], [{"id": "a"}] * 2, "a is there twice"),
        (["select", "--key", ""], [{"id": "a"}], "key is empty"),
        (["select", "--key", "k"], [{"id": ""}], "no id"),
        (["subset"], [{"id": str(k)} for k in range(29)], "29 items are too many"),
        (["select", "--key", "k"], ['{"id": "\\ud800"}'], "INVALID_ENCODING"),
    ],
)
def test_what_cannot_be_selected(
    capsys: Capsys, tmp_path: Path, command: list[str], rows: list[object], said: str
) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path = written(tmp_path / "m", "\n".join(lines))
    run = Run(capsys, *command, "--items", path, "--target", 1, "--json")
    assert run.code == (2 if said.isupper() else 1)
    assert said in run.err
    assert run.out == ""


def test_a_file_that_is_not_there(capsys: Capsys) -> None:
    run = Run(capsys, "subset", "--items", "/nowhere", "--target", 1)
    assert (run.code, "cannot read" in run.err) == (2, True)
