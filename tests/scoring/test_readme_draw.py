"""The script of the README is a stranger's: it shares no line with ours and finds the same list."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grading.scoring import draws
from grading.scoring.draws import PoolClip

README = Path(__file__).resolve().parents[2] / "README.md"
SEED = hashlib.sha256(b"readme").hexdigest()
POOL = [
    PoolClip(f"{tier}_{number:02d}", tier)
    for tier, size in {"easy": 22, "medium": 19, "hard": 14}.items()
    for number in range(size)
]


def script() -> str:
    found = re.search(
        r"```python\n(import hashlib.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    return found[1]


def run(tmp_path: Path, n: int, key: str, commitment: str) -> subprocess.CompletedProcess[str]:
    pool = tmp_path / "pool.jsonl"
    rows = (json.dumps({"utt_id": one.utt_id, "tier": one.tier}) for one in POOL)
    pool.write_text("".join(f"{row}\n" for row in rows))
    check = tmp_path / "check.py"
    check.write_text(script(), encoding="utf-8")
    command = [sys.executable, str(check), str(pool), str(n), key, commitment]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(("n", "tail"), [(30, ""), (1, ":4711"), (55, ":4711:3"), (17, ":2")])
def test_a_strangers_script_finds_the_list(tmp_path: Path, n: int, tail: str) -> None:
    done = run(tmp_path, n, SEED + tail, draws.commitment(SEED))
    assert done.returncode == 0, done.stderr
    assert tuple(done.stdout.split()) == draws.draw(POOL, n=n, key=SEED + tail).utt_ids


def test_a_seed_that_was_not_committed_to_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, 30, SEED, "0" * 64)
    assert done.returncode != 0
    assert "not what was committed to" in done.stderr
