"""Logs as JSON lines: events named `noun.verb` with ids, never texts, secrets or query strings."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
TASK_ID: ContextVar[str] = ContextVar("task_id", default="")

OF_EVERY_RECORD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
NOT_LOGGED = OF_EVERY_RECORD | {"request", "server_time", "data", "color_message"}
SECRET_NAMES = re.compile(
    r"(?i)password|passwd|secret|token|authorization|cookie|credential|session|signature|api_?key"
)
SECRETS = (
    (re.compile(r"\bplt_[\w-]+"), "plt_***"),
    (re.compile(r"(?<=/)(verify|reset|invitations|notices|audio)/[^/\s\"'?]+"), r"\1/***"),
    (re.compile(r"(?<=[\w/])\?[^\s\"']+"), "?***"),
    (re.compile(r"(\b\w{1,20}://)[^/\s:@]*:[^/\s@]+@"), r"\1***@"),
)
LONGEST = 2_000
LONGEST_SECRET = 500
LONGEST_EXCEPTION = 20_000


def redact(text: str, longest: int = LONGEST) -> str:
    """Return at most `longest` characters of `text`; a log line is no place for a file.

    Tokens, secrets in addresses, query strings and passwords in URLs are taken out first, from
    little more than what is kept: the patterns cost more than linear time.
    """
    kept = text[: longest + LONGEST_SECRET]
    for pattern, replacement in SECRETS:
        kept = pattern.sub(replacement, kept)
    return kept if len(text) <= longest else f"{kept[:longest]}… ({len(text)} characters)"


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(self._fields(record), ensure_ascii=False, default=str)

    def _fields(self, record: logging.LogRecord) -> dict[str, Any]:
        fields = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": redact(record.getMessage()),
            "request_id": REQUEST_ID.get(),
            "task_id": TASK_ID.get(),
        }
        fields = {name: value for name, value in fields.items() if value} | extras(record)
        if record.exc_info:
            fields["exception"] = redact(self.formatException(record.exc_info), LONGEST_EXCEPTION)
        return fields


class PlainFormatter(logging.Formatter):
    """The same for a person at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        said = [f"{name}={value}" for name, value in extras(record).items()]
        line = " ".join([record.levelname.lower(), redact(record.getMessage()), *said])
        if record.exc_info:
            line += "\n" + redact(self.formatException(record.exc_info), LONGEST_EXCEPTION)
        return line


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """Return what the caller added to a record, without secrets."""
    return {
        name: "***" if SECRET_NAMES.search(name) else _plain(value)
        for name, value in vars(record).items()
        if name not in NOT_LOGGED
    }


def _plain(value: object) -> object:
    if isinstance(value, bool | int | float) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value[:20]]
    return redact(str(value))


def bind_task(task_id: str, **_: Any) -> None:
    """Name the task in every line that this thread logs from now on."""
    TASK_ID.set(task_id)


def release_task(**_: Any) -> None:
    """Stop naming a task."""
    TASK_ID.set("")


def logging_settings(*, level: str, plain: bool) -> dict[str, Any]:
    """Return the LOGGING setting: everything to standard error, one line an event."""
    formatter = PlainFormatter if plain else JsonFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{formatter.__module__}.{formatter.__qualname__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # our own line per request says it without the query string
            "uvicorn.access": {"level": "CRITICAL"},
            "django.request": {"level": "ERROR"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "axes": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            # these would say what was asked of a judge, texts and audio included
            "httpx2": {"level": "WARNING"},
            "httpcore2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
        },
    }
