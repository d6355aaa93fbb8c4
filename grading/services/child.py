"""Starts, watches and ends the process that reads participants' files."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psutil
from django.conf import settings

from grading import sandbox
from grading.enums import FailureCode

POLL_SECONDS = 0.1

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one child may use: seconds of wall clock and of processor, bytes of memory."""

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int

    @classmethod
    def from_settings(cls) -> Bounds:
        """Return the installation's bounds for one evaluation."""
        return cls(
            wall_seconds=settings.EVALUATION_WALL_SECONDS,
            cpu_seconds=settings.EVALUATION_CPU_SECONDS,
            memory_bytes=settings.EVALUATION_MEMORY_BYTES,
        )

    @classmethod
    def for_sounds(cls) -> Bounds:
        """Return the installation's bounds for one look at an archive of clips, of up to gigabytes."""
        return cls(
            wall_seconds=settings.SOUNDS_WALL_SECONDS,
            cpu_seconds=settings.SOUNDS_CPU_SECONDS,
            memory_bytes=settings.EVALUATION_MEMORY_BYTES,
        )


class ChildFailed(Exception):
    """The child gave no result: why, whether another try may help, and the kind of its error."""

    def __init__(self, code: FailureCode, *, may_retry: bool, kind: str = "") -> None:
        super().__init__(f"{code.value} {kind}".strip())
        self.code = code
        self.may_retry = may_retry
        self.kind = kind


class ScorerAbsent(ChildFailed):
    """The code that is installed has not the scorer that the recipe names."""

    def __init__(self) -> None:
        super().__init__(FailureCode.RECIPE_OUTDATED, may_retry=False)


class StorageDown(Exception):
    """Disk or bucket did not answer: nobody's fault, so the work waits and no attempt is counted."""


class ClaimLost(Exception):
    """The work belongs to somebody else by now; whatever was computed is dropped."""


def run(
    job: Mapping[str, Any],
    *,
    bounds: Bounds,
    watch: Callable[[int, int], None] | None = None,
    on_step: Callable[[str], None] | None = None,
    module: str = "grading.sandbox",
) -> Json:
    """Do one job in a fresh process and return its result.

    `watch(done, total)` is called every fraction of a second while the child lives; what it raises
    ends the child. `on_step` is called with the name of a step that the child has entered, where
    it names any. Raises ChildFailed, StorageDown when the child met a full disk.
    """
    limits = {"memory_bytes": bounds.memory_bytes, "cpu_seconds": bounds.cpu_seconds}
    with _started(module) as process:
        _feed(process, json.dumps({**job, **limits}).encode() + b"\n")
        deadline = time.monotonic() + bounds.wall_seconds
        buffer = _Lines()
        for data in _output(process, bounds, deadline):
            message = buffer.last_of(data)
            if "result" in message or "error" in message:
                return _answer(message)
            if on_step is not None and "step" in message:
                on_step(message["step"])
            if watch is not None:
                watch(message.get("done", 0), message.get("total", 0))
        raise _ending(process.wait())


@contextmanager
def _started(module: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(  # noqa: S603  our own module, in this interpreter
        [sys.executable, "-m", module],
        cwd=settings.BASE_DIR,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            # Bytes that the child never read are of no use to anybody now.
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()


def _environment() -> dict[str, str]:
    """Return what a child needs to start, and none of the server's secrets."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write the job from a thread of its own: a child that never reads must not hold us up."""

    def write() -> None:
        if process.stdin is not None:
            # The child has ended; its exit status tells why. ValueError: we closed the pipe.
            with suppress(BrokenPipeError, ValueError):
                process.stdin.write(data)
                process.stdin.flush()

    threading.Thread(target=write, daemon=True).start()


def _output(process: subprocess.Popen[bytes], bounds: Bounds, deadline: float) -> Iterator[bytes]:
    """Yield what the child writes, and empty bytes while it is silent; stop it at its limits."""
    pipe = process.stdout
    if pipe is None:
        raise RuntimeError("the child was started without a pipe")
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if selector.select(POLL_SECONDS):
                data = os.read(pipe.fileno(), 1 << 20)
                if not data:
                    return
                yield data
            else:
                yield b""
            if time.monotonic() > deadline:
                raise ChildFailed(FailureCode.SCORER_TIMEOUT, may_retry=False)
            if _resident(process.pid) > bounds.memory_bytes:
                raise ChildFailed(FailureCode.SCORER_MEMORY, may_retry=False)


def _resident(pid: int) -> int:
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


class _Lines:
    """Joins what a pipe yields into lines; keeps the last whole message."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._last: Json = {}

    def last_of(self, data: bytes) -> Json:
        """Add bytes and return the newest whole message, or {} before the first."""
        self._rest += data
        if b"\n" in data:
            *lines, self._rest = self._rest.split(b"\n")
            self._last = json.loads(lines[-1])
        return self._last


def _answer(message: Json) -> Json:
    if "result" in message:
        result: Json = message["result"]
        return result
    kind = str(message["error"])
    if kind == sandbox.NO_ROOM:
        raise StorageDown
    if kind == sandbox.STORAGE:
        raise ChildFailed(FailureCode.STORAGE_ERROR, may_retry=True)
    if kind == sandbox.ABSENT:
        raise ScorerAbsent
    if kind == sandbox.UNMARKED:
        raise ChildFailed(FailureCode.MARKS_MISSING, may_retry=False)
    if kind == sandbox.OUTDATED:
        raise ChildFailed(FailureCode.RECIPE_OUTDATED, may_retry=False)
    raise ChildFailed(FailureCode.SCORER_CRASHED, may_retry=False, kind=kind)


def _ending(status: int) -> ChildFailed:
    """Say why a child ended without an answer."""
    if status == sandbox.MEMORY_EXIT:
        return ChildFailed(FailureCode.SCORER_MEMORY, may_retry=False)
    if status == -signal.SIGXCPU:
        return ChildFailed(FailureCode.SCORER_TIMEOUT, may_retry=False)
    # A signal may have come from outside, so another try may help.
    return ChildFailed(FailureCode.SCORER_CRASHED, may_retry=status < 0, kind=f"exit {status}")
