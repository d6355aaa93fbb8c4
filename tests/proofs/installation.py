"""A real web server in a folder of its own, and what its memory came to."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
SAMPLE_SECONDS = 0.05


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


class Memory:
    """Samples the resident size of a process, in bytes, until it is stopped."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._stopped = threading.Event()
        self.first = self.peak = self._process.memory_info().rss
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(SAMPLE_SECONDS):
            try:
                self.peak = max(self.peak, self._process.memory_info().rss)
            except psutil.Error:
                return


class Installation:
    """Commands and a web server that share a folder, a database and a storage."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.port = free_port()
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment = {
            **kept,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "PLAUDIT_VAR": str(folder / "var"),
            "PLAUDIT_PORT": str(self.port),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        }
        self.prepared: dict[str, Any] = {}

    def ask(self, *arguments: str) -> dict[str, Any]:
        """Run one command of the probe."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.proofs.probe", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def prepare(self) -> None:
        self.prepared = self.ask("prepare")

    @contextmanager
    def web(self) -> Iterator[psutil.Popen]:
        """Run the web server as the supervisor does; it is ended afterwards."""
        with (self.folder / "web.log").open("ab") as log:
            started = psutil.Popen(
                [sys.executable, "-m", "config.server"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        try:
            self._await(started)
            yield started
        finally:
            if started.is_running():
                started.terminate()
                started.wait(timeout=30)

    def kill(self, web: psutil.Popen) -> None:
        os.kill(web.pid, signal.SIGKILL)
        web.wait(timeout=10)

    @contextmanager
    def client(self, file: Path, port: int) -> Iterator[subprocess.Popen[str]]:
        """Run the participants' client with `file`, by way of `port`; it is ended afterwards."""
        slug = self.prepared["competition"]
        command = [sys.executable, "plaudit", "submit", str(file), "--competition", slug]
        command += ["--track", "understanding", "--phase", "final", "--system", "alder"]
        process = subprocess.Popen(
            [*command, "--no-wait", "--json"],
            cwd=ROOT,
            env=self.environment
            | {
                "PLAUDIT_SERVER": f"http://127.0.0.1:{port}",
                "PLAUDIT_TOKEN": self.prepared["token"],
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def _await(self, started: psutil.Popen) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert started.poll() is None, (self.folder / "web.log").read_text()
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=5).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError("the web server did not start")
