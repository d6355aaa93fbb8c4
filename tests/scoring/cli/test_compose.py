"""`compose`: a row of the pillars' board from scores as shown, and from files scored again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.evaluate import evaluate
from tests.scoring.cli.commands import Run

LLM = {"weights": {"judge": 0, "extraction": 1}}


def plan(folder: Path, value: object) -> Path:
    path = folder / "pillars.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def compose(capsys: Any, folder: Path, value: object, *more: object) -> Run:
    return Run(capsys, "compose", "pillars", "--pillars", plan(folder, value), *more)


def extraction(folder: Path) -> dict[str, Any]:
    """Write files of a small `llm` pillar; return how a plan names them."""
    reference = [{"utt_id": f"q{n}", "language": "yue", "fields": {"a": n}} for n in range(20)]
    sent = [
        {"utt_id": f"q{n}", "answer": "", "fields": {"a": n if n % 3 else -1}} for n in range(20)
    ]
    for name, rows in (("ref.jsonl", reference), ("sent.jsonl", sent)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"params": LLM, "reference": "ref.jsonl", "submission": "sent.jsonl", "seed": 7}


def test_scores_as_they_are_shown_give_core_and_full(capsys: Any, tmp_path: Path) -> None:
    given = {"asr": {"score": 80.0}, "llm": {"score": 60}, "tts": {"score": 70.0}}
    run = compose(capsys, tmp_path, given, "--json")
    assert run.code == 0
    core, full = run.json["tables"]
    assert (core["key"], core["row"]["score"]) == ("final", 68.888888888889)
    assert (full["key"], full["row"]["score"]) == ("asr-llm-tts", 69.333333333333)
    assert full["row"]["interval"] is None
    assert full["row"]["interval_reason"] == "PILLAR_WITHOUT_INTERVAL"


def test_a_pillar_that_is_not_final_withholds_the_full_score(capsys: Any, tmp_path: Path) -> None:
    late = {"score": None, "withheld_reason": "NATURALNESS_NOT_RATED"}
    run = compose(capsys, tmp_path, {"asr": {"score": 90}, "llm": {"score": 60}, "e2e": late})
    assert run.code == 0
    assert "73.33" in run.out
    assert "withheld (E2E_NOT_FINAL)" in run.out


def test_a_pillar_is_scored_again_from_its_files_with_its_interval(
    capsys: Any, tmp_path: Path
) -> None:
    part = extraction(tmp_path)
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"weights": {"llm": 1}, "baseline": ["llm"]}))
    run = compose(capsys, tmp_path, {"llm": part}, "--params", settings, "--json")
    track = registry.get("llm")
    params = track.params(LLM)
    references = track.references((tmp_path / "ref.jsonl").read_bytes(), params)
    checked = track.check(
        tmp_path / "sent.jsonl",
        ids=dict(references.language_of),
        params=params,
        limits=track.limits({}),
    )
    found = evaluate(
        track=track, params=params, references=references, given=checked.predictions, seed=7
    )
    (table,) = run.json["tables"]
    assert table["row"]["score"] == found.score
    assert found.interval is not None
    assert table["row"]["interval"] == list(found.interval)
    assert len(track.replicates(found.tallies, params, seed=7)) == bootstrap.REPLICATES


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "must be an object"),
        ({}, "must be an object"),
        ({"vad": {"score": 1}}, "must be an object of some of"),
        ({"asr": 80}, "must have a score"),
        ({"asr": {"score": "80"}}, "must be a number or null"),
        ({"asr": {"score": True}}, "must be a number or null"),
        ({"asr": {"score": 80, "low": 1}}, "must have a score"),
        ({"asr": {"reference": "r"}}, "must have a score"),
        ({"asr": {"reference": 1, "submission": 2}}, "names of files"),
        ({"asr": {"track": "x", "reference": "r", "submission": "s"}}, "no track is named"),
        ({"asr": {"track": "nvv-t2", "reference": "r", "submission": "s"}}, "give its score"),
        ({"asr": {"track": "pillars", "reference": "r", "submission": "s"}}, "give its score"),
        ({"llm": {"seed": -1, "reference": "r", "submission": "s"}}, "seed must be"),
        ({"llm": {"seed": 2**64, "reference": "r", "submission": "s"}}, "seed must be"),
        ({"asr": {"score": 150}}, "from 0 to 100"),
        ({"asr": {"score": -5}}, "from 0 to 100"),
        ({"asr": {"score": int("9" * 399)}}, "from 0 to 100"),
        ({"asr": {"score": 80, "withheld_reason": "X"}}, "give one of them"),
        ({"asr": {"track": "asr-wer", "reference": "r", "submission": "s"}}, "no pillar's"),
        ({"asr": {"track": "latency", "reference": "r", "submission": "s"}}, "no pillar's"),
        ({"llm": {"params": [1], "reference": "r", "submission": "s"}}, "params must be"),
        ({"llm": {"params": "x", "reference": "r", "submission": "s"}}, "params must be"),
        ({"llm": {"params": 0, "reference": "r", "submission": "s"}}, "params must be"),
        ({"llm": {"reference": "a\0b", "submission": "s"}}, "names of files"),
        ({"llm": {"reference": "a\ud800", "submission": "s"}}, "cannot"),
        ({"llm": {"params": {"x": 1}, "reference": "r", "submission": "s"}}, "not known"),
        ({"llm": {"reference": "nowhere.jsonl", "submission": "s"}}, "cannot read"),
    ],
)
def test_a_plan_that_cannot_be_used_is_told(
    capsys: Any, tmp_path: Path, given: object, told: str
) -> None:
    run = compose(capsys, tmp_path, given)
    assert run.code == 2
    assert told in run.err


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1e-400", "-0.0"])
def test_numbers_that_no_float_holds_never_trace_back(
    capsys: Any, tmp_path: Path, number: str
) -> None:
    path = tmp_path / "pillars.json"
    path.write_text(f'{{"asr": {{"score": {number}}}}}')
    run = Run(capsys, "compose", "pillars", "--pillars", path)
    assert run.code == (2 if "1e400" in number else 0)
    assert run.err.count("\n") <= 1


def test_a_file_that_is_not_accepted_is_told_with_its_problems(capsys: Any, tmp_path: Path) -> None:
    part = extraction(tmp_path)
    (tmp_path / "sent.jsonl").write_text('{"utt_id": "q0", "answer": "", "fields": 3}\n')
    run = compose(capsys, tmp_path, {"llm": part})
    assert run.code == 2
    assert "not accepted" in run.err
    assert "The field fields must be a JSON object" in run.err
