"""A connection that a request closes waits for the next request instead of being closed.

Under ASGI each request runs in a thread of its own; opening a connection costs more than most pages
do. There is no limit to wait at: who finds none idle opens one, and learns at once of a server that
is not there.
"""

from __future__ import annotations

import select
import threading
from collections import deque
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus


class Idle:
    """Connections that nobody uses, the last one used first; safe with threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: deque[Any] = deque()

    def take(self) -> Any | None:
        """Return a connection that is alive, None when there is none."""
        while True:
            with self._lock:
                if not self._found:
                    return None
                connection = self._found.pop()
            if is_usable(connection):
                return connection
            connection.close()

    def keep(self, connection: Any) -> bool:
        """Keep a connection, unless it is in use or broken or there are enough."""
        if not is_usable(connection):
            return False
        with self._lock:
            if len(self._found) >= settings.DATABASE_POOL:
                return False
            self._found.append(connection)
        return True


def is_usable(connection: Any) -> bool:
    """Return whether a connection is outside any transaction and its server has not hung up.

    A server says nothing on an idle connection; its last words, or the end, can be read.
    """
    if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
        return False
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return not waiting.poll(0)


IDLE = Idle()


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes its connection from the idle ones, and gives it back to them."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return an idle connection, else a new one."""
        return IDLE.take() or super().get_new_connection(conn_params)

    def _close(self) -> None:
        if self.connection is not None and not IDLE.keep(self.connection):
            super()._close()  # type: ignore[misc]  # the stubs lack it
