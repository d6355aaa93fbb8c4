"""A worker killed between archive and rows: its clips are kept once, and nothing is left over."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.grading.test_kill import SHORT, Installation

CLIPS = 1_000


@pytest.mark.slow
@pytest.mark.parametrize("situation", ["taking out clips", "storing clips"])
def test_a_worker_killed_while_it_keeps_clips_is_made_up_for(
    tmp_path: Path, situation: str
) -> None:
    installation = Installation(tmp_path, SHORT)
    installation.ask("prepare-clips", str(CLIPS))
    with (
        installation.killer(situation, "kill-at-once") as kill,
        installation.worker() as worker,
    ):
        children = kill(worker.pid)
        worker.wait(timeout=10)
    assert children is not None, "the worker was never in that situation"
    psutil.wait_procs([psutil.Process(pid) for pid in children if psutil.pid_exists(pid)], 10)
    broken = installation.ask("report-clips")
    assert (broken["submission"], broken["clips"], broken["waveforms"]) == ("received", 0, 0)
    assert broken["work"] == 1, "what it was at is left behind"
    with installation.worker():
        assert installation.ask("wait", "accepted", "90")["seen"]
    assert installation.ask("report-clips") == {
        "submission": "accepted",
        "attempt": 2,
        "quota": "charged",
        "clips": CLIPS,
        "waveforms": CLIPS,
        "files": CLIPS + 1,
        "work": 0,
        "sound": True,
        "log_holds": True,
    }
