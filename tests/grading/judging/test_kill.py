"""What judges is killed in mid-work: nothing paid is lost, and only what was in flight is asked again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grading.judges.standin import StandIn
from tests.factories.judging import IDS, serving
from tests.factories.words import ITEMS

ROOT = Path(__file__).resolve().parents[3]
LEASE_SECONDS = 2
CONCURRENCY = 4
PROBE = "tests.grading.judging.probe"
WORDS = "tests.grading.judging.words_probe"


@pytest.fixture
def environment(tmp_path, monkeypatch):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "PLAUDIT_VAR": str(tmp_path),
        "EVALUATION_LEASE_SECONDS": str(LEASE_SECONDS),
        "EVALUATION_RENEW_SECONDS": "0.5",
    }


def ask(command: str, environment: dict[str, str], probe: str = PROBE) -> object:
    done = subprocess.run(
        [sys.executable, "-m", probe, command],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("probe", "ids"), [(PROBE, IDS), (WORDS, tuple(ITEMS))])
def test_a_kill_in_mid_run_loses_no_paid_answer_and_repeats_only_what_was_in_flight(
    environment, probe, ids
):
    behaviour = StandIn(jitter=True)
    with serving(behaviour) as server:
        environment["JUDGE_BASE_URL"] = server.base_url
        ask("prepare", environment, probe)
        killed_at = _kill_after(7, behaviour, environment, probe)
        first = ask("report", environment, probe)
        _go_on_once_the_lease_has_lapsed(environment, probe)
        second = ask("report", environment, probe)
    assert first["state"] == "running"
    assert second["evaluation"] == "queued"
    found = {utt_id: len(marks) for utt_id, marks in second["marks"].items()}
    assert found == dict.fromkeys(ids, 5)
    repeated = sum(times - 1 for times in behaviour.asked.values())
    in_flight = first["attempts"].count("in-flight")
    assert repeated <= in_flight == second["attempts"].count("lost") <= CONCURRENCY
    assert len(behaviour.asked) == 20
    assert second["attempts"].count("answered") == 20
    assert second["calls"] == 20 + in_flight
    assert killed_at < 20


def _go_on_once_the_lease_has_lapsed(environment: dict[str, str], probe: str) -> None:
    """Come back to the run until it can be claimed and is done."""
    deadline = time.monotonic() + 120
    while ask("work", environment, probe) != "done":
        assert time.monotonic() < deadline


def _kill_after(calls: int, behaviour: StandIn, environment: dict[str, str], probe: str) -> int:
    """Start what judges and kill it as soon as it has made so many calls; return how many it made."""
    with subprocess.Popen(
        [sys.executable, "-m", probe, "work"],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 120
        while sum(behaviour.asked.values()) < calls:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.002)
        process.kill()
    return sum(behaviour.asked.values())
