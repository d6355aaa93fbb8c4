from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from accounts.services import audit
from grading.services import health, receipt_keys
from grading.services.keeping import backups
from tests.factories.grading import NOW, submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    settings.RECEIPT_KEY_FILE = tmp_path / "receipt-key"


def finding(part: str, now=NOW) -> health.Finding:
    (found,) = health.examine(now=now, parts=(part,))
    assert found.part == part
    return found


def test_a_new_installation_needs_no_key_and_looking_makes_none(settings):
    assert finding("receipts").ok
    assert not settings.RECEIPT_KEY_FILE.exists()
    receipt_keys.current(now=NOW)
    assert "signs" in finding("receipts").said
    assert finding("receipts").ok


def test_a_key_that_is_gone_open_or_broken_is_told(settings):
    receipt_keys.current(now=NOW)
    path = settings.RECEIPT_KEY_FILE
    path.chmod(0o644)
    assert not finding("receipts").ok
    path.chmod(0o600)
    secret = path.read_text()
    path.write_text("nothing")
    assert not finding("receipts").ok
    path.unlink()
    assert "is gone" in finding("receipts").said
    settings.RECEIPT_KEY = secret
    assert finding("receipts").ok


def test_a_retired_key_and_two_keys_at_once_are_told(settings):
    receipt_keys.current(now=NOW)
    old = settings.RECEIPT_KEY_FILE.read_text()
    receipt_keys.rotate(clock=lambda: NOW)
    assert finding("receipts").ok
    settings.RECEIPT_KEY = old
    assert "retired" in finding("receipts").said
    settings.RECEIPT_KEY = receipt_keys.new_seed()
    receipt_keys.current(now=NOW)
    assert not finding("receipts").ok
    receipt_keys.rotate(clock=lambda: NOW)
    assert finding("receipts").ok


def test_an_upload_that_is_in_no_backup_for_two_days_is_told(arena, tmp_path):
    assert finding("backup").ok
    submit(arena, arena.perfect())
    assert finding("backup", NOW + timedelta(days=2)).ok
    late = NOW + timedelta(days=2, seconds=1)
    assert finding("backup", late).remedy.startswith("Run: manage.py backup")
    backups.make(path=tmp_path / "b.zip", now=late, portable=True)
    assert finding("backup", late + timedelta(days=30)).ok


def test_a_clock_behind_the_log_is_told():
    ahead = NOW + timedelta(seconds=5)
    audit.record(kind="thing.done", actor=None, target="thing:1", payload={}, now=ahead)
    assert not finding("clock").ok
    assert finding("clock", ahead).ok
