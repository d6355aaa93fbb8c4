"""Runs the site on one machine: web, worker and beat, each started again when it ends.

`python -m config.supervisor [--demo]` ends cleanly on Ctrl-C or SIGTERM. Each child has a process
group of its own: the terminal's Ctrl-C reaches the supervisor alone, and whatever a child has
started ends with it.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

BASE_DIR = Path(__file__).resolve().parent.parent
GRACE_SECONDS = 8.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 60.0
LARGEST_LOG_BYTES = 20 * 1024 * 1024
PORTS_TRIED = 20
JUDGE_PORT = 8900
SCORING_QUEUES = "default,score,audio,live"
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Program:
    """A command line to keep running; with `once`, to run a single time with the terminal's output.

    `fds` are open files that it inherits, `dies_by` what it gets on Linux when its parent is killed.
    """

    name: str
    command: Sequence[str]
    once: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    fds: Sequence[int] = ()
    dies_by: signal.Signals = signal.SIGTERM


@dataclass
class Child:
    """A program, its process, and when it may start again."""

    program: Program
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_after: float = 0.0
    failures: int = 0
    exit_code: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether it ran its single time."""
        return self.program.once and self.exit_code is not None

    def pause(self, now: float) -> float:
        """Note that the process ended; return for how many seconds it rests before the next start."""
        self.failures = 0 if now - self.started_at > STEADY_SECONDS else self.failures + 1
        return min(FIRST_PAUSE_SECONDS * 2.0 ** (self.failures - 1), LONGEST_PAUSE_SECONDS)


