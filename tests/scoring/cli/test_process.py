"""The command line as a process: without Django, on a terminal, in a closed pipe."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scoring.cli.commands import CONTROL, LABELS, REFERENCE
from tests.scoring.formats.challenge import CASES, lines

ROOT = Path(__file__).parents[3]
SCORE = ["score", "nvv-t1", "--reference", str(REFERENCE), "--labels", str(LABELS)]

ONLY = """
import importlib, pkgutil, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ImportError(f"{name} is not there")

allowed = sys.stdlib_module_names | {"numpy", "rapidfuzz", "grading"}
sys.meta_path.insert(0, Blocker())
import grading.scoring
for module in pkgutil.walk_packages(grading.scoring.__path__, "grading.scoring."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from grading.scoring.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def run(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        words, cwd=ROOT, capture_output=True, timeout=120, check=False, **options
    )


def test_numpy_and_rapidfuzz_are_enough() -> None:
    done = run(sys.executable, "-c", ONLY, *SCORE, "--submission", str(CONTROL), "--json")
    assert done.stderr == b""
    assert done.returncode == 0
    assert json.loads(done.stdout)["score"] == 100.0


def test_the_package_runs_as_a_module_without_a_traceback_in_any_encoding() -> None:
    words = [sys.executable, "-m", "grading.scoring", "check", "nvv-t1", "--labels", str(LABELS)]
    words += ["--reference", str(REFERENCE), "--submission"]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    for name in ("json/j-surrogate-id.jsonl", "json/t-cyrillic-a.jsonl"):
        people = run(*words, str(CASES / name), env=plain)
        machine = run(*words, str(CASES / name), "--json", env=plain)
        assert people.returncode == machine.returncode == 1
        assert people.stderr == machine.stderr == b""
        json.loads(machine.stdout.decode("utf-8"))


def test_a_reader_that_goes_away_is_no_error() -> None:
    words = f"{sys.executable} -m grading.scoring methodology nvv-t1 | head -n 1"
    done = run("bash", "-c", words)
    assert done.stderr == b""
    assert done.stdout.startswith(b"nvv-t1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("methodology nvv-t1 >&-", "there is no standard output to write to"),
        ("normalize --with a5s-1 <&-", "there is no standard input to read"),
        ("methodology nvv-t1 >/dev/full", "cannot write the result: No space left on device"),
        ("methodology nvv-t1 --json >/dev/full", "cannot write the result: No space left"),
        ("normalize --with a5s-1 >/dev/full <<< a", "cannot write the result: No space left"),
        ("methodology nvv-t1 >&- 2>&-", ""),
        ("normalize --with other 2>&-", ""),
    ],
)
def test_a_closed_or_full_stream_is_told_in_one_sentence(words: str, said: str) -> None:
    done = run("bash", "-c", f"{sys.executable} -m grading.scoring {words}")
    assert (done.returncode, done.stdout) == (2, b"")
    told = done.stderr.decode().splitlines()
    assert len(told) == bool(said)
    assert not said or told[0].startswith(f"plaudit-scorer: {said}")


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_on_a_terminal_there_is_color_and_a_progress_bar(tmp_path: Path) -> None:
    rows = [
        {"utt_id": f"{language}{n}", "language": language, "text_with_nvvs": f"[laugh] a {n}"}
        for n in range(400)
        for language in ("en", "zh")
    ]
    path = tmp_path / "r.jsonl"
    path.write_bytes(lines(*rows))
    words = [sys.executable, "-m", "grading.scoring", "score", "nvv-t1"]
    words += ["--reference", str(path), "--submission", str(path)]
    parent, child = pty.openpty()
    with subprocess.Popen(words, cwd=ROOT, stdout=child, stderr=child) as process:
        os.close(child)
        seen = b""
        while chunk := _read(parent):
            seen += chunk
    os.close(parent)
    assert process.returncode == 0
    assert b"\x1b[32m" in seen
    assert "Checking █".encode() in seen
    assert "Scoring  █".encode() in seen
    assert b"100 %" in seen


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux says so when the other end is closed
        return b""
