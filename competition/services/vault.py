"""The bytes of datasets and packs, stored once by their SHA-256, on local disk or in the bucket.

Two areas: what may be served to participants, and what is held out. `served_slice`, the only way
from here to a participant, knows the first alone.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from django.conf import settings

from competition import bucket

CHUNK = 256 * 1024
FOLDER_MODE = 0o700


class Area(StrEnum):
    """Where bytes lie: those that may be served, and those that are held out."""

    SERVED = "served"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes that are safe: their key, SHA-256 (hex), CRC-32 and size in bytes."""

    key: str
    sha256: str
    crc32: int
    size: int


def store_file(path: Path, area: Area) -> Stored:
    """Keep a file's bytes in an area; the same bytes are kept once. Raises OSError."""
    return store(_chunks(path), area)


def store(chunks: Iterable[bytes], area: Area) -> Stored:
    """Keep bytes in an area, hashed while they stream. Never inside a transaction. Raises OSError."""
    with _spooled(chunks) as (path, sha256, crc32, size):
        stored = Stored(key_of(area, sha256), sha256, crc32, size)
        if bucket.is_on():
            if bucket.size_of(stored.key) != size:
                bucket.put_file(path, stored.key, sha256)
        else:
            target = _root() / stored.key
            _make_folder(target.parent)
            path.replace(target)
    return stored


def copy(key: str, area: Area) -> Stored:
    """Keep the bytes of a key in another area as well. Raises OSError."""
    return store(read(key), area)


def key_of(area: Area, sha256: str) -> str:
    """Return the key of bytes in an area."""
    return f"vault/{area}/{sha256[:2]}/{sha256}"


def read(key: str) -> Iterator[bytes]:
    """Yield the bytes of a key, of any area: for services that score or build. Raises OSError."""
    if bucket.is_on():
        return bucket.fetch(key)
    return _chunks(_path(key))


def served_slice(key: str, offset: int, size: int) -> Iterator[bytes]:
    """Yield `size` bytes from `offset` on, of what may be served.

    Raises PermissionError for any other area, and OSError, also midway.
    """
    if not key.startswith(f"vault/{Area.SERVED}/"):
        raise PermissionError("these bytes are not for participants")
    if bucket.is_on():
        return bucket.fetch_slice(key, offset, size)
    return _slice(_path(key), offset, size)


def remove(key: str) -> None:
    """Remove bytes; those that are gone are as good. Raises OSError."""
    if bucket.is_on():
        bucket.remove(key)
    else:
        _path(key).unlink(missing_ok=True)


def _slice(path: Path, offset: int, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        left = size
        while left:
            chunk = file.read(min(CHUNK, left))
            if not chunk:
                raise OSError(f"{path.name} ends {left} bytes early")
            left -= len(chunk)
            yield chunk


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _root() -> Path:
    return Path(settings.HIDDEN_FILES)


def _path(key: str) -> Path:
    path = _root() / key
    if ".." in path.parts or not path.is_relative_to(_root() / "vault"):
        raise ValueError("not a key of the vault")
    return path


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for depth in range(len(folder.relative_to(_root()).parts) + 1):
        _root().joinpath(*folder.relative_to(_root()).parts[:depth]).chmod(FOLDER_MODE)


@contextmanager
def _spooled(chunks: Iterable[bytes]) -> Iterator[tuple[Path, str, int, int]]:
    """Write chunks to a file of ours that appears under its name only when it is whole."""
    folder = _root() / "vault" / "incoming"
    _make_folder(folder)
    handle, name = tempfile.mkstemp(dir=folder)
    path = Path(name)
    try:
        sha256, crc32, size = hashlib.sha256(), 0, 0
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
                sha256.update(chunk)
                crc32 = zlib.crc32(chunk, crc32)
                size += len(chunk)
            file.flush()
            os.fsync(file.fileno())
        yield path, sha256.hexdigest(), crc32, size
    finally:
        path.unlink(missing_ok=True)
