"""Uploads on local disk. A file appears whole and under its final name, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings

from grading.storage.base import UPLOADS, Assembly, Leftover, Link, Part, Watch, key_of
from grading.storage.refusals import BytesMissing
from grading.storage.spooling import INCOMING, Spooled

TRASH = "trash"
PARTS = "parts"


def root() -> Path:
    """Return the folder of all of it."""
    return Path(settings.PUBLIC_FILES)


def path_of(key: str) -> Path:
    """Return where the bytes of `key` lie; raises ValueError for a key that leads elsewhere."""
    path = root() / key
    if not key or ".." in path.parts or not path.is_relative_to(root() / UPLOADS):
        raise ValueError("not a storage key")
    return path


def remove_old_files(moment: datetime) -> int:
    """Remove temporary files that were left before `moment`; return how many."""
    removed = 0
    for folder in (INCOMING, TRASH):
        for file in older((root() / folder).glob("*"), moment):
            file.unlink(missing_ok=True)
            removed += 1
    return removed


def older(paths: Iterable[Path], moment: datetime) -> Iterator[Path]:
    """Yield those paths that were last written before `moment`, as they are looked at.

    One that goes in between is passed over: uploads come and end while this lists them, and several
    machines may tidy at once.
    """
    for path in paths:
        try:
            written = path.stat().st_mtime
        except FileNotFoundError:
            continue
        if written < moment.timestamp():
            yield path


class LocalStore:
    """Single uploads lie under the name of their content, assembled ones under a name of their own.

    The parts of an upload lie in one file, each at its place. Only bytes whose hash was verified
    are written there, so the same part may be written any number of times, also at once.
    """

    def publish(self, spooled: Spooled) -> str:
        """Move a temporary file to the name of its content."""
        key = key_of(spooled.content_id)
        # Also over equal bytes that lie there already: their time is what clean-up goes by.
        os.utime(spooled.path)
        _move(spooled.path, path_of(key))
        return key

    @contextmanager
    def local_copy(self, key: str, watch: Watch) -> Iterator[Path]:
        """Give the file itself."""
        path = path_of(key)
        if not path.is_file():
            raise BytesMissing
        yield path

    def exists(self, key: str) -> bool:
        """Return whether the file is there."""
        return bool(key) and path_of(key).is_file()

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Yield the keys of files that were last stored before `moment`."""
        for path in older(sorted((root() / UPLOADS).glob("??/??/*")), moment):
            yield path.relative_to(root()).as_posix()

    def remove_before(self, key: str, moment: datetime) -> bool:
        """Remove a file unless it was stored again since `moment`; return whether it went.

        It moves aside first: an upload of the same content that arrives meanwhile either replaces
        it afterwards or is found by its time and put back.
        """
        path = path_of(key)
        aside = root() / TRASH / f"{path.name}.{secrets.token_hex(8)}"
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

    def begin(self, key: str) -> str:
        """Do nothing yet: the first part makes the file."""
        return ""

    def link(self, assembly: Assembly, part: Part) -> Link | None:
        """Parts come to this server itself."""
        return None

    def present(self, assembly: Assembly) -> set[int] | None:
        """The database says which parts were kept."""
        return None

    def write_part(self, assembly: Assembly, part: Part, content: Iterator[bytes]) -> None:
        """Write a verified part to its place and return once the disk has it."""
        path = _parts_of(assembly.code)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(handle, "wb", buffering=0) as target:
            target.seek(assembly.offset_of(part))
            for chunk in content:
                _write_all(target, chunk)
            os.fsync(target.fileno())

    def assemble(self, assembly: Assembly) -> None:
        """Give the file of the parts its final name; done before, nothing is left to do."""
        source, path = _parts_of(assembly.code), path_of(assembly.key)
        # First what was done before: a part that arrives late makes a new, half-empty file.
        if _has_size(path, assembly.size):
            return
        # Another request may do it in this very moment: then the file is gone, and stands there.
        with suppress(FileNotFoundError):
            if _has_size(source, assembly.size):
                os.utime(source)
                _move(source, path)
        if not _has_size(path, assembly.size):
            raise BytesMissing

    def discard(self, assembly: Assembly) -> None:
        """Remove the parts and what was made of them."""
        _parts_of(assembly.code).unlink(missing_ok=True)
        path_of(assembly.key).unlink(missing_ok=True)

    def unfinished(self, moment: datetime) -> Iterator[Leftover]:
        """Yield the uploads in parts whose file was last written before `moment`."""
        for path in older(sorted((root() / PARTS).glob("*")), moment):
            yield Leftover(code=path.name, handle="")

    def discard_leftover(self, leftover: Leftover) -> None:
        """Remove the file of one upload's parts."""
        _parts_of(leftover.code).unlink(missing_ok=True)


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False


def _parts_of(code: str) -> Path:
    return root() / PARTS / Path(code).name


def _write_all(target: object, chunk: bytes) -> None:
    data = memoryview(chunk)
    while data:
        data = data[target.write(data) :]  # type: ignore[attr-defined]


def _move(source: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    source.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
