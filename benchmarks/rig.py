"""What the load benchmarks run on: an installation with servers of its own, waits that end, memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from tests.proofs.servers import Postgres, Redis
from tests.security.served import WEB, WORKER, Installation, free_port, installation

MEBIBYTE = 1024**2
LOG_TAIL = 2_000
USUAL = {
    "EVALUATION_LEASE_SECONDS": "30",
    "EVALUATION_RENEW_SECONDS": "10",
    "SWEEP_SECONDS": "15",
    "RING_AGAIN_SECONDS": "30",
    "WORKER_CONCURRENCY": "1",
}
"""As installations run; the tests' short intervals would be measured otherwise."""


class WaitedInVain(Exception):
    """Something did not happen in time; says what, for how long, and what was there instead."""


@contextmanager
def prepared(served: bool, rows: int) -> Iterator[Installation]:
    """Make an installation with a challenge of that many rows; nothing runs yet but its servers."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="plaudit-load-")))
        made = installation(folder, **USUAL, **(_servers(stack, folder) if served else {}))
        made.commands = "tests.proofs.crowd"
        stack.callback(made.close)
        made.world = made.ask("prepare", str(rows))
        yield made


def _servers(stack: ExitStack, folder: Path) -> dict[str, str]:
    postgres = Postgres(folder / "postgres", free_port())
    postgres.prepare()
    postgres.start()
    stack.callback(postgres.stop)
    redis = Redis(folder, free_port())
    redis.start()
    stack.callback(redis.stop)
    return {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}


@contextmanager
def web_server(site: Installation) -> Iterator[psutil.Process]:
    """Run the web server; it answers when this begins."""
    with site.process("web", WEB) as started:
        site.wait_until_up()
        yield psutil.Process(started.pid)


@contextmanager
def worker(site: Installation, number: int = 0) -> Iterator[psutil.Process]:
    """Run a worker of one task at a time."""
    with site.process(f"worker-{number}", [*WORKER, "-n", f"w{number}@load"]) as started:
        yield psutil.Process(started.pid)


def wait_for(
    what: str, is_so: Callable[[], bool], seconds: float, say: Callable[[], str] = str
) -> None:
    """Return when it is so; raises WaitedInVain, with what `say` tells, after that many seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise WaitedInVain(f"Waited {seconds:.0f} s for {what}. {say()}".strip())
        time.sleep(0.2)


def finish(site: Installation, what: str, seconds: float) -> dict[str, int]:
    """Return the progress when no submission waits or runs any more and none has failed."""

    def say() -> str:
        logs = sorted(site.folder.glob("worker-*.log"))
        tails = [f"{log.name} ends:\n{log.read_text(errors='replace')[-LOG_TAIL:]}" for log in logs]
        return "\n".join([f"There are {site.ask('progress')}.", *tails])

    wait_for(what, lambda: not site.ask("progress")["open"], seconds, say)
    found: dict[str, int] = site.ask("progress")
    if found["failed"]:
        raise WaitedInVain(f"{what}: some failed. {say()}")
    return found


def cpu_seconds(process: psutil.Process) -> float:
    """Return what a process and those that it started have used, ended ones among them."""
    spent = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system + one.children_user + one.children_system for one in spent)


class Peaks:
    """The most memory that processes held together with their children, in MiB, looked at often."""

    def __init__(self, **watched: psutil.Process) -> None:
        self._watched = watched
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.mebibytes = dict.fromkeys(watched, 0.0)

    def __enter__(self) -> Peaks:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stopped.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stopped.wait(0.1):
            for name, process in self._watched.items():
                self.mebibytes[name] = max(self.mebibytes[name], _memory(process))


def _memory(process: psutil.Process) -> float:
    held = 0
    with suppress(psutil.NoSuchProcess):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                held += one.memory_info().rss
    return held / MEBIBYTE
