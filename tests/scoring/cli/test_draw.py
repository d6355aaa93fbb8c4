"""`draw`: anybody makes a recorded draw again from the public manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grading.scoring import draws
from tests.scoring.cli.commands import Run

Capsys = pytest.CaptureFixture[str]

ROWS = [
    {"utt_id": f"c{i:02d}", "tier": ("easy", "hard")[i % 2], "language": ("en", "zh")[i % 3 == 0]}
    for i in range(12)
]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def pool() -> list[draws.PoolClip]:
    return [draws.PoolClip(row["utt_id"], row["tier"], row["language"]) for row in ROWS]


def test_the_list_is_that_of_the_library(capsys: Capsys, manifest: Path) -> None:
    run = Run(capsys, "draw", "--manifest", manifest, "--n", 5, "--key", "ab:1", "--json")
    drawn = draws.draw(pool(), n=5, key="ab:1")
    assert run.code == 0
    assert run.json["utt_ids"] == list(drawn.utt_ids)
    assert run.json["counts"] == drawn.counts == {"easy": 3, "hard": 2}


def test_strata_of_language_and_tier(capsys: Capsys, manifest: Path) -> None:
    run = Run(
        capsys, "draw", "--manifest", manifest, "--n", 6, "--key", "k", "--strata", "language,tier", "--json"
    )  # fmt: skip
    assert sum(one["count"] for one in run.json["strata"]) == 6
    assert {(one["language"], one["tier"]) for one in run.json["strata"]} == {
        ("en", "easy"), ("en", "hard"), ("zh", "easy"), ("zh", "hard")
    }  # fmt: skip


def test_a_json_list_is_read_as_well_and_people_get_a_table(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(ROWS))
    run = Run(capsys, "draw", "--manifest", path, "--n", 12, "--key", "k")
    assert run.code == 0
    assert run.out.splitlines()[:12] == [row["utt_id"] for row in ROWS]
    assert "in the pool" in run.out


@pytest.mark.parametrize(
    ("n", "code", "said"),
    [("13", 1, "pool of 12"), ("0", 1, "0 clips"), ("-1", 2, ""), ("x", 2, "")],
)
def test_numbers_that_cannot_be_drawn(
    capsys: Capsys, manifest: Path, n: str, code: int, said: str
) -> None:
    run = Run(capsys, "draw", "--manifest", manifest, f"--n={n}", "--key", "k")
    assert run.code == code
    assert said in run.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"utt_id": "a"}\n', "line 1: must have utt_id, tier"),
        ('{"utt_id": "a", "tier": 3}\n', "line 1"),
        ('{"utt_id": "a", "tier": "x"}\n["b"]\n', "line 2"),
        ("{broken\n", "INVALID_JSON"),
        ("", "no clips"),
    ],
)
def test_manifests_that_are_none(capsys: Capsys, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(text)
    run = Run(capsys, "draw", "--manifest", path, "--n", 1, "--key", "k")
    assert run.code == 2
    assert said in run.err


def test_a_clip_twice_is_not_acceptable(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text('{"utt_id": "a", "tier": "x"}\n' * 2)
    run = Run(capsys, "draw", "--manifest", path, "--n", 1, "--key", "k")
    assert run.code == 1
    assert "a is in the pool twice" in run.err
