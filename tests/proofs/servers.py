"""PostgreSQL and Redis of a proof's own: other ports, other data; they may be killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

START_SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]


def binary(name: str) -> str:
    """Return the path of one of PostgreSQL's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    path = str(found[-1]) if found else shutil.which(name)
    assert path, f"{name} is not installed"
    return path


def listens(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether something accepts connections on the port."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


@dataclass
class Postgres:
    """A cluster in a folder; started as the account `postgres` where the proof runs as root."""

    folder: Path
    port: int
    host: str = "127.0.0.1"
    options: tuple[str, ...] = ()
    log: Path | None = None
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """What DATABASE_URL is."""
        return f"postgres://postgres@{self.host}:{self.port}/postgres"

    def prepare(self) -> None:
        """Make the cluster."""
        self.folder.mkdir()
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            for parent in (self.folder.parent, self.folder.parent.parent):
                parent.chmod(parent.stat().st_mode | 0o011)
        options = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"]
        self._run(binary("initdb"), "-D", str(self.folder), *options)
        with (self.folder / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {self.host}/24 trust\n")

    def start(self) -> None:
        """Start it and wait until it answers."""
        (self.folder / "postmaster.pid").unlink(missing_ok=True)
        settings = [f"port={self.port}", f"listen_addresses={self.host}", "max_connections=200"]
        settings += [f"unix_socket_directories={self.folder}", "shared_buffers=64MB"]
        settings += self.options
        arguments = [part for one in settings for part in ("-c", one)]
        with (self.log or self.folder.parent / "postgres.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*_as_postgres(), binary("postgres"), "-D", str(self.folder), *arguments],
                stdout=log,
                stderr=log,
            )
        self.await_ready()

    def await_ready(self) -> None:
        """Return when it answers: it may be coming up, or putting itself right."""
        _wait(
            lambda: (
                subprocess.run(
                    [binary("pg_isready"), "-q", "-h", self.host, "-p", str(self.port)],
                    check=False,
                ).returncode
                == 0
            ),
            "PostgreSQL",
        )

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        for process in reversed(self._processes()):
            with suppress(psutil.NoSuchProcess):  # a connection that ended in this very moment
                process.kill()
        self._reap()

    def stands(self) -> bool:
        """Return whether it runs still."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """End it."""
        for process in self._processes()[-1:]:
            process.send_signal(signal.SIGINT)
        self._reap()

    def _processes(self) -> list[psutil.Process]:
        assert self.process is not None
        top = psutil.Process(self.process.pid)
        return [*top.children(recursive=True), top]

    def _reap(self) -> None:
        assert self.process is not None
        self.process.wait(timeout=30)
        _wait(lambda: not listens(self.port, self.host), "the end of PostgreSQL")

    def _run(self, *command: str) -> None:
        subprocess.run([*_as_postgres(), *command], check=True, capture_output=True, cwd="/")


def _as_postgres() -> list[str]:
    return (
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        if os.getuid() == 0
        else []
    )


@dataclass
class Redis:
    """A server that keeps nothing on disk."""

    folder: Path
    port: int
    host: str = "127.0.0.1"
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """What REDIS_URL is."""
        return f"redis://{self.host}:{self.port}/0"

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        command = ["redis-server", "--bind", self.host, "--port", str(self.port)]
        command += ["--protected-mode", "no"]  # its one address is of this machine's own making
        command += ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        _wait(lambda: listens(self.port, self.host), "Redis")

    def kill(self) -> None:
        """End it at once; what it held is gone."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=10)

    stop = kill


@dataclass
class BucketFront:
    """The process by way of which a bucket is reached."""

    folder: Path
    port: int
    target: str
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """Where the bucket is, for those who keep files in it."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        command = [sys.executable, "-m", "tests.fixtures.bucket_front", str(self.port), self.target]
        with (self.folder / "bucket-front.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        _wait(lambda: listens(self.port), "the bucket's front")

    def kill(self) -> None:
        """End it at once, and every connection with it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=10)

    stop = kill


def _wait(condition: object, what: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, f"{what} did not come in {START_SECONDS} s"
        time.sleep(0.05)
