"""A real worker killed in the middle of its work loses nothing: scored once, charged once."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
SHORT = {
    "EVALUATION_LEASE_SECONDS": "3",
    "EVALUATION_RENEW_SECONDS": "1",
    "SWEEP_SECONDS": "1",
    "RING_AGAIN_SECONDS": "2",
}
PROMISED_SECONDS = 120
UTTERANCES = 3_000


class Installation:
    """An installation in a folder (and on servers) of its own, its worker a real process."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment = {
            **kept,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "PLAUDIT_VAR": str(folder),
            **environment,
        }

    def ask(self, *arguments: str) -> dict:
        """Run one command of the probe."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.grading.probe", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def killer(self, situation: str, command: str = "kill") -> Iterator[Callable[[int], list[int]]]:
        """Yield a function that waits for the situation, kills the process, and returns its children."""
        with subprocess.Popen(
            [sys.executable, "-m", "tests.grading.probe", command, situation, "60"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as watching:
            assert watching.stdout.readline() == "ready\n"

            def kill(pid: int) -> list[int]:
                out, _ = watching.communicate(f"{pid}\n", timeout=90)
                return json.loads(out)["children"]

            yield kill

    @contextmanager
    def worker(self) -> Iterator[psutil.Process]:
        """Start a worker as the supervisor does; it is ended afterwards."""
        with (self.folder / "worker.log").open("ab") as log:
            started = psutil.Popen(
                [sys.executable, "-m", "celery", "-A", "config.celery", "worker"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
            try:
                yield started
            finally:
                if started.is_running():
                    started.terminate()
                    started.wait(timeout=20)


@pytest.fixture
def embedded(tmp_path: Path) -> Installation:
    """SQLite and a broker of files: nothing but Python."""
    return Installation(tmp_path, SHORT)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Installation]:
    """PostgreSQL and Redis, a database of its own."""
    server, _, _ = os.environ["DATABASE_URL"].rpartition("/")
    name = f"kill_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'create database "{name}"')
        urls = {"DATABASE_URL": f"{server}/{name}", "REDIS_URL": os.environ["REDIS_URL"]}
        try:
            yield Installation(tmp_path, SHORT | urls)
        finally:
            admin.execute(f'drop database if exists "{name}" with (force)')


def kill_while(installation: Installation, situation: str) -> float:
    """Kill a worker with SIGKILL in the middle of something; return seconds until it was put right."""
    installation.ask("prepare", str(UTTERANCES))
    with installation.killer(situation) as kill, installation.worker() as worker:
        children = kill(worker.pid)
        worker.wait(timeout=10)
    began = time.monotonic()
    assert children
    while any(psutil.pid_exists(pid) for pid in children):
        assert time.monotonic() < began + 10, "the scorer's process outlived its worker"
        time.sleep(0.05)
    with installation.worker() as second:
        assert installation.ask("wait", "on the board", str(PROMISED_SECONDS))["seen"], (
            installation.folder / "worker.log"
        ).read_text()[-4000:]
        assert second.nice() > psutil.Process().nice(), "a worker gives way to the web server"
        return time.monotonic() - began


def assert_scored_once(installation: Installation) -> dict:
    found = installation.ask("report")
    expected = {
        "submission": "accepted",
        "quota": "charged",
        "evaluation": "scored",
        "tallies": 1,
        "events": ["evaluation.scored", "submission.accepted", "submission.received"],
        "log_holds": True,
    }
    assert {key: found[key] for key in expected} == expected
    built, wanted, rows = found["board"]
    assert built == wanted == 1
    assert len(rows) == 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("situation", "attempts"), [("validating", (2, 1)), ("scoring", (1, 2))])
def test_a_worker_killed_on_the_embedded_default_is_made_up_for(embedded, situation, attempts):
    assert kill_while(embedded, situation) < 60
    found = assert_scored_once(embedded)
    assert (found["submission_attempts"], found["evaluation_attempts"]) == attempts


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.parametrize(("situation", "attempts"), [("validating", (2, 1)), ("scoring", (1, 2))])
def test_a_worker_killed_on_postgresql_and_redis_is_made_up_for(served, situation, attempts):
    assert kill_while(served, situation) < 60
    found = assert_scored_once(served)
    assert (found["submission_attempts"], found["evaluation_attempts"]) == attempts


@pytest.mark.slow
def test_with_the_products_own_times_it_takes_less_than_two_minutes(tmp_path):
    installation = Installation(tmp_path, {})
    assert kill_while(installation, "scoring") < PROMISED_SECONDS
    assert_scored_once(installation)


@pytest.mark.slow
def test_an_upload_that_nobody_rang_for_is_found(embedded):
    embedded.ask("prepare", "50")
    for message in (embedded.folder / "broker" / "messages").glob("*.msg"):
        message.unlink()
    with embedded.worker():
        assert embedded.ask("wait", "on the board", "30")["seen"]
    assert_scored_once(embedded)