@dataclass
class Supervisor:
    """Keeps programs running until stopped; their output goes to one file each, or to its own."""

    log_dir: Path | None
    environment: dict[str, str]
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def add(self, program: Program) -> None:
        """Start a program and keep it running."""
        child = Child(program)
        self.children.append(child)
        self._start(child)

    def run(self) -> None:
        """Watch until stopped."""
        while not self.stopped.wait(0.2):
            self.look_after()

    def look_after(self) -> None:
        """Start again what has ended and rested long enough."""
        now = time.monotonic()
        for child in self.children:
            if child.process is not None and child.process.poll() is not None:
                self._note_end(child, now)
            if child.process is None and not child.is_done and child.start_after <= now:
                self._start(child)

    def end(self) -> None:
        """Ask every child to end, and kill what has not within the grace."""
        running = [child.process for child in self.children if child.process is not None]
        for process in running:
            _signal_group(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(0.0, deadline - time.monotonic()))
            _signal_group(process.pid, signal.SIGKILL)
            process.wait()

    def _note_end(self, child: Child, now: float) -> None:
        process = child.process
        if process is None:
            return
        _signal_group(process.pid, signal.SIGKILL)
        child.process, child.exit_code = None, process.returncode
        if child.program.once:
            return
        pause = child.pause(now)
        child.start_after = now + pause
        path = self.log_path(child.program)
        self.say(
            f"{child.program.name} ended ({_reason(process.returncode)}); it starts again"
            f" in {pause:g} s.{f' Its log: {path}' if path else ''}"
        )

    def _start(self, child: Child) -> None:
        child.started_at = time.monotonic()
        with self._output(child.program) as output:
            child.process = subprocess.Popen(  # noqa: S603  our own command lines
                list(child.program.command),
                cwd=BASE_DIR,
                env={**self.environment, **child.program.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=child.program.fds,
                start_new_session=True,
                preexec_fn=partial(  # noqa: PLW1509  this process has one thread
                    _die_with_parent, child.program.dies_by
                ),
            )

    @contextmanager
    def _output(self, program: Program) -> Iterator[IO[bytes] | None]:
        path = self.log_path(program)
        if program.once or path is None:
            yield None
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LARGEST_LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with path.open("ab") as output:
            yield output

    def log_path(self, program: Program) -> Path | None:
        """Return where the output of a program goes; None: where the supervisor's own goes."""
        return self.log_dir / f"{program.name}.log" if self.log_dir else None


def _reason(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _die_with_parent(number: signal.Signals) -> None:
    """On Linux, let a child end when the supervisor is killed; elsewhere nothing does that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def free_port(host: str, wanted: int) -> int:
    """Return `wanted` or the next port that nobody listens on; any free one after PORTS_TRIED."""
    for port in [*range(wanted, wanted + PORTS_TRIED), 0]:
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            return int(probe.getsockname()[1])
    raise OSError(f"no free port on {host}")


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of an installation; raises SystemExit when another supervisor holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"Plaudit runs already from this folder ({path.parent}).") from None
        yield


def programs() -> list[Program]:
    """Return what makes up a site."""
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "config.celery"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    # A judge takes minutes to hours; its worker is one of its own, so that scores do not wait for it.
    work = {"worker": SCORING_QUEUES, "judging": "judge"}
    return [
        Program("web", [sys.executable, "-m", "config.server"]),
        *(
            Program(name, [*celery, "worker", "-Q", queues, "--hostname", f"{name}@%h", *quiet])
            for name, queues in work.items()
        ),
        Program("beat", [*celery, "beat"]),
    ]


def stand_in_judge(host: str, port: int) -> Program:
    """Return the server that stands in for a judge of Track 2 in the demo."""
    address = ["--host", host, "--port", str(port)]
    return Program("judge", [sys.executable, "-m", "grading.judges.standin", *address])


def judge_of_demo(host: str, given: Mapping[str, str]) -> tuple[dict[str, str], list[Program]]:
    """Return what the site must know of the demo's judge, and the program; nothing where one is named."""
    if given.get("JUDGE_BASE_URL"):
        return {}, []
    port = free_port(host, JUDGE_PORT)
    known = {"JUDGE_BASE_URL": f"http://{host}:{port}/v1", "JUDGE_API_KEY": "stand-in"}
    return known, [stand_in_judge(host, port)]


def wait_for_web(host: str, port: int, supervisor: Supervisor) -> bool:
    """Return whether the web server accepts connections before the supervisor is stopped."""
    while not supervisor.stopped.wait(0.1):
        supervisor.look_after()
        with suppress(OSError), socket.create_connection((host, port), timeout=1):
            return True
    return False


def manage(*arguments: str) -> list[str]:
    """Return the command line of a management command."""
    return [sys.executable, "manage.py", *arguments]


def _greet(url: str, supervisor: Supervisor, *, demo: bool) -> None:
    supervisor.say(f"\nPlaudit runs at {url}/\n")
    if demo:
        done = subprocess.run(  # noqa: S603  our own command line
            manage("demo", "logins"),
            cwd=BASE_DIR,
            env=supervisor.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        supervisor.say(f"Log-ins, one per role:\n{done.stdout or done.stderr}")
    supervisor.say(f"Logs: {supervisor.log_dir}")
    supervisor.say("Ctrl-C stops it; started again, it goes on where it was.\n")


def serve(*, demo: bool) -> None:
    """Run the site until SIGINT or SIGTERM; raises SystemExit when it runs already."""
    from django.conf import settings  # noqa: PLC0415  the environment is complete only now

    host = os.environ.get("PLAUDIT_HOST", "127.0.0.1")
    with only_one(settings.VAR_DIR / "supervisor.lock"):
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        port = free_port(host, int(os.environ.get("PLAUDIT_PORT", "8000")))
        url = os.environ.get("SITE_URL", f"http://{host}:{port}")
        given = {"PLAUDIT_HOST": host, "PLAUDIT_PORT": str(port), "SITE_URL": url}
        judge, more = judge_of_demo("127.0.0.1", os.environ) if demo else ({}, [])
        environment = dict(os.environ) | given | judge
        supervisor = Supervisor(settings.VAR_DIR / "log", environment, _say)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: supervisor.stopped.set())
        _run(supervisor, [*programs(), *more], host, port, url, demo=demo)


def _run(
    supervisor: Supervisor,
    running: Sequence[Program],
    host: str,
    port: int,
    url: str,
    *,
    demo: bool,
) -> None:
    try:
        for program in running:
            supervisor.add(program)
        if wait_for_web(host, port, supervisor):
            _greet(url, supervisor, demo=demo)
            if demo:
                upload = manage("demo", "upload", "--url", f"http://{host}:{port}")
                supervisor.add(Program("uploads", upload, once=True))
        supervisor.run()
    finally:
        supervisor.end()
    _say("\nStopped.")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run the site as the command line says."""
    parser = argparse.ArgumentParser(description="Run web, worker and beat on this machine.")
    parser.add_argument("--demo", action="store_true", help="let the demo's entrants upload")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    serve(demo=parser.parse_args().demo)


if __name__ == "__main__":
    main()
