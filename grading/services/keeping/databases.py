"""A database as one file: SQLite's own copy, pg_dump's archive, or lines of JSON that fit both."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils.translation import gettext as _

from grading.services.keeping import rows
from grading.services.keeping.archives import Reader, Writer
from grading.services.keeping.errors import ArchiveUnsuited
from grading.services.keeping.snapshots import snapshot

APPS = ("accounts", "competition", "grading")
SQLITE, POSTGRES, PORTABLE = "sqlite", "pg_dump", "portable"
FILES = {SQLITE: "database/plaudit.sqlite3", POSTGRES: "database/plaudit.dump"}
ROWS = "rows/"

Json = dict[str, Any]


def models() -> list[type[Model]]:
    """Return the models whose rows make up an installation; sessions and the like are not kept."""
    return [model for app in APPS for model in apps.get_app_config(app).get_models()]


def kind_here(*, portable: bool) -> str:
    """Return how this database is dumped: its own way where its tool is here, else as rows."""
    if portable:
        return PORTABLE
    if connection.vendor == "sqlite":
        return SQLITE
    return POSTGRES if _fits_server(shutil.which("pg_dump")) else PORTABLE


def dump(writer: Writer, kind: str, scratch: Path) -> None:
    """Add the database as it is at one moment. `scratch` is an empty folder; raises OSError."""
    if kind == PORTABLE:
        with snapshot():
            for model in models():
                found = rows.records(model._default_manager.all())
                writer.add(f"{ROWS}{model._meta.label_lower}.jsonl", rows.lines(found))
        return
    path = scratch / Path(FILES[kind]).name
    (_copy_sqlite if kind == SQLITE else _dump_postgres)(path)
    writer.add_file(FILES[kind], path)
    path.unlink()


def prepare(reader: Reader, kind: str) -> None:
    """Make an empty database ready for `load`. Raises ArchiveUnsuited before anything is written.

    A copy of SQLite's or PostgreSQL's fits its own kind and this version or a later one; rows fit
    both kinds and the very same version.
    """
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if not known.issuperset(reader.head["migrations"]):
        raise ArchiveUnsuited(
            _("The backup was made by a later version of Plaudit. Restore it with that one.")
        )
    if kind == PORTABLE:
        call_command("migrate", verbosity=0)
        if reader.head["migrations"] != version():
            raise ArchiveUnsuited(
                _("The backup was made by another version of Plaudit. Restore it with that one.")
            )
    elif {SQLITE: "sqlite", POSTGRES: "postgresql"}.get(kind) != connection.vendor:
        raise ArchiveUnsuited(
            _("The backup is of another kind of database. Make it with --portable to move it.")
        )


def load(reader: Reader, kind: str, scratch: Path) -> None:
    """Fill a prepared database with what `dump` wrote and bring it up to date. Raises OSError."""
    if kind == PORTABLE:
        _load_rows(reader)
        return
    path = scratch / Path(FILES[kind]).name
    reader.extract(FILES[kind], path)
    (_load_sqlite if kind == SQLITE else _load_postgres)(path)
    path.unlink()
    call_command("migrate", verbosity=0)


def gather_statistics() -> None:
    """Tell PostgreSQL's planner what has just been loaded; its autovacuum may be late or off."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def version() -> list[str]:
    """Return the names of the migrations of ours that this database has, in order."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied if app in APPS)


def is_empty() -> bool:
    """Return whether no table of ours holds a row; tables may be missing."""
    present = set(connection.introspection.table_names())
    return not any(
        model._default_manager.exists() for model in models() if model._meta.db_table in present
    )


def _copy_sqlite(path: Path) -> None:
    connection.ensure_connection()
    target = sqlite3.connect(path)
    try:
        connection.connection.backup(target)
        # The copy is one file: without this it would look for a log beside itself.
        target.execute("PRAGMA journal_mode=DELETE")
    finally:
        target.close()


def _load_sqlite(path: Path) -> None:
    source = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        verdict = source.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            raise ArchiveUnsuited(_("The copy of the database is damaged."))
        connection.ensure_connection()
        source.backup(connection.connection)
    finally:
        source.close()
    # What the connection knew of the old tables is over.
    connection.close()


def _dump_postgres(path: Path) -> None:
    _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={path}"])


def _load_postgres(path: Path) -> None:
    # Also tables that the dump does not know: a later version may have made them, empty.
    tables = connection.introspection.django_table_names(only_existing=True)
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DROP TABLE IF EXISTS {connection.ops.quote_name(table)} CASCADE")
    connection.close()
    _run(
        [
            "pg_restore",
            "--clean",
            "--if-exists",
            "--no-owner",
            "--no-privileges",
            "--single-transaction",
            "--exit-on-error",
            f"--dbname={connection.settings_dict['NAME']}",
            str(path),
        ]
    )


def _run(command: list[str]) -> None:
    """Run one of PostgreSQL's tools; raises OSError with what it said."""
    settings = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    given = {name: str(settings[key]) for name, key in names.items() if settings.get(key)}
    environment = {**os.environ, **given, "PGDATABASE": str(settings["NAME"])}
    done = subprocess.run(  # noqa: S603  our own words and the settings, no shell
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise OSError(f"{command[0]}: {done.stderr.strip()[-1000:]}")


def _fits_server(tool: str | None) -> bool:
    """Return whether pg_dump is here and is not older than the server, which it refuses."""
    if tool is None or shutil.which("pg_restore") is None:
        return False
    said = subprocess.run(  # noqa: S603  a path that `which` found
        [tool, "--version"], capture_output=True, text=True, check=False
    ).stdout
    words = [word for word in said.split() if word[:1].isdigit()]
    connection.ensure_connection()
    server = connection.connection.info.server_version // 10000
    return bool(words) and int(words[0].split(".")[0]) >= server


def _load_rows(reader: Reader) -> None:
    with transaction.atomic():
        for model in models():
            for batch in _batches(reader, model):
                model._default_manager.bulk_create(batch)
    _reset_sequences()


def _batches(reader: Reader, model: type[Model]) -> Iterator[list[Model]]:
    batch: list[Model] = []
    for record in rows.read(reader, f"{ROWS}{model._meta.label_lower}.jsonl"):
        batch.append(model(**rows.values(model, record)))
        if len(batch) == rows.BATCH:
            yield batch
            batch = []
    yield batch


def _reset_sequences() -> None:
    """Let new keys follow the loaded ones."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models()):
            cursor.execute(statement)
