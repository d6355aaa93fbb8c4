"""`sessions` and `join`: what the protocol of a long recording says, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scoring.cli.commands import Run

Capsys = pytest.CaptureFixture[str]

TWO = [
    {"results": [{"text": "start Shared words", "end": 285.0}]},
    {"results": [{"text": "words", "end": 5}, {"text": "shared, words finish", "end": 20}]},
]


def test_sessions_of_ten_minutes(capsys: Capsys) -> None:
    run = Run(capsys, "sessions", "--duration", 600, "--json")
    assert run.code == 0
    assert run.json == {
        "algorithm": "replay-join",
        "version": 1,
        "duration": 600,
        "length": 285,
        "replay": 5,
        "streamed": 610,
        "sessions": [
            {"start": 0, "end": 285, "replay": 0},
            {"start": 280, "end": 565, "replay": 5},
            {"start": 560, "end": 600, "replay": 5},
        ],
    }


def test_other_lengths_and_a_table(capsys: Capsys) -> None:
    run = Run(capsys, "sessions", "--duration", "1.5", "--length", "0.75", "--replay", "0.25")
    assert run.code == 0
    assert run.out.split()[4:8] == ["1", "0", "0.75", "0"]
    assert "2.0" not in run.out
    assert "2 are sent in all" in run.out


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--duration", "-1"], 2), ([], 2), (["--duration", "9", "--length", "5"], 1),
     (["--duration", "1000000000"], 1), (["--duration", "inf"], 2)],
)  # fmt: skip
def test_recordings_that_cannot_be_split(capsys: Capsys, words: list[str], code: int) -> None:
    assert Run(capsys, "sessions", *words).code == code


@pytest.mark.parametrize("shape", ["lines", "list", "object"])
def test_sessions_are_joined(capsys: Capsys, tmp_path: Path, shape: str) -> None:
    path = tmp_path / "s.json"
    texts = {
        "lines": "\n".join(map(json.dumps, TWO)),
        "list": json.dumps(TWO),
        "object": json.dumps({"sessions": TWO}),
    }
    path.write_text(texts[shape])
    run = Run(capsys, "join", "--sessions", path, "--json")
    assert run.code == 0
    assert run.json["text"] == "start Shared words finish"
    assert run.json["normalizer"]["name"] == "a5s-1"
    assert [run.json["replay"], run.json["most"]] == [5, 80]
    assert run.json["sessions"] == [
        {"results": 1, "dropped": 0, "removed_words": 0, "text": "start Shared words"},
        {"results": 2, "dropped": 1, "removed_words": 2, "text": "shared, words finish"},
    ]
    assert Run(capsys, "join", "--sessions", path).out == "start Shared words finish\n"


def test_replay_and_tokens_may_be_others(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, TWO)))
    run = Run(capsys, "join", "--sessions", path, "--replay", 4, "--most", 0)
    assert run.out == "start Shared words words shared, words finish\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"results": 3}', "must have results"),
        ("{}", "must have results"),
        ('{"results": [3]}', "a result must be an object"),
        ('{"results": [{"end": 3}]}', "must have text"),
        ('{"results": [{"text": "a"}]}', "must have end"),
        ('{"results": [{"text": "a", "end": -1}]}', "end must be from 0"),
        ('{"results": [{"text": "a", "end": NaN}]}', "NaN is no JSON value"),
        ('{"results": [{"text": "a", "end": NaN}]}', "(INVALID_JSON)"),
        ('{"results": []}\n{"results": [}\n', "line 2: Not valid JSON at column 14: a value must"),
        ('{"results": [], "results": []}', "(DUPLICATE_JSON_KEY)"),
        ('[{"results": []}', "(INVALID_JSON)"),
        ("3\n", "must be an object, not a number"),
        ("3.5\n", "must be an object, not a number"),
        ('{"results": [{"text": "a", "end": 1%s}]}' % ("0" * 350), "end must be from 0"),
        ('{"results": [{"text": "a", "end": 5.0000000000000000001}]}', "end must be from 0"),
        ('{"results": []}\r{"results": 3}', "line 2: must have results"),
        *((text, "there are no sessions") for text in ("", "\ufeff", "\n \n", "[]")),
        ('{"sessions": []}', "there are no sessions"),
    ],
)
def test_files_that_are_no_sessions(capsys: Capsys, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    run = Run(capsys, "join", "--sessions", path)
    assert run.code == 2
    assert said in run.err


@pytest.mark.parametrize("most", ["1.5", "10001", "-1"])
def test_numbers_of_tokens_that_are_none(capsys: Capsys, tmp_path: Path, most: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"results": []}')
    run = Run(capsys, "join", "--sessions", path, f"--most={most}")
    assert (run.code, "--most" in run.err) == (2, True)


def test_a_session_without_results_is_one(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"results": []}')
    run = Run(capsys, "join", "--sessions", path, "--json")
    assert (run.code, len(run.json["sessions"])) == (0, 1)
