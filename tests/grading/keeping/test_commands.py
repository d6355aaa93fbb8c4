"""The commands on real installations, each in a folder (and on a database) of its own."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.architecture.sources import ROOT

Make = Callable[[str], dict[str, str]]


def run(environment: dict[str, str], *arguments: str) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.dev"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, **settings, **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def probe(environment: dict[str, str], what: str, receipts: Path) -> dict[str, object]:
    return json.loads(run(environment, "-m", "tests.grading.keeping.probe", what, str(receipts)))


@pytest.fixture
def on_files(tmp_path: Path) -> Make:
    """Make installations on SQLite."""
    return lambda name: {"PLAUDIT_VAR": str(tmp_path / name)}


@pytest.fixture
def on_postgres(tmp_path: Path) -> Iterator[Make]:
    """Make installations on databases of their own."""
    made = []
    admin = psycopg.connect(
        os.environ["DATABASE_URL"].rpartition("/")[0] + "/postgres", autocommit=True
    )

    def make(name: str) -> dict[str, str]:
        database = f"plaudit_keep_{secrets.token_hex(6)}"
        admin.execute(f"create database {database}")
        made.append(database)
        url = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{database}"
        return {"PLAUDIT_VAR": str(tmp_path / name), "DATABASE_URL": url}

    yield make
    for database in made:
        admin.execute(f"drop database {database} with (force)")
    admin.close()


def check_that_it_survives(make: Make, tmp_path: Path) -> None:
    """Back up, restore elsewhere; export, import elsewhere: hashes, boards, receipts, log are equal."""
    receipts, backup = tmp_path / "receipts.json", tmp_path / "backup.zip"
    first, second, third = (make(name) for name in ("first", "second", "third"))
    run(first, "manage.py", "migrate", "--verbosity", "0")
    original = probe(first, "fill", receipts)
    run(first, "manage.py", "backup", str(backup))
    run(second, "manage.py", "restore", str(backup))
    assert probe(second, "tell", receipts) == original
    archive = str(tmp_path / "competition.zip")
    run(second, "manage.py", "export_competition", str(original["slug"]), archive)
    run(third, "manage.py", "migrate", "--verbosity", "0")
    run(third, "manage.py", "import_competition", archive)
    taken = probe(third, "tell", receipts)
    same = ("slug", "told", "outcomes", "log", "triggers")
    assert [taken[name] for name in same] == [original[name] for name in same]
    assert original["outcomes"] == ["holds"]


@pytest.mark.slow
def test_an_installation_on_files_survives_its_machine(on_files, tmp_path):
    check_that_it_survives(on_files, tmp_path)


@pytest.mark.slow
@pytest.mark.postgres
def test_an_installation_on_postgres_survives_its_machine(on_postgres, tmp_path):
    check_that_it_survives(on_postgres, tmp_path)
