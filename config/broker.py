"""A message broker without a server: files in a folder, safe with several producers and workers.

Kombu's own filesystem transport lets a reader see half-written files, ends the worker on one
empty file, and rewrites its table of queues in place. Here a message is written to a dot-file
and renamed, a consumer claims it by renaming it away, and what cannot be read is set aside.
`transport_options` names one `folder`. There is no acknowledgement that survives the death of a worker: the database and the sweep
make up for it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual

ALIAS = "plaudit-files"
POLL_SECONDS = 0.01
WAKE_SECONDS = 0.05
"""How long a consumer waits before the worker may settle what its threads have finished."""

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """A channel whose messages appear whole, are claimed once, and never end the worker."""

    def __init__(self, connection: Any, **kwargs: Any) -> None:
        super().__init__(connection, **kwargs)
        self._listed: dict[str, deque[Path]] = {}
        folder = Path(self.transport_options["folder"])
        self.data_folder_in = self.data_folder_out = folder / "messages"
        self.processed_folder = folder / "claimed"
        self._tables = folder / "tables"
        for path in (self.data_folder_in, self.processed_folder, self._tables):
            path.mkdir(parents=True, exist_ok=True)

    @property
    def control_folder(self) -> Path:
        """Where the tables of queues are kept."""
        return self._tables

    def get_table(self, exchange: str) -> list[Any]:
        """Return the queues bound to `exchange`; a table that cannot be read counts as empty."""
        try:
            rows = json.loads(self._table(exchange).read_text(encoding="utf-8"))
            return [filesystem.exchange_queue_t(*row) for row in rows]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError):
            log.exception("broker.table-damaged", extra={"exchange": exchange})
            return []
        except OSError as error:
            raise ChannelError(f"Cannot read the table of {exchange!r}") from error

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        if row in self.get_table(exchange):
            return
        with self._locked_table():
            rows = self.get_table(exchange)
            if row not in rows:
                self._write_table(exchange, [row, *rows])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *_: Any) -> None:
        self._purge(queue)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._locked_table():
            rows = self.get_table(exchange)
            if row in rows:
                self._write_table(exchange, [kept for kept in rows if kept != row])

    @contextmanager
    def _locked_table(self) -> Iterator[None]:
        with (self.control_folder / ".lock").open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _write_table(self, exchange: str, rows: list[Any]) -> None:
        _write_whole(self._table(exchange), json.dumps(rows))

    def _table(self, exchange: str) -> Path:
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]
        return path

    def _put(  # type: ignore[override]
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        try:
            _write_whole(self.data_folder_out / name, json.dumps(payload))
        except OSError as error:
            raise ChannelError(f"Cannot add a message to queue {queue!r}") from error

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        while True:
            claimed = self._claim(queue)
            message = self._read(claimed)
            if message is not None:
                return message

    def _claim(self, queue: str) -> Path:
        """Return the oldest message of `queue`, now ours alone; raises Empty when there is none."""
        listed = self._listed.get(queue) or self._list(queue)
        while listed:
            path = listed.popleft()
            try:
                return path.rename(self.processed_folder / path.name)
            except FileNotFoundError:
                if path.exists():
                    raise  # not a faster consumer: the folder of claimed messages is gone
        raise Empty

    def _list(self, queue: str) -> deque[Path]:
        """Return the messages of `queue`, oldest first; kept, so that a backlog is listed once."""
        suffix = f".{queue}.msg"
        found = (path for path in self.data_folder_in.iterdir() if path.name.endswith(suffix))
        listed = self._listed[queue] = deque(sorted(p for p in found if p.name[0] != "."))
        return listed

    def _read(self, claimed: Path) -> dict[str, Any] | None:
        """Return the message of a claimed file; one that is no message is set aside (None)."""
        try:
            message: dict[str, Any] = json.loads(claimed.read_bytes())
            self.Message(message, channel=self)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            kept = claimed.rename(claimed.with_suffix(".damaged"))
            log.exception("broker.message-damaged", extra={"file": kept.name})
            return None
        claimed.unlink()
        return message


class Transport(filesystem.Transport):
    """The transport behind `plaudit-files://`."""

    Channel = Channel
    polling_interval = POLL_SECONDS

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = virtual.BrokerState()  # kombu's is one for all folders of a process

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> None:
        """Deliver one message; return without one after a moment, raise TimeoutError after `timeout`."""
        if timeout is None or timeout <= WAKE_SECONDS:
            super().drain_events(connection, timeout=timeout)
            return
        with suppress(TimeoutError):
            super().drain_events(connection, timeout=WAKE_SECONDS)


def _write_whole(path: Path, text: str) -> None:
    """Write a file that readers see whole or not at all."""
    draft = path.with_name(f".{uuid.uuid4().hex}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.rename(path)


def register() -> None:
    """Make `plaudit-files://` known to kombu."""
    TRANSPORT_ALIASES[ALIAS] = f"{__name__}:Transport"
