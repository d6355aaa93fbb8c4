"""Runs the command line inside the test's process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grading.scoring.cli.main import main
from tests.scoring.formats.challenge import CASES

REFERENCE = CASES / "ref/track1_reference.jsonl"
LABELS = CASES / "ref/tags.json"
CONTROL = CASES / "control/track1.jsonl"


class Run:
    """One run: its exit code and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *argv: object) -> None:
        capsys.readouterr()
        try:
            self.code = main([str(word) for word in argv])
        except SystemExit as end:
            self.code = int(end.code or 0)
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=pytest.fail)


def check(capsys: pytest.CaptureFixture[str], submission: Path, *more: object) -> Run:
    """Run `check nvv-t1` with the test challenge."""
    known = ["--reference", REFERENCE, "--labels", LABELS]
    return Run(capsys, "check", "nvv-t1", *known, "--submission", submission, *more)


def score(capsys: pytest.CaptureFixture[str], submission: Path, *more: object) -> Run:
    """Run `score nvv-t1` with the test challenge."""
    known = ["--reference", REFERENCE, "--labels", LABELS]
    return Run(capsys, "score", "nvv-t1", *known, "--submission", submission, *more)
