"""On PostgreSQL the application's role can use evidence and not alter what keeps it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from accounts import ownership
from accounts.evidence import tables
from tests.architecture.sources import ROOT

REFUSED = (
    "ALTER TABLE accounts_auditevent DISABLE TRIGGER ALL",
    "DROP TRIGGER plaudit_keep_accounts_auditevent_delete ON accounts_auditevent",
    "ALTER FUNCTION plaudit_keep_evidence() RENAME TO plaudit_keep_nothing",
    "SET session_replication_role = replica",
    "TRUNCATE accounts_auditevent CASCADE",
    "DROP TABLE accounts_auditevent CASCADE",
    "DELETE FROM accounts_auditevent",
    "ALTER TABLE accounts_auditevent OWNER TO CURRENT_USER",
)


@contextmanager
def role(admin: psycopg.Connection, name: str) -> Iterator[str]:
    """Make a role that may log in, for a while; yield its name and password for an address."""
    password = secrets.token_hex(12)
    admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    try:
        yield f"{name}:{password}"
    finally:
        admin.execute(f"DROP ROLE {name}")


@pytest.fixture
def addresses() -> Iterator[tuple[str, str]]:
    """Yield the addresses of an empty database: as its application, as its owner."""
    server = urlsplit(os.environ["DATABASE_URL"])
    host = server.netloc.rpartition("@")[2]
    name = f"apart_{secrets.token_hex(6)}"
    with (
        psycopg.connect(server._replace(path="/postgres").geturl(), autocommit=True) as admin,
        role(admin, f"{name}_app") as app,
        role(admin, f"{name}_owner") as owner,
    ):
        admin.execute(f"CREATE DATABASE {name} OWNER {name}_owner")
        try:
            yield f"postgres://{app}@{host}/{name}", f"postgres://{owner}@{host}/{name}"
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "PLAUDIT_VAR": str(folder)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=kept | settings | {"REDIS_URL": os.environ["REDIS_URL"]} | more,
        capture_output=True,
        text=True,
        check=False,
    )


ASK = """
import django; django.setup()
import json
from django.conf import settings
from django.utils import timezone
from accounts import ownership
from grading.services.health import evidence
settings.EVIDENCE_IS_APART = True
print(json.dumps([ownership.alterable(), evidence(timezone.now()).ok]))
"""


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
def test_the_application_takes_an_upload_and_cannot_touch_what_keeps_the_log(addresses, tmp_path):
    app, owner = addresses
    done = run(
        tmp_path, "-m", "tests.grading.probe", "prepare", "20",
        DATABASE_URL=app, DATABASE_OWNER_URL=owner,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    with psycopg.connect(app, autocommit=True) as opened:
        assert opened.execute("SELECT count(*) FROM accounts_auditevent").fetchone() > (0,)
        for statement in REFUSED:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                opened.execute(statement)
        with pytest.raises(psycopg.errors.IntegrityError):
            opened.execute("UPDATE accounts_auditevent SET kind = 'x'")
    asked = run(tmp_path, "-c", ASK, DATABASE_URL=app)
    assert json.loads(asked.stdout) == [[], True], asked.stderr[-3000:]
    asked = run(tmp_path, "-c", ASK, DATABASE_URL=owner)
    alterable, is_fine = json.loads(asked.stdout)
    assert set(alterable) == {table.name for table in tables()}
    assert not is_fine


@pytest.mark.django_db
def test_an_owner_of_another_database_is_refused(settings):
    settings.DATABASE_OWNER = {**connection.settings_dict, "NAME": "another"}
    before = connection.settings_dict
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"), ownership.owner():
        pytest.fail("it connected")
    assert connection.settings_dict is before


@pytest.mark.sqlite
@pytest.mark.django_db
def test_a_file_has_no_owner():
    assert ownership.alterable() == []
