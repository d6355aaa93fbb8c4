"""Reading many tables as they were at one moment, without holding up whoever writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN DEFERRED",
}


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every query inside see the database as it was at the first one.

    Django's own transactions would be immediate on SQLite, which locks writers out; this one only
    reads. Inside a transaction it is that transaction.
    """
    if connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
