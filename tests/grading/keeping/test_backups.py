"""Backup, wipe, restore: everything is as it was, on SQLite and PostgreSQL."""

from __future__ import annotations

import stat
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from accounts import triggers
from accounts.models import AuditEvent, User
from accounts.services import audit
from grading.models import ReceiptKey, Submission
from grading.services.keeping import archives, backups, databases
from grading.services.keeping.errors import (
    ArchiveBroken,
    ArchiveExists,
    ArchiveUnsuited,
    NotEmpty,
)
from tests.factories.accounts import UserFactory
from tests.grading.keeping import stage
from tests.grading.keeping.altering import altered
from tests.grading.keeping.stage import LATER

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("portable", [False, True], ids=["own kind", "portable"])
def test_a_restored_installation_is_what_was_backed_up(path, portable):
    arena = stage.fill()
    saved = stage.saved_receipts()
    before = (stage.tables(), stage.stored_files(), stage.told(arena.competition.slug))
    kept = backups.make(path=path, now=LATER, portable=portable)
    assert kept.kind == ("portable" if portable else databases.kind_here(portable=False))
    stage.wipe()
    backups.restore(path=path, now=LATER)
    after = (stage.tables(), stage.stored_files(), stage.told(arena.competition.slug))
    assert after == before
    assert stage.outcomes(saved) == {"holds"}
    assert audit.verify().ok
    assert triggers.triggers_missing() == []
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(size=1)
    assert AuditEvent.objects.filter(kind="backup.restored").count() == 1
    assert User.objects.get(email="admin@example.org").check_password("correct horse battery")
    UserFactory()  # new keys follow the restored ones


def test_databases_are_dumped_their_own_way_where_the_tool_is_here(monkeypatch):
    own = {"sqlite": "sqlite", "postgresql": "pg_dump"}[connection.vendor]
    assert databases.kind_here(portable=False) == own
    assert databases.kind_here(portable=True) == "portable"
    monkeypatch.setattr(databases.shutil, "which", lambda name: None)
    without = {"sqlite": "sqlite", "postgresql": "portable"}[connection.vendor]
    assert databases.kind_here(portable=False) == without


def test_a_backup_is_for_its_owner_and_nothing_is_overwritten(path):
    stage.fill()
    backups.make(path=path, now=LATER)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with pytest.raises(ArchiveExists):
        backups.make(path=path, now=LATER)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir() if one != path] == ["var"]


def test_a_backup_that_fails_leaves_nothing(path, settings):
    stage.fill()
    settings.RECEIPT_KEY = "no key"
    with pytest.raises(CommandError, match="There is no backup"):
        call_command("backup", str(path))
    assert [one.name for one in path.parent.iterdir()] == ["var"]
    assert not AuditEvent.objects.filter(kind="backup.made").exists()


def _row():
    UserFactory()


def _file(settings):
    folder = settings.PUBLIC_FILES / "uploads" / "aa" / "bb"
    folder.mkdir(parents=True)
    (folder / "x").write_bytes(b"x")


def _hidden(settings):
    folder = settings.HIDDEN_FILES / "references"
    folder.mkdir(parents=True)
    (folder / "x").write_bytes(b"x")


def _key(settings):
    settings.RECEIPT_KEY_FILE.write_text("0" * 64)


@pytest.mark.parametrize("what", [_row, _file, _hidden, _key])
def test_an_installation_that_holds_something_is_left_alone(path, settings, what):
    stage.fill()
    backups.make(path=path, now=LATER)
    stage.wipe()
    what(*([settings] if what is not _row else []))
    before = (stage.tables(), stage.stored_files())
    with pytest.raises(NotEmpty):
        backups.restore(path=path, now=LATER)
    assert (stage.tables(), stage.stored_files()) == before


@pytest.mark.parametrize("prefix", ["files/", "hidden/", "keys/receipt-key", "database/", "rows/"])
def test_a_changed_byte_is_found_before_anything_is_written(path, prefix):
    stage.fill()
    backups.make(path=path, now=LATER, portable=prefix == "rows/")
    names = [name for name in zipfile.ZipFile(path).namelist() if name.startswith(prefix)]
    stage.wipe()
    other = altered(path, {names[-1]: lambda content: content[:-1] + b"!" if content else b"!"})
    with pytest.raises(ArchiveBroken):
        backups.restore(path=other, now=LATER)
    assert databases.is_empty()
    assert stage.stored_files() == {"key": ""}


def test_a_backup_of_another_kind_or_a_later_version_is_refused(path):
    stage.fill()
    backups.make(path=path, now=LATER)
    stage.wipe()
    kind = {"sqlite": "pg_dump", "postgresql": "sqlite"}[connection.vendor]
    later = [*databases.version(), "grading.9999_wonders"]
    for number, changes in enumerate([{"database": kind}, {"migrations": later}]):
        other = altered(path, {}, head=changes, name=f"{number}.zip")
        with pytest.raises(ArchiveUnsuited):
            backups.restore(path=other, now=LATER)
    assert databases.is_empty()
    assert stage.stored_files() == {"key": ""}


def test_rows_fit_the_very_same_version_alone(path):
    stage.fill()
    backups.make(path=path, now=LATER, portable=True)
    stage.wipe()
    other = altered(path, {}, head={"migrations": databases.version()[:-1]})
    with pytest.raises(ArchiveUnsuited):
        backups.restore(path=other, now=LATER)


def test_a_log_that_was_changed_in_the_archive_is_told(path):
    stage.fill()
    backups.make(path=path, now=LATER, portable=True)
    stage.wipe()
    other = altered(
        path,
        {"rows/accounts.auditevent.jsonl": lambda lines: lines.replace(b"wav2nvv", b"other").replace(
            b'"kind":"submission.received"', b'"kind":"submission.recieved"', 1)},
        rehash=True,
    )  # fmt: skip
    with pytest.raises(CommandError, match="does not hold"):
        call_command("restore", str(other))


def test_the_key_of_the_environment_is_in_the_backup_and_goes_on_signing(path, settings):
    arena = stage.fill()
    settings.RECEIPT_KEY = "11" * 32
    saved = stage.saved_receipts()
    backups.make(path=path, now=LATER)
    stage.wipe()
    settings.RECEIPT_KEY = ""
    backups.restore(path=path, now=LATER)
    assert settings.RECEIPT_KEY_FILE.read_text() == "11" * 32
    assert stage.outcomes(saved + stage.saved_receipts()) == {"holds"}
    assert ReceiptKey.objects.count() == 1
    assert stage.told(arena.competition.slug)


def test_the_commands_say_what_they_did(path, capsys):
    stage.fill()
    call_command("backup", str(path))
    stage.wipe()
    call_command("restore", str(path))
    out = capsys.readouterr().out
    assert "every secret" in out
    assert "the log's chains hold" in out
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("restore", str(path) + "x")


def test_an_archive_of_a_competition_is_no_backup(path):
    with archives.writing(path, kind="plaudit-competition/1"):
        pass
    with pytest.raises(ArchiveBroken, match="plaudit-competition/1"):
        backups.restore(path=path, now=LATER)
