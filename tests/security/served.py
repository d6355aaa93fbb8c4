"""A real installation for tests: its own folder and database, the web server and worker as processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
SHORT = {
    "EVALUATION_LEASE_SECONDS": "3",
    "EVALUATION_RENEW_SECONDS": "1",
    "SWEEP_SECONDS": "1",
    "RING_AGAIN_SECONDS": "2",
    "LOG_FORMAT": "json",
}
WEB = ["-m", "config.server"]
WORKER = ["-m", "celery", "-A", "config.celery", "worker"]
UP_SECONDS = 60


@dataclass
class Installation:
    """A folder with everything one installation writes."""

    folder: Path
    environment: dict[str, str]
    port: int = 0
    commands: str = "tests.security.probe"
    world: dict[str, Any] = field(default_factory=dict)
    probe: subprocess.Popen[str] | None = None

    @cached_property
    def said(self) -> IO[bytes]:
        """Where the probe complains to."""
        return (self.folder / "probe.log").open("ab")

    def ask(self, *command: str) -> Any:
        """Run one command of the probe, which stays for the next one, and return its answer."""
        if self.probe is None or self.probe.poll() is not None:
            self.probe = subprocess.Popen(
                [sys.executable, "-m", self.commands],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                text=True,
            )
        assert self.probe.stdin is not None
        assert self.probe.stdout is not None
        self.probe.stdin.write(json.dumps(command) + "\n")
        self.probe.stdin.flush()
        line = self.probe.stdout.readline()
        assert line, self.log("probe")[-4000:]
        told = json.loads(line)
        assert "answer" in told, told["trouble"]
        return told["answer"]

    def close(self) -> None:
        """End the probe."""
        if self.probe is not None:
            assert self.probe.stdin is not None
            assert self.probe.stdout is not None
            self.probe.stdin.close()
            self.probe.stdout.close()
            self.probe.wait(timeout=20)
            self.probe = None
            self.said.close()

    @contextmanager
    def process(self, name: str, arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Run a part of the installation; it is ended afterwards."""
        with (self.folder / f"{name}.log").open("ab") as log:
            started = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**self.environment, "PLAUDIT_PORT": str(self.port)},
                stdout=log,
                stderr=log,
            )
            try:
                yield started
            finally:
                started.terminate()
                try:
                    started.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    started.kill()
                    started.wait(timeout=10)

    def wait_until_up(self) -> None:
        """Return when the web server answers."""
        deadline = time.monotonic() + UP_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                    return
            except OSError:
                assert time.monotonic() < deadline, self.log("web")[-4000:]
                time.sleep(0.05)

    def log(self, name: str) -> str:
        """Return what a part has written."""
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def connect(self, timeout: float = 40) -> socket.socket:
        """Return an open connection to the web server."""
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened


def free_port() -> int:
    """Return a port that nothing listens on now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def installation(folder: Path, **environment: str) -> Installation:
    """Return an installation in an empty folder: SQLite and a broker of files unless told otherwise."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "PLAUDIT_VAR": str(folder)}
    return Installation(folder, {**kept, **settings, **SHORT, **environment}, free_port())


@contextmanager
def running(folder: Path, **environment: str) -> Iterator[Installation]:
    """Run web server and worker on the prepared challenge."""
    made = installation(folder, **environment)
    made.world = made.ask("prepare")
    with ExitStack() as stack:
        stack.callback(made.close)
        stack.enter_context(made.process("web", WEB))
        stack.enter_context(made.process("worker", WORKER))
        made.wait_until_up()
        yield made
