"""A web server of several processes behind one listening socket, each started again when it ends.

A process that is killed takes only its own requests with it; the others go on accepting from the
same socket. When this one is killed, all of them are, so that the address is free at once.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile

from config.buckets import CELLS
from config.supervisor import Program, Supervisor

SOCKET, LATENCIES = "PLAUDIT_SOCKET", "PLAUDIT_LATENCIES"


def keep_running(listener: socket.socket, count: int) -> None:
    """Run that many web servers on the bound socket until SIGINT or SIGTERM."""
    supervisor = Supervisor(None, dict(os.environ), _say)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: supervisor.stopped.set())
    with tempfile.TemporaryFile() as table:
        table.truncate(8 * CELLS * count)
        try:
            for place in range(count):
                supervisor.add(_program(place, listener.fileno(), table.fileno()))
            supervisor.run()
        finally:
            supervisor.end()


def inherited() -> socket.socket | None:
    """Return the socket that this process was started with, None outside `keep_running`."""
    given = os.environ.pop(SOCKET, "")
    return socket.socket(fileno=int(given)) if given else None


def _program(place: int, listener: int, table: int) -> Program:
    return Program(
        f"web process {place + 1}",
        [sys.executable, "-m", "config.server"],
        environment={SOCKET: str(listener), LATENCIES: f"{table}:{place}"},
        fds=(listener, table),
        dies_by=signal.SIGKILL,
    )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
