"""Uploads on disk: whole, hashed, bounded, or not there at all."""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta

import pytest
from django.conf import settings

from grading import storage
from grading.storage import EmptyUpload, StorageUnavailable, UploadTooLarge
from grading.storage.local import older
from tests.factories.grading import NOW

LONG_AGO = NOW - timedelta(days=365 * 30)


def files() -> list[str]:
    root = settings.PUBLIC_FILES
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


def age(key: str, hours: float) -> None:
    moment = (NOW - timedelta(hours=hours)).timestamp()
    os.utime(storage.path_of(key), (moment, moment))


def test_a_stream_is_stored_under_its_own_hash():
    stored = storage.store_stream([b"one ", b"two"], limit=7)
    digest = hashlib.sha256(b"one two").hexdigest()
    assert (stored.size, stored.sha256) == (7, digest)
    assert storage.path_of(stored.key).read_bytes() == b"one two"
    assert files() == [f"uploads/{digest[:2]}/{digest[2:4]}/{digest}"]


def test_equal_content_is_kept_once_and_its_time_is_renewed():
    first = storage.store_stream([b"same"], limit=10)
    os.utime(storage.path_of(first.key), (0, 0))
    assert list(storage.stored_before(LONG_AGO)) == [first.key]
    assert storage.store_stream([b"sa", b"me"], limit=10) == first
    assert len(files()) == 1
    assert list(storage.stored_before(LONG_AGO)) == []


def test_a_stream_over_the_limit_is_refused_while_it_streams_and_leaves_nothing():
    def chunks():
        yield b"x" * 6
        yield b"x" * 6
        pytest.fail("read on beyond the limit")

    with pytest.raises(UploadTooLarge) as refusal:
        storage.store_stream(chunks(), limit=10)
    assert refusal.value.params == {"limit": 10}
    assert files() == []


def test_an_empty_stream_is_refused_and_leaves_nothing():
    with pytest.raises(EmptyUpload):
        storage.store_stream([b""], limit=10)
    assert files() == []


def test_a_connection_that_breaks_leaves_nothing():
    def chunks():
        yield b"half"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        storage.store_stream(chunks(), limit=10)
    assert files() == []


def test_a_disk_that_refuses_is_our_refusal_and_leaves_nothing(tmp_path, settings):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "uploads").write_text("a file where a folder belongs")
    with pytest.raises(StorageUnavailable):
        storage.store_stream([b"data"], limit=10)
    assert files() == ["uploads"]


@pytest.mark.parametrize("key", ["", "../x", "uploads/../../x", "/etc/passwd", "incoming/x"])
def test_a_key_that_leads_elsewhere_is_no_key(key):
    with pytest.raises(ValueError, match="not a storage key"):
        storage.path_of(key)


def test_removing_spares_what_was_stored_again_meanwhile():
    stored = storage.store_stream([b"again"], limit=10)
    assert not storage.remove_before(stored.key, LONG_AGO)
    assert storage.is_stored(stored.key)
    age(stored.key, 2)
    assert storage.remove_before(stored.key, NOW - timedelta(hours=1))
    assert not storage.is_stored(stored.key)
    assert not storage.remove_before(stored.key, NOW)
    assert files() == []


def test_parts_of_broken_uploads_are_removed_after_an_hour():
    folder = settings.PUBLIC_FILES / storage.INCOMING
    folder.mkdir(parents=True)
    for name, hours in (("old.part", 2), ("new.part", 0.5)):
        (folder / name).write_bytes(b"x")
        moment = (NOW - timedelta(hours=hours)).timestamp()
        os.utime(folder / name, (moment, moment))
    assert storage.remove_old_files(NOW - timedelta(hours=1)) == 1
    assert files() == ["incoming/new.part"]


def test_what_goes_while_the_folders_are_listed_is_passed_over():
    folder = settings.PUBLIC_FILES / storage.INCOMING
    folder.mkdir(parents=True)
    for name in ("first.part", "second.part"):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (0, 0))
    listed = sorted(folder.glob("*"))
    found = older(iter(listed), NOW)
    assert next(found) == listed[0]
    listed[1].unlink()  # an upload that has just ended, or another machine that tidies
    assert list(found) == []
