"""Uploads on local disk, named by their content. No row is made before the bytes are safe here."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.refusals import Invalid, Refusal

UPLOADS = "uploads"
INCOMING = "incoming"
TRASH = "trash"


class UploadTooLarge(Refusal):
    """The file is larger than the phase takes."""

    code = "FILE_TOO_LARGE"
    status = 413


class EmptyUpload(Invalid):
    """The file has no bytes, or none was sent."""

    code = "EMPTY_FILE"


class StorageUnavailable(Refusal):
    """The disk refused the bytes; nothing was kept."""

    code = "STORAGE_UNAVAILABLE"
    status = 503


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """Bytes that are safe on disk: where, how many, and their SHA-256 (hex)."""

    key: str
    size: int
    sha256: str


def store_stream(chunks: Iterable[bytes], *, limit: int) -> StoredUpload:
    """Store what the chunks hold, hashed while it streams; on any error nothing stays behind.

    Raises UploadTooLarge beyond `limit` bytes, EmptyUpload without a byte, StorageUnavailable when
    the disk refuses.
    """
    with spool(chunks, limit=limit) as (part, size, digest):
        key = f"{UPLOADS}/{digest[:2]}/{digest[2:4]}/{digest}"
        with _disk():
            _publish(part, path_of(key))
    return StoredUpload(key=key, size=size, sha256=digest)


@contextmanager
def spool(chunks: Iterable[bytes], *, limit: int) -> Iterator[tuple[Path, int, str]]:
    """Yield path, size and SHA-256 of a temporary file with the chunks; it is gone afterwards."""
    folder = settings.PUBLIC_FILES / INCOMING
    with _disk():
        folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{secrets.token_hex(16)}.part"
    try:
        size, digest = _write(chunks, part, limit)
        yield part, size, digest
    finally:
        part.unlink(missing_ok=True)


def path_of(key: str) -> Path:
    """Return where the bytes of `key` lie; raises ValueError for a key that leads elsewhere."""
    root = Path(settings.PUBLIC_FILES)
    path = root / key
    if not key or ".." in path.parts or not path.is_relative_to(root / UPLOADS):
        raise ValueError("not a storage key")
    return path


def is_stored(key: str) -> bool:
    """Return whether the bytes of `key` are there."""
    return bool(key) and path_of(key).is_file()


def stored_before(moment: datetime) -> Iterator[str]:
    """Yield the keys of uploads whose bytes were last stored before `moment`."""
    root = Path(settings.PUBLIC_FILES)
    for path in sorted((root / UPLOADS).glob("??/??/*")):
        if path.stat().st_mtime < moment.timestamp():
            yield path.relative_to(root).as_posix()


def remove_before(key: str, moment: datetime) -> bool:
    """Remove the bytes of `key` unless they were stored again since `moment`; return whether they went.

    The file moves aside first: an upload of the same content that arrives meanwhile either
    replaces it afterwards or is found by its time and put back.
    """
    path = path_of(key)
    aside = settings.PUBLIC_FILES / TRASH / f"{path.name}.{secrets.token_hex(8)}"
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.rename(aside)
    except FileNotFoundError:
        return False
    if aside.stat().st_mtime >= moment.timestamp():
        aside.rename(path)
        return False
    aside.unlink()
    return True


def remove_unfinished(moment: datetime) -> int:
    """Remove parts of uploads that broke off before `moment`; return how many."""
    removed = 0
    for folder in (INCOMING, TRASH):
        for part in (Path(settings.PUBLIC_FILES) / folder).glob("*"):
            if part.stat().st_mtime < moment.timestamp():
                part.unlink(missing_ok=True)
                removed += 1
    return removed


def _write(chunks: Iterable[bytes], part: Path, limit: int) -> tuple[int, str]:
    digest = hashlib.sha256()
    size = 0
    with _disk():
        target = part.open("xb")
    with target:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise UploadTooLarge(
                    _("The file is larger than %(limit)s bytes.") % {"limit": limit}, limit=limit
                )
            digest.update(chunk)
            with _disk():
                target.write(chunk)
        with _disk():
            target.flush()
            os.fsync(target.fileno())
    if size == 0:
        raise EmptyUpload(_("The file is empty. Nothing was stored and no quota was used."))
    return size, digest.hexdigest()


def _publish(part: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Also over equal bytes that lie there already: their time is what clean-up goes by.
    os.utime(part)
    part.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _disk() -> Iterator[None]:
    """Turn the disk's refusals, and only those, into ours."""
    try:
        yield
    except OSError as error:
        raise StorageUnavailable(
            _("The server could not store the file. Nothing was kept; please try again."),
            errno=error.errno,
        ) from error
