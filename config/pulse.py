"""What each worker does beside its tasks: sweeps, says that it lives, ends when a task never does.

A thread of the worker sweeps by itself, so that a dead beat does not matter. Threads cannot be
killed; a task over the hard time limit therefore ends the whole worker, which whoever started it
starts again, and the sweep hands its work to the next.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from celery import signals
from django.conf import settings
from django.db import connections
from django.utils import timezone

OVERDUE_EXIT = 70

log = logging.getLogger(__name__)


class Pulse:
    """A thread that calls `act` every `seconds` until told to stop; a failed call is logged."""

    def __init__(self, act: Callable[[], object], seconds: float) -> None:
        self._act = act
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Call for the first time at once."""
        self._thread.start()

    def stop(self) -> None:
        """Return when no call is under way any more."""
        self._stopped.set()
        self._thread.join(timeout=self._seconds)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._call()
            self._stopped.wait(self._seconds)

    def _call(self) -> None:
        try:
            self._act()
        except Exception:  # a database that is away now may be back at the next call
            log.exception("pulse.failed")
        finally:
            connections.close_all()


class Stopwatch:
    """Until when each running task may run, monotonic seconds: `limit` from its start, or its own `hard_seconds`."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._ends: dict[str, float] = {}

    def begin(self, task_id: str, task: Any = None, **_: Any) -> None:
        """Note a task that starts."""
        seconds = getattr(task, "hard_seconds", self._limit)
        self._ends[task_id] = time.monotonic() + seconds

    def end(self, task_id: str, **_: Any) -> None:
        """Forget a task that ended."""
        self._ends.pop(task_id, None)

    def overdue(self) -> list[str]:
        """Return the ids of tasks that have run longer than the limit."""
        now = time.monotonic()
        return [task_id for task_id, end in list(self._ends.items()) if end < now]


def end_if_overdue(stopwatch: Stopwatch) -> None:
    """End this process when a task has run over the hard time limit."""
    overdue = stopwatch.overdue()
    if overdue:
        log.critical("worker.task-overdue", extra={"tasks": overdue})
        logging.shutdown()
        os._exit(OVERDUE_EXIT)


def install() -> None:
    """Give this process its pulse once Celery says that it is a worker, or beat."""
    signals.worker_ready.connect(_start_worker_pulse, weak=False)
    signals.beat_init.connect(_start_beat_pulse, weak=False)


def _start_worker_pulse(sender: Any, **_: Any) -> None:
    from grading.services import board_pace, heartbeat, notices, sweep  # noqa: PLC0415  models exist only after setup

    stopwatch = Stopwatch(settings.CELERY_TASK_TIME_LIMIT)
    signals.task_prerun.connect(stopwatch.begin, weak=False)
    signals.task_postrun.connect(stopwatch.end, weak=False)

    def act() -> None:
        end_if_overdue(stopwatch)
        heartbeat.beat(name=sender.hostname, kind="worker", now=timezone.now())
        sweep.sweep(now=timezone.now())

    pulse = Pulse(act, settings.SWEEP_SECONDS)
    # A thread of its own: a mail server that hangs holds up neither heartbeat nor sweep.
    post = Pulse(lambda: notices.send_due(clock=timezone.now), settings.NOTICE_SECONDS)
    boards = Pulse(lambda: board_pace.build_due(now=timezone.now()), settings.BOARD_SECONDS)

    def leave(**_: Any) -> None:
        boards.stop()
        post.stop()
        pulse.stop()
        heartbeat.leave(name=sender.hostname)

    signals.worker_shutdown.connect(leave, weak=False)
    pulse.start()
    post.start()
    boards.start()


def _start_beat_pulse(sender: Any, **_: Any) -> None:
    from grading.services import heartbeat  # noqa: PLC0415  models exist only after setup

    name = f"beat@{os.uname().nodename}"
    Pulse(
        lambda: heartbeat.beat(name=name, kind="beat", now=timezone.now()), settings.SWEEP_SECONDS
    ).start()
