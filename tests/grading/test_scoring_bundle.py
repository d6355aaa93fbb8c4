"""The scorer as one file: the same bytes each time, and it runs."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command

from grading.scoring import __version__
from grading.scoring_bundle import build_scorer, file_name, write_scorer
from tests.scoring.cli.commands import CONTROL, LABELS, REFERENCE

WORDS = ["score", "nvv-t1", "--reference", str(REFERENCE), "--labels", str(LABELS)]
WORDS += ["--submission", str(CONTROL), "--json"]


def test_building_twice_gives_the_same_bytes() -> None:
    assert build_scorer() == build_scorer()


def test_nothing_in_it_depends_on_the_machine() -> None:
    with zipfile.ZipFile(io.BytesIO(build_scorer())) as archive:
        entries = archive.infolist()
    names = [entry.filename for entry in entries]
    assert names == sorted(names)
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}
    assert {entry.create_system for entry in entries} == {3}


def test_it_holds_the_scorer_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(build_scorer())) as archive:
        names = archive.namelist()
    assert {"LICENSE", "README.txt", "__main__.py", "grading/__init__.py"} <= set(names)
    rest = [name for name in names if "/" in name and name != "grading/__init__.py"]
    assert all(name.startswith("grading/scoring/") for name in rest)
    assert "grading/scoring/__main__.py" in names
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.parametrize("unpacked", [False, True])
def test_it_runs_as_a_file_and_unpacked(tmp_path: Path, unpacked: bool) -> None:
    path = write_scorer(tmp_path / "dist")
    words = [str(path)]
    if unpacked:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "out")
        words = ["-m", "grading.scoring"]
    done = subprocess.run(
        [sys.executable, *words, *WORDS],
        cwd=tmp_path / "out" if unpacked else tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == b""
    assert json.loads(done.stdout)["score"] == 100.0


def test_the_command_writes_it_and_prints_its_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("build_scorer", output=tmp_path)
    path = tmp_path / f"plaudit-scorer-{__version__}.zip"
    assert path.name == file_name()
    digest = hashlib.sha256(build_scorer()).hexdigest()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert capsys.readouterr().out == f"{digest}  {path}\n"
