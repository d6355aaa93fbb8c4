"""Bytes of uploads, on local disk or in a bucket. No row is made before the bytes are safe here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from competition import bucket
from grading.storage.base import Assembly, Leftover, Link, Part, Store, Watch, key_of
from grading.storage.local import LocalStore, path_of, remove_old_files
from grading.storage.refusals import (
    BytesMissing,
    EmptyUpload,
    NotBegunHere,
    StorageUnavailable,
    UploadTooLarge,
    storing,
)
from grading.storage.remote import BucketStore
from grading.storage.spooling import INCOMING, Spooled, spool

__all__ = [
    "INCOMING",
    "Assembly",
    "BytesMissing",
    "EmptyUpload",
    "Leftover",
    "Link",
    "NotBegunHere",
    "Part",
    "Spooled",
    "StorageUnavailable",
    "StoredUpload",
    "UploadTooLarge",
    "is_stored",
    "key_of",
    "local_copy",
    "path_of",
    "remove_before",
    "remove_old_files",
    "spool",
    "store",
    "store_stream",
    "stored_before",
    "storing",
]


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """Bytes that are safe: their key, size in bytes, identity, and SHA-256 where it is known."""

    key: str
    size: int
    content_id: str
    sha256: str = ""


def store() -> Store:
    """Return where this installation keeps uploads."""
    return BucketStore() if bucket.is_on() else LocalStore()


def store_stream(chunks: Iterable[bytes], *, limit: int) -> StoredUpload:
    """Store what the chunks hold, hashed while it streams; on any error nothing stays behind.

    Raises UploadTooLarge beyond `limit` bytes, EmptyUpload without a byte, StorageUnavailable.
    """
    with spool(chunks, limit=limit) as spooled, storing():
        key = store().publish(spooled)
    return StoredUpload(key, spooled.size, spooled.content_id, spooled.sha256)


@contextmanager
def local_copy(key: str, watch: Watch = lambda _done, _whole: None) -> Iterator[Path]:
    """Give a path with the bytes of `key` while inside.

    Raises BytesMissing without them, OSError while disk or bucket do not answer.
    """
    with store().local_copy(key, watch) as path:
        yield path


def is_stored(key: str) -> bool:
    """Return whether the bytes of `key` are there."""
    return store().exists(key)


def stored_before(moment: datetime) -> Iterator[str]:
    """Yield the keys of uploads whose bytes were last stored before `moment`."""
    return store().stored_before(moment)


def remove_before(key: str, moment: datetime) -> bool:
    """Remove the bytes of `key` unless they were stored again since; return whether they went."""
    return store().remove_before(key, moment)
