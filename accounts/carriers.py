"""Threads that carry out what nobody should wait for: a mail server that hangs holds up no request."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import Full, Queue

Errand = Callable[[], None]

log = logging.getLogger(__name__)


class Carriers:
    """A few threads and a bounded queue; they start with the first errand and end with the process.

    What still waits when the process ends is lost: only errands
    that somebody can ask for again belong here.
    """

    def __init__(self, *, threads: int, room: int) -> None:
        self._count = threads
        self._errands: Queue[Errand] = Queue(maxsize=room)
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def take(self, errand: Errand) -> bool:
        """Put an errand in the queue and return at once; False when there is no room."""
        self._start()
        try:
            self._errands.put_nowait(errand)
        except Full:
            return False
        return True

    def finish(self) -> None:
        """Return when everything taken so far is done."""
        self._errands.join()

    def _start(self) -> None:
        with self._lock:
            while len(self._threads) < self._count:
                thread = threading.Thread(target=self._work, name="carrier", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        while True:
            errand = self._errands.get()
            try:
                errand()
            except Exception:  # whatever an errand raises, the thread lives on for the next one
                log.exception("errand.failed")
            finally:
                self._errands.task_done()
