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
from grading.services import receipt_keys
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
from tests.grading.keeping.stage import EXPORTED, LATER


def check_holds(saved: list[str]) -> None:
    """Check that evidence and secrets came back as they must."""
    assert stage.outcomes(saved) == {"holds"}
    assert audit.verify().ok
    assert triggers.triggers_missing() == []
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(size=1)
    assert AuditEvent.objects.filter(kind="backup.restored").count() == 1
    assert User.objects.get(email="admin@example.org").check_password("correct horse battery")
    UserFactory()  # new keys follow the restored ones


@pytest.mark.django_db
def test_rows_restore_an_installation_as_it_was(original):
    kept = backups.restore(path=original.backup, now=EXPORTED)
    assert (kept.kind, kept.made_at) == ("portable", "2026-12-01T15:02:00.000000Z")
    assert stage.tables() == original.tables
    assert stage.stored_files() == original.files
    assert stage.told(original.slug) == original.told
    check_holds(original.receipts)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_restore_tells_the_planner_what_is_there(original):
    with stage.analyzed_since("grading_submission"):
        backups.restore(path=original.backup, now=EXPORTED)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_databases_own_dump_restores_an_installation_as_it_was(path):
    arena = stage.fill()
    saved = stage.saved_receipts()
    before = (stage.tables(), stage.stored_files(), stage.told(arena.competition.slug))
    kept = backups.make(path=path, now=LATER)
    assert kept.kind == {"sqlite": "sqlite", "postgresql": "pg_dump"}[connection.vendor]
    stage.wipe()
    backups.restore(path=path, now=LATER)
    after = (stage.tables(), stage.stored_files(), stage.told(arena.competition.slug))
    assert after == before
    check_holds(saved)


@pytest.mark.django_db
def test_databases_are_dumped_their_own_way_where_the_tool_is_here(monkeypatch):
    own = {"sqlite": "sqlite", "postgresql": "pg_dump"}[connection.vendor]
    assert databases.kind_here(portable=False) == own
    assert databases.kind_here(portable=True) == "portable"
    monkeypatch.setattr(databases.shutil, "which", lambda name: None)
    without = {"sqlite": "sqlite", "postgresql": "portable"}[connection.vendor]
    assert databases.kind_here(portable=False) == without


@pytest.mark.django_db
def test_a_backup_is_for_its_owner_and_nothing_is_overwritten(path):
    backups.make(path=path, now=LATER, portable=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with pytest.raises(ArchiveExists):
        backups.make(path=path, now=LATER, portable=True)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir() if one != path] == ["var"]


@pytest.mark.django_db
def test_a_backup_that_fails_leaves_nothing(path, settings):
    settings.RECEIPT_KEY = "no key"
    with pytest.raises(CommandError, match="There is no backup"):
        call_command("backup", str(path), "--portable")
    assert [one.name for one in path.parent.iterdir()] == ["var"]
    assert not AuditEvent.objects.filter(kind="backup.made").exists()


def _row(settings):
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


@pytest.mark.django_db
@pytest.mark.parametrize("what", [_row, _file, _hidden, _key])
def test_an_installation_that_holds_something_is_left_alone(original, settings, what):
    what(settings)
    before = (stage.tables(), stage.stored_files())
    with pytest.raises(NotEmpty):
        backups.restore(path=original.backup, now=LATER)
    assert (stage.tables(), stage.stored_files()) == before


def check_untouched() -> None:
    """Check that a refused restore has written nothing."""
    assert databases.is_empty()
    assert stage.stored_files() == {"key": ""}


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["files/", "hidden/", "keys/receipt-key", "rows/"])
def test_a_changed_byte_is_found_before_anything_is_written(original, path, prefix):
    names = zipfile.ZipFile(original.backup).namelist()
    name = next(one for one in names if one.startswith(prefix))
    other = altered(original.backup, {name: lambda content: content[:-1] + b"!"}, to=path)
    with pytest.raises(ArchiveBroken):
        backups.restore(path=other, now=LATER)
    check_untouched()


@pytest.mark.django_db
@pytest.mark.parametrize("head", ["kind", "later", "earlier"])
def test_a_backup_that_does_not_fit_is_refused(original, path, head):
    other_kind = {"sqlite": "pg_dump", "postgresql": "sqlite"}[connection.vendor]
    changes = {
        "kind": {"database": other_kind},
        "later": {"migrations": [*databases.version(), "grading.9999_wonders"]},
        "earlier": {"migrations": databases.version()[:-1]},
    }
    with pytest.raises(ArchiveUnsuited):
        backups.restore(path=altered(original.backup, {}, to=path, head=changes[head]), now=LATER)
    check_untouched()


@pytest.mark.django_db
def test_a_log_that_was_changed_in_the_archive_is_told(original, path):
    def change(lines: bytes) -> bytes:
        return lines.replace(b"submission.received", b"submission.recieved", 1)

    other = altered(
        original.backup, {"rows/accounts.auditevent.jsonl": change}, to=path, rehash=True
    )
    with pytest.raises(CommandError, match="does not hold"):
        call_command("restore", str(other))


def kept_and_undone(path) -> None:
    """Make a backup; the note of it in the log is taken back, so that the database is empty."""
    with transaction.atomic():
        backups.make(path=path, now=LATER, portable=True)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_the_key_of_the_environment_is_in_the_backup_and_goes_on_signing(path, settings):
    settings.RECEIPT_KEY = "11" * 32
    kept_and_undone(path)
    settings.RECEIPT_KEY = ""
    backups.restore(path=path, now=LATER)
    assert settings.RECEIPT_KEY_FILE.read_text() == "11" * 32
    assert stat.S_IMODE(settings.RECEIPT_KEY_FILE.stat().st_mode) == 0o600
    assert receipt_keys.current(now=LATER)[1] == ReceiptKey.objects.get()


@pytest.mark.django_db
def test_the_commands_say_what_they_did(path, capsys, original):
    call_command("restore", str(original.backup))
    call_command("backup", str(path), "--portable")
    out = capsys.readouterr().out
    assert "every secret" in out
    assert "the log's chains hold" in out
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("restore", str(path) + "x")


@pytest.mark.django_db
def test_an_archive_of_a_competition_is_no_backup(original, path):
    with pytest.raises(ArchiveBroken, match="plaudit-competition/1"):
        backups.restore(path=original.competition, now=LATER)
    with archives.writing(path, kind=backups.FORMAT):
        pass
    with pytest.raises(ArchiveBroken, match="does not say"):
        backups.restore(path=path, now=LATER)
