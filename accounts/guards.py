"""Rules over several tables that the database itself keeps, on SQLite and PostgreSQL.

An app lists them as `guards` on its AppConfig. A guard refuses a row when its condition holds. On
PostgreSQL, where two transactions do not see each other, every guard of a family takes a lock of the
transaction first: those that may stand beside each other share it, those that must not take it alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import AppConfig, apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

PREFIX = "plaudit_guard"


@dataclass(frozen=True, slots=True)
class Guard:
    """A rule: rows of `model` that are inserted, or updated, are refused where `condition` holds.

    `condition` is SQL over NEW and OLD that both databases understand. `family` names the rules that must not miss each other;
    `alone` says that nothing else of the family may happen beside it.
    """

    name: str
    model: str
    acts: tuple[str, ...]
    condition: str
    family: str
    alone: bool = False

    @property
    def is_lasting(self) -> bool:
        """Whether the condition speaks of rows as they stand, not of how they change."""
        return "OLD." not in self.condition


@dataclass(frozen=True, slots=True)
class GuardTrigger:
    """What is to stand in one database: the table, the trigger's name, and the statements that make it."""

    table: str
    name: str
    statements: tuple[str, ...]
    proof: str
    """Text that the database gives back for a trigger that is whole."""


def triggers(
    connection: BaseDatabaseWrapper, config: AppConfig | None = None
) -> Iterator[GuardTrigger]:
    """Yield the triggers of one app's guards, or of all."""
    for app in [config] if config else apps.get_app_configs():
        for guard in getattr(app, "guards", ()):
            table = app.get_model(guard.model)._meta.db_table
            build = _postgres if connection.vendor == "postgresql" else _sqlite
            yield from build(guard, table)


def broken(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of the guards that a row which stands breaks: written where no trigger was.

    Guards that speak of a change alone have nothing to be seen of afterwards.
    """
    lasting = [
        (guard, app.get_model(guard.model)._meta.db_table)
        for app in apps.get_app_configs()
        for guard in getattr(app, "guards", ())
        if guard.is_lasting
    ]
    with connection.cursor() as cursor:
        return sorted(guard.name for guard, table in lasting if _is_broken(cursor, guard, table))


def _is_broken(cursor: CursorWrapper, guard: Guard, table: str) -> bool:
    # Names and conditions are our own words.
    cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}" AS NEW WHERE {guard.condition})')  # noqa: S608
    (found,) = cursor.fetchone()
    return bool(found)


def _sqlite(guard: Guard, table: str) -> Iterator[GuardTrigger]:
    for act in guard.acts:
        name = f"{PREFIX}_{guard.name}_{act.lower()}"
        sql = (
            f'CREATE TRIGGER {name} BEFORE {act} ON "{table}" FOR EACH ROW'
            f" WHEN {guard.condition} BEGIN SELECT RAISE(ABORT, '{guard.name}'); END"
        )
        yield GuardTrigger(table, name, (f"DROP TRIGGER IF EXISTS {name}", sql), sql)


def _postgres(guard: Guard, table: str) -> Iterator[GuardTrigger]:
    name = f"{PREFIX}_{guard.name}"
    body = _body(guard)
    function = f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $body${body}$body$"
    acts = " OR ".join(guard.acts)
    trigger = (
        f'CREATE OR REPLACE TRIGGER {name} BEFORE {acts} ON "{table}"'
        f" FOR EACH ROW EXECUTE FUNCTION {name}()"
    )
    # ALWAYS: also when a session poses as a replica, which skips ordinary triggers.
    always = f'ALTER TABLE "{table}" ENABLE ALWAYS TRIGGER {name}'
    yield GuardTrigger(table, name, (function, trigger, always), body)


def _body(guard: Guard) -> str:
    lock = "pg_advisory_xact_lock" if guard.alone else "pg_advisory_xact_lock_shared"
    return (
        f"\nBEGIN\n  PERFORM {lock}({zlib.crc32(guard.family.encode())});\n"
        f"  IF {guard.condition} THEN\n"
        f"    RAISE EXCEPTION '{guard.name}' USING ERRCODE = 'integrity_constraint_violation';\n"
        "  END IF;\n  RETURN NEW;\nEND\n"
    )
