"""One request as one person, what it changed and whether the log tells; the change is taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client

from tests.security.stage import Stage
from tests.security.worlds import client_of

INCIDENTAL = re.compile(r'"(?:django_session|axes_\w+|accounts_failedlogin\w*)"')
EVENT = re.compile(r'\bINSERT INTO "?accounts_auditevent\b', re.IGNORECASE)
"""On PostgreSQL it stands inside the one statement that appends to the chain."""
RAW = "<body>"
"""The name of a field that is the whole body, as bytes."""
ELSEWHERE: Any = {"REMOTE_ADDR": "192.0.2.1"}
WRITES = re.compile(
    r"^\s*(?:(?:INSERT|UPDATE|DELETE|REPLACE)\b|WITH\b.*\bINSERT INTO\b)", re.IGNORECASE | re.DOTALL
)


class Writes:
    """Notes every statement that writes to a table of ours and is not taken back at once."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self._marks: list[tuple[str, int]] = []

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith("SAVEPOINT"):
            self._marks.append((sql.rsplit(maxsplit=1)[-1], len(self.statements)))
        elif sql.startswith("ROLLBACK TO"):
            name = sql.rsplit(maxsplit=1)[-1]
            del self.statements[next(count for mark, count in self._marks if mark == name) :]
        elif WRITES.match(sql) and not INCIDENTAL.search(sql):
            self.statements.append(sql)
        return execute(sql, *rest)

    @property
    def mark(self) -> str:
        """`*` when something was written and the log tells of it, `+` when it does not, else nothing."""
        if not self.statements:
            return ""
        return "*" if any(EVENT.search(sql) for sql in self.statements) else "+"


def attempt(
    stage: Stage, who: str, method: str, path: str, *, data: dict[str, Any], is_api: bool
) -> str:
    """Return the status and the mark of what was written; the world is as before afterwards."""
    writes = Writes()
    with transaction.atomic():
        client = client_of(stage, who, is_api=is_api, **ELSEWHERE)
        with connection.execute_wrapper(writes):
            response = _ask(client, method, path, data, is_json=is_api and not _has_file(data))
            if response.streaming:
                response.getvalue()  # read whole, a stream closes itself and keeps the connection
        transaction.set_rollback(True)
    return f"{response.status_code}{writes.mark}"


def _ask(
    client: Client, method: str, path: str, data: dict[str, Any], *, is_json: bool
) -> HttpResponseBase:
    if method == "GET":
        return client.get(path)
    if RAW in data:
        return client.generic(method, path, data[RAW], content_type="application/octet-stream")
    if method == "POST" and not is_json:
        return client.post(path, files_of(data))
    return client.generic(method, path, json.dumps(data), content_type="application/json")


def _has_file(data: dict[str, Any]) -> bool:
    return any(isinstance(value, bytes) for value in data.values())


def files_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return form fields with fresh files in place of bytes."""
    return {
        name: SimpleUploadedFile("run.jsonl", value) if isinstance(value, bytes) else value
        for name, value in data.items()
    }
