"""Evidence that the application's own role cannot alter (PostgreSQL).

Whoever owns a table may switch its triggers off. So migrations run as a role of their own, the
owner, and the application has rights to rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.evidence import tables

OWNED = (
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY(%s)"
    " AND pg_has_role(current_user, tableowner, 'USAGE') ORDER BY tablename"
)
SAME = ("ENGINE", "NAME", "HOST", "PORT")
"""What the two addresses have to agree on; beside it they differ in role and password."""


def alterable(*, using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Return the evidence tables whose triggers the role of this connection could switch off, sorted."""
    connection = connections[using]
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(OWNED, [[table.name for table in tables()]])
        return [name for (name,) in cursor.fetchall()]


@contextmanager
def owner(*, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Connect as the owner for a while, where DATABASE_OWNER_URL names one; grant rows in the end.

    Raises ImproperlyConfigured when it names another database.
    """
    wanted = settings.DATABASE_OWNER
    if not wanted:
        yield
        return
    connection = connections[using]
    application = connection.settings_dict
    if any(wanted.get(name) != application.get(name) for name in SAME):
        raise ImproperlyConfigured("DATABASE_OWNER_URL must name the database of DATABASE_URL.")
    connection.close()
    connection.settings_dict = {**application, **_role(wanted)}
    try:
        yield
        _grant(connection, application["USER"])
    finally:
        connection.close()
        connection.settings_dict = application


def _role(wanted: dict[str, object]) -> dict[str, object]:
    return {name: wanted[name] for name in ("USER", "PASSWORD")}


def _grant(connection: BaseDatabaseWrapper, role: str) -> None:
    """Give the application's role the rows of every table, and of evidence no deletion."""
    quoted = connection.ops.quote_name
    to, names = quoted(role), set(connection.introspection.table_names())
    kept = [table.name for table in tables() if table.name in names]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        schema = quoted(cursor.fetchone()[0])
        cursor.execute(f"GRANT USAGE ON SCHEMA {schema} TO {to}")
        cursor.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {to}"
        )
        cursor.execute(f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {to}")
        for name in kept:
            cursor.execute(f"REVOKE DELETE ON {quoted(name)} FROM {to}")
