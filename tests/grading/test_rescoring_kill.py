"""Real workers score a phase again; one is killed half-way, and the board is switched while it is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBMISSIONS = 12


def prove(*, servers: bool) -> dict:
    """Run the proof with a few submissions and child processes; return its figures."""
    names = ("PATH", "HOME", "LANG", *(("DATABASE_URL", "REDIS_URL") if servers else ()))
    done = subprocess.run(
        [sys.executable, "-m", "tests.proofs.rescoring", "--submissions", str(SUBMISSIONS)],
        cwd=ROOT,
        env={name: os.environ[name] for name in names if name in os.environ},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def assert_nothing_lost(figures: dict) -> None:
    assert SUBMISSIONS // 2 <= figures["done_at_the_kill"] < SUBMISSIONS
    attempts = {int(number): count for number, count in figures["attempts"].items()}
    assert sum(attempts.values()) == figures["compared"] == SUBMISSIONS + 6
    assert sum(count for number, count in attempts.items() if number > 1) >= min(
        1, figures["running_at_the_kill"]
    )
    assert max(attempts) <= 2


@pytest.mark.slow
def test_killed_half_way_on_the_embedded_default(tmp_path):
    assert_nothing_lost(prove(servers=False))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
def test_killed_half_way_on_postgresql_and_redis(tmp_path):
    assert_nothing_lost(prove(servers=True))
