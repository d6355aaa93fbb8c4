"""`score llm` with a judge that the server asks: rows, and its marks beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.scoring.cli.commands import Run
from tests.scoring.tracks.test_llm_judged import LEAST, SCALE


def score(capsys: Any, folder: Path, params: object, marks: object = None) -> Run:
    reference = {"utt_id": "q1", "language": "yue", "prompt": "p", "fields": {"a": 1}}
    sent = {"utt_id": "q1", "answer": "w", "fields": {"a": 1}}
    files = {"params": params, "reference": reference, "submission": sent}
    given: list[object] = ["score", "llm"]
    if marks is not None:
        files["marks"] = {"utt_id": "q1", "marks": marks}
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value) + "\n")
        given += [f"--{name}", folder / name]
    return Run(capsys, *given, "--json")


def test_marks_beside_the_rows_give_the_score(capsys: Any, tmp_path: Path) -> None:
    params = {"scale": SCALE, "judge": LEAST}
    run = score(capsys, tmp_path, params, [[4], [2], [3]])
    assert (run.code, run.json["score"]) == (0, 75.0)


def test_without_the_marks_the_score_is_withheld(capsys: Any, tmp_path: Path) -> None:
    run = score(capsys, tmp_path, {"scale": SCALE, "judge": LEAST})
    assert run.code == 0
    assert (run.json["score"], run.json["withheld_reason"]) == (None, "JUDGE_MARKS_MISSING")


def test_marks_that_are_none_are_told(capsys: Any, tmp_path: Path) -> None:
    params = {"scale": SCALE, "judge": LEAST}
    run = score(capsys, tmp_path, params, [[9], [2], [3]])
    assert run.code == 1
    assert "one number of the scale" in run.err
    assert score(capsys, tmp_path, params, [4, 2, 3]).code == 2


def test_a_track_without_such_a_judge_takes_no_marks(capsys: Any, tmp_path: Path) -> None:
    run = score(capsys, tmp_path, {"scale": SCALE, "judge": "J"}, [[4]])
    assert run.code == 2
    assert "leave out --marks" in run.err


def test_a_pillar_that_a_judge_marks_is_given_by_its_score(capsys: Any, tmp_path: Path) -> None:
    part = {"params": {"scale": SCALE, "judge": LEAST}, "reference": "r", "submission": "s"}
    (tmp_path / "r").write_text('{"utt_id": "q", "language": "yue", "fields": {}}\n')
    (tmp_path / "s").write_text('{"utt_id": "q", "answer": "", "fields": {}}\n')
    (tmp_path / "p.json").write_text(json.dumps({"llm": part, "asr": {"score": 80}}))
    run = Run(capsys, "compose", "pillars", "--pillars", tmp_path / "p.json")
    assert run.code == 2
    assert "give its score" in run.err
