"""A board that is made of others has no files of its own: the commands for files say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grading.scoring import registry
from tests.scoring.cli.commands import Run


@pytest.mark.parametrize("name", registry.composed())
@pytest.mark.parametrize(
    ("command", "beside"),
    [("check", "--manifest"), ("check", "--reference"), ("score", "--reference")],
)
def test_it_is_refused_with_what_to_do(
    capsys: Any, tmp_path: Path, name: str, command: str, beside: str
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"utt_id": "a"}\n')
    run = Run(capsys, command, name, beside, file, "--submission", file)
    assert run.code == 2
    assert f"{name} is made of other boards: check or score the files of each of them" in run.err
