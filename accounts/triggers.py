"""Triggers that keep evidence as it was written, on SQLite and PostgreSQL.

They refuse UPDATE, DELETE, an INSERT over an existing row (SQLite's OR REPLACE fires no DELETE
trigger) and TRUNCATE (PostgreSQL). Rebuilding a table drops them silently on SQLite, so they are
installed after every migrate. So are those of guards: rules over several tables (`accounts.guards`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import AppConfig
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts import guards
from accounts.evidence import EvidenceTable, tables

PREFIX = "plaudit_keep"

SQLITE_GUARDS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
POSTGRES_GUARDS = (
    "SELECT t.tgname, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
    " WHERE NOT t.tgisinternal AND t.tgenabled = 'A'"
)
POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION plaudit_keep_evidence() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'UPDATE' AND TG_NARGS > 0 THEN
    FOR i IN 0 .. TG_NARGS - 1 LOOP
      IF to_jsonb(OLD) -> TG_ARGV[i] IS DISTINCT FROM to_jsonb(NEW) -> TG_ARGV[i] THEN
        RAISE EXCEPTION 'evidence is kept: % on %', TG_OP, TG_TABLE_NAME
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
    END LOOP;
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'evidence is kept: % on %', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END $body$
"""


def install(config: AppConfig | None = None, *, using: str = DEFAULT_DB_ALIAS) -> None:
    """Make the triggers of one app's evidence tables, or of all; those in place are left alone."""
    connection = connections[using]
    for table in _existing(connection, tables(config)):
        wanted = _statements(connection, table)
        present = _present(connection, table)
        missing = {name: sql for name, sql in wanted.items() if name not in present}
        if missing:
            _create(connection, table, missing)
    _install_guards(connection, config)


def install_after_migrate(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Install one app's triggers; connected to Django's post_migrate."""
    install(sender, using=using)


def drop(*, using: str = DEFAULT_DB_ALIAS) -> None:
    """Remove every trigger of ours. Only tests do this, around a flush."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for table in _existing(connection, tables()):
            for name in _present(connection, table):
                on = f" ON {_quoted(connection, table.name)}" if _is_postgres(connection) else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")
        for guard in _guards_here(connection, None):
            on = f" ON {_quoted(connection, guard.table)}" if _is_postgres(connection) else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {guard.name}{on}")


def triggers_missing(*, using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Return the names of triggers that ought to be there and are not, or are switched off or altered."""
    connection = connections[using]
    kept = [
        name
        for table in tables()
        for name in _statements(connection, table)
        if name not in _present(connection, table)
    ]
    return sorted([*kept, *(guard.name for guard in _guards_missing(connection, None))])


def rules_broken(*, using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Return the names of the guards that rows break, which were written where the triggers were not."""
    return guards.broken(connections[using])


def _statements(connection: BaseDatabaseWrapper, table: EvidenceTable) -> dict[str, str]:
    build = _postgres_statements if _is_postgres(connection) else _sqlite_statements
    return build(connection, table)


def _sqlite_statements(connection: BaseDatabaseWrapper, table: EvidenceTable) -> dict[str, str]:
    on = _quoted(connection, table.name)
    changed = " OR ".join(f'OLD."{name}" IS NOT NEW."{name}"' for name in table.frozen)
    same = " OR ".join(
        "(" + " AND ".join(f'"{name}" = NEW."{name}"' for name in key) + ")" for key in table.keys
    )
    conditions = {
        "update": f" WHEN {changed}" if changed else "",
        "delete": "",
        "insert": f" WHEN EXISTS (SELECT 1 FROM {on} WHERE {same})",  # noqa: S608  names of ours
    }
    return {
        f"{PREFIX}_{table.name}_{act}": (
            f"CREATE TRIGGER {PREFIX}_{table.name}_{act} BEFORE {act.upper()} ON {on}"
            f" FOR EACH ROW{when} BEGIN"
            f" SELECT RAISE(ABORT, 'evidence is kept: {act} on {table.name}'); END"
        )
        for act, when in conditions.items()
    }


def _postgres_statements(connection: BaseDatabaseWrapper, table: EvidenceTable) -> dict[str, str]:
    on = _quoted(connection, table.name)
    frozen = ", ".join(f"'{name}'" for name in table.frozen)
    calls = {"update": ("ROW", frozen), "delete": ("ROW", ""), "truncate": ("STATEMENT", "")}
    return {
        f"{PREFIX}_{table.name}_{act}": (
            f"CREATE OR REPLACE TRIGGER {PREFIX}_{table.name}_{act} BEFORE {act.upper()} ON {on}"
            f" FOR EACH {level} EXECUTE FUNCTION plaudit_keep_evidence({arguments})"
        )
        for act, (level, arguments) in calls.items()
    }


def _create(connection: BaseDatabaseWrapper, table: EvidenceTable, missing: dict[str, str]) -> None:
    on = _quoted(connection, table.name)
    with connection.cursor() as cursor:
        if _is_postgres(connection):
            cursor.execute(POSTGRES_FUNCTION)
        for name, sql in missing.items():
            if _is_postgres(connection):
                cursor.execute(sql)
                # ALWAYS: also when a session poses as a replica, which skips ordinary triggers.
                cursor.execute(f"ALTER TABLE {on} ENABLE ALWAYS TRIGGER {name}")
            else:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
                cursor.execute(sql)


def _present(connection: BaseDatabaseWrapper, table: EvidenceTable) -> set[str]:
    with connection.cursor() as cursor:
        if _is_postgres(connection):
            cursor.execute(
                "SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
                " WHERE t.tgrelid = to_regclass(%s) AND NOT t.tgisinternal"
                " AND t.tgenabled = 'A' AND p.prosrc = %s",
                [_quoted(connection, table.name), _function_source()],
            )
            return {row[0] for row in cursor.fetchall()}
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s",
            [table.name],
        )
        found = dict(cursor.fetchall())
    wanted = _sqlite_statements(connection, table)
    return {name for name, sql in found.items() if wanted.get(name) == sql}


def _install_guards(connection: BaseDatabaseWrapper, config: AppConfig | None) -> None:
    with connection.cursor() as cursor:
        for guard in _guards_missing(connection, config):
            for sql in guard.statements:
                cursor.execute(sql)


def _guards_here(
    connection: BaseDatabaseWrapper, config: AppConfig | None
) -> list[guards.GuardTrigger]:
    """Return the guards whose tables exist; while migrating back they may not."""
    names = set(connection.introspection.table_names())
    return [guard for guard in guards.triggers(connection, config) if guard.table in names]


def _guards_missing(
    connection: BaseDatabaseWrapper, config: AppConfig | None
) -> list[guards.GuardTrigger]:
    sql = POSTGRES_GUARDS if _is_postgres(connection) else SQLITE_GUARDS
    with connection.cursor() as cursor:
        cursor.execute(sql)
        found = dict(cursor.fetchall())
    wanted = _guards_here(connection, config)
    return [guard for guard in wanted if found.get(guard.name) != guard.proof]


def _function_source() -> str:
    return POSTGRES_FUNCTION.split("$body$")[1]


def _existing(
    connection: BaseDatabaseWrapper, wanted: Iterable[EvidenceTable]
) -> list[EvidenceTable]:
    names = set(connection.introspection.table_names())
    return [table for table in wanted if table.name in names]


def _is_postgres(connection: BaseDatabaseWrapper) -> bool:
    return connection.vendor == "postgresql"


def _quoted(connection: BaseDatabaseWrapper, name: str) -> str:
    return connection.ops.quote_name(name)
