"""`score error-rate`, and the recognition tracks through the commands of every track."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grading.scoring import recipe
from tests.scoring.cli.commands import Run
from tests.scoring.golden import GOLDEN, cases
from tests.scoring.tracks.recognition import lines

Capsys = pytest.CaptureFixture[str]
TRACKS = GOLDEN / "tracks"
KEYS = [
    "error_rate", "edits", "reference_length", "interval", "mean_of_utterances", "corpora", "languages",
]  # fmt: skip


def rate(
    capsys: Capsys,
    folder: Path,
    wanted: list[dict[str, Any]],
    heard: list[dict[str, Any]],
    *more: object,
) -> Run:
    """Run `score error-rate` on rows."""
    folder.joinpath("ref.jsonl").write_bytes(lines(wanted))
    folder.joinpath("sub.jsonl").write_bytes(lines(heard))
    files = ["--reference", folder / "ref.jsonl", "--submission", folder / "sub.jsonl"]
    return Run(capsys, "score", "error-rate", *files, *more)


def rows(texts: list[str], **more: list[str]) -> list[dict[str, Any]]:
    found = [{"utt_id": f"u{k:04d}", "text": text} for k, text in enumerate(texts)]
    for field, values in more.items():
        for row, value in zip(found, values, strict=True):
            row[field] = value
    return found


def test_the_golden_corpus(capsys: Capsys, tmp_path: Path) -> None:
    (case,) = cases("wer_corpus")
    sides = [rows(list(side)) for side in zip(*case["pairs"], strict=True)]
    run = rate(capsys, tmp_path, *sides, "--unit", "wer", "--with", "a5s-1", "--json")
    assert run.code == 0
    found = {key: run.json[key] for key in KEYS}
    assert found | {"interval": None} == {
        "error_rate": 0.01,
        "edits": 1,
        "reference_length": 100,
        "interval": None,
        "mean_of_utterances": 0.5,
        "corpora": {},
        "languages": {},
    }


@pytest.mark.parametrize("case", cases("bootstrap"), ids=lambda case: case["id"])
def test_golden_intervals(case: dict[str, Any], capsys: Capsys, tmp_path: Path) -> None:
    pairs = list(zip(case["errors"], case["ref_len"], strict=True))
    wanted = rows([" ".join(["a"] * n) for _, n in pairs])
    heard = rows([" ".join(["b"] * e + ["a"] * (n - e)) for e, n in pairs])
    options = ["--unit", "wer", "--with", "a5s-1", "--seed", "7", "--json"]
    run = rate(capsys, tmp_path, wanted, heard, *options)
    expected = case["expected"]
    assert run.json["error_rate"] == pytest.approx(expected["point"])
    low, high = run.json["interval"]
    assert low == pytest.approx(expected["lo"], abs=expected["tol_lo"])
    assert high == pytest.approx(expected["hi"], abs=expected["tol_hi"])
    assert (run.json["seed"], run.json["interval_reason"]) == (7, "")


def test_corpora_and_languages(capsys: Capsys, tmp_path: Path) -> None:
    wanted = rows(
        ["a b c d", "a b", "a b", "c d"],
        corpus=["x", "x", "y", "y"],
        language=["en", "en", "ms", "ms"],
    )
    heard = rows(["a b c z", "a b", "z b", "c z"])
    run = rate(capsys, tmp_path, wanted, heard, "--unit", "wer", "--with", "speko-1", "--json")
    found = run.json
    assert (found["edits"], found["reference_length"]) == (3, 10)
    assert {name: part["error_rate"] for name, part in found["corpora"].items()} == {
        "x": pytest.approx(1 / 6),
        "y": 0.5,
    }
    assert found["languages"]["ms"]["edits"] == 2
    assert found["mean_of_corpora"] == found["mean_of_languages"] == pytest.approx(1 / 3)
    assert found["one_split"] == {"substitutions": 3, "deletions": 0, "insertions": 0}
    assert found["seed"] == recipe.seed(found["recipe_digest"], "")
    assert "seed_note" in found
    assert found["corpora"]["y"]["interval_reason"] == "ZERO_WIDTH"


@pytest.mark.parametrize(
    ("unit", "edits", "length"), [("cer", 1, 10), ("mer", 1, 4), ("wer", 1, 4)]
)
def test_units(unit: str, edits: int, length: int, capsys: Capsys, tmp_path: Path) -> None:
    sides = rows(["我 要 book room"]), rows(["我 要 book rooms"])
    run = rate(capsys, tmp_path, *sides, "--unit", unit, "--with", "yue-1", "--json")
    found = run.json
    assert (found["edits"], found["reference_length"]) == (edits, length)
    assert (found["interval"], found["interval_reason"]) == (None, "FEWER_THAN_TWO_CLIPS")


def test_blanks_inside_count_where_they_stay(capsys: Capsys, tmp_path: Path) -> None:
    (case,) = (one for one in cases("cer") if one["id"] == "cer-tamil-compound")
    sides = rows([f" {case['ref']} "]), rows([case["hyp"]])
    run = rate(capsys, tmp_path, *sides, "--unit", "cer", "--with", "fleurs-ta-1", "--json")
    assert run.json["error_rate"] == case["expected"]["rate"]


def test_nothing_to_divide_by(capsys: Capsys, tmp_path: Path) -> None:
    sides = rows(["", "…"]), rows(["a", ""])
    run = rate(capsys, tmp_path, *sides, "--unit", "wer", "--with", "a5s-1", "--json")
    found = run.json
    assert (found["error_rate"], found["edits"], found["reference_length"]) == (None, 1, 0)
    assert found["mean_of_utterances"] == 0.5
    assert found["interval_reason"] == "REFERENCE_WITHOUT_TOKENS"
    people = rate(capsys, tmp_path, *sides, "--unit", "wer", "--with", "a5s-1")
    assert "nothing is left of the references" in people.out


def test_every_problem_is_listed(capsys: Capsys, tmp_path: Path) -> None:
    heard = [{"utt_id": "u0000", "text": None, "failed": True}, {"utt_id": "u0001"}]
    options = ["--unit", "wer", "--with", "a5s-1"]
    run = rate(capsys, tmp_path, rows(["a", "b", "c"]), heard, *options, "--json")
    assert run.code == 1
    assert run.json["accepted"] is False
    found = [(problem["code"], problem["line"]) for problem in run.json["problems"]]
    assert found == [("MISSING_SAMPLES", None), ("FAILED_ROW", 1), ("MISSING_REQUIRED_FIELD", 2)]
    assert "error_rate" not in run.json
    people = rate(capsys, tmp_path, rows(["a", "b", "c"]), heard, *options)
    assert people.code == 1
    assert "FAILED_ROW" in people.out
    refused = rate(capsys, tmp_path, [{"utt_id": "a"}], heard, *options, "--json")
    assert (refused.code, refused.json["file"]) == (1, "reference")
    assert refused.json["problems"][0]["line"] == 1


def test_people_read_a_table(capsys: Capsys, tmp_path: Path) -> None:
    sides = rows(["a b", "c d"], corpus=["x", "y"]), rows(["a b", "c z"])
    run = rate(capsys, tmp_path, *sides, "--unit", "wer", "--with", "a5s-1", "--seed", "1")
    assert "0.250000" in run.out
    assert "mean of corpora: 0.250000" in run.out
    assert "none (fewer than two utterances)" in run.out


@pytest.mark.parametrize("missing", ["--unit", "--with"])
def test_a_unit_and_a_normalizer_are_needed(missing: str, capsys: Capsys, tmp_path: Path) -> None:
    options = {"--unit": "wer", "--with": "a5s-1"}
    del options[missing]
    words = [word for pair in options.items() for word in pair]
    run = rate(capsys, tmp_path, rows(["a"]), rows(["a"]), *words)
    assert run.code == 2
    assert "needs --submission FILE, --unit and --with" in run.err


def test_an_unknown_normalizer_is_a_wrong_word(capsys: Capsys, tmp_path: Path) -> None:
    run = rate(capsys, tmp_path, rows(["a"]), rows(["a"]), "--unit", "wer", "--with", "none")
    assert run.code == 2


@pytest.mark.parametrize(
    ("track", "case"),
    [("asr-wer", "g16-mean-of-corpora-and-pooled"), ("asr", "g7-two-rates")],
)
def test_tracks_run_through_the_same_commands(
    track: str, case: str, capsys: Capsys, tmp_path: Path
) -> None:
    golden = json.loads((TRACKS / track / f"{case}.json").read_text("utf-8"))
    for name in ("references", "submission"):
        (tmp_path / name).write_bytes(lines(golden[name]))
    (tmp_path / "params").write_text(json.dumps(golden["params"]), encoding="utf-8")
    words = ["--reference", tmp_path / "references", "--submission", tmp_path / "submission"]
    words += ["--params", tmp_path / "params"]
    checked = Run(capsys, "check", track, *words, "--json")
    assert (checked.code, checked.json["accepted"]) == (0, True)
    scored = Run(capsys, "score", track, *words, "--json")
    assert scored.json["score"] == golden["expected"]["score"]
    people = Run(capsys, "score", track, *words)
    assert people.code == 0
    methodology = Run(capsys, "methodology", track, "--params", tmp_path / "params")
    assert "Intervals" in methodology.out


def test_a_meeting_is_not_too_long(capsys: Capsys, tmp_path: Path) -> None:
    text = "red green " * 2_000
    wanted, heard = rows([text, text]), rows([text, f"{text} x"])
    run = rate(capsys, tmp_path, wanted, heard, "--unit", "wer", "--with", "speko-1", "--json")
    assert (run.json["edits"], run.json["reference_length"]) == (1, 8_000)
    files = ["--reference", tmp_path / "ref.jsonl", "--submission", tmp_path / "sub.jsonl"]
    assert Run(capsys, "check", "asr-wer", *files).code == 0
