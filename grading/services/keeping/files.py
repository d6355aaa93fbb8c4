"""The files of an installation: uploads and hidden references, on disk or in a bucket, by their keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from competition import bucket
from grading import storage
from grading.services.keeping.archives import Reader, chunks_of
from grading.services.keeping.errors import ArchiveBroken
from grading.storage.base import UPLOADS
from grading.storage.spooling import temporary

REFERENCES = "references"
VAULT = "vault"
HIDDEN_FOLDERS = (REFERENCES, f"{VAULT}/served", f"{VAULT}/held-out")
FOLDER_MODE = 0o700
PARTS = "parts"
"""Uploads that are still coming in, where they lie on this server's disk."""


def uploads() -> Iterator[str]:
    """Yield the keys of the uploads that are stored."""
    if bucket.is_on():
        yield from _in_bucket(UPLOADS)
    else:
        yield from _below(Path(settings.PUBLIC_FILES), UPLOADS)


def upload_chunks(key: str) -> Iterator[bytes]:
    """Yield an upload's bytes. Raises BytesMissing, OSError."""
    with storage.local_copy(key) as path:
        yield from chunks_of(path)


def hidden() -> Iterator[str]:
    """Yield the keys of the hidden files that are stored: references, and the bytes of datasets and packs."""
    for folder in HIDDEN_FOLDERS:
        if bucket.is_on():
            yield from _in_bucket(folder)
        else:
            yield from _below(Path(settings.HIDDEN_FILES), folder)


def hidden_chunks(key: str) -> Iterator[bytes]:
    """Yield a hidden file's bytes. Raises FileNotFoundError, OSError."""
    if bucket.is_on():
        yield from bucket.fetch(key)
    else:
        yield from chunks_of(Path(settings.HIDDEN_FILES) / key)


def unfinished() -> Iterator[str]:
    """Yield the names of unfinished uploads on this server's disk; a bucket keeps its own."""
    if not bucket.is_on():
        yield from _below(Path(settings.PUBLIC_FILES), PARTS)


def unfinished_chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of an unfinished upload."""
    yield from chunks_of(Path(settings.PUBLIC_FILES) / name)


def are_there() -> bool:
    """Return whether this installation holds any upload or hidden file."""
    keys = (*_first(uploads()), *_first(hidden()), *_first(unfinished()))
    return bool(keys)


def joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first chunk, which was read to see whether there is one, then the others."""
    yield first
    yield from rest


def place_upload(reader: Reader, member: str, key: str) -> None:
    """Store a member under the key of an upload. Raises ArchiveBroken."""
    _place(reader, member, key, Path(settings.PUBLIC_FILES), (UPLOADS, PARTS))


def check_hidden(reader: Reader, folder: str) -> None:
    """Hold every hidden file to the hash in its name, whether a row names it or not. Raises ArchiveBroken.

    What a row says of its file the database compares with that name: so no bytes come in as others.
    """
    for name in reader.names(folder):
        if reader.members[name].sha256 != name.rpartition("/")[2]:
            raise ArchiveBroken(
                _("%(name)s is not what its name says.") % {"name": name}, member=name
            )


def place_hidden(reader: Reader, member: str, key: str) -> None:
    """Store a member under the key of a hidden file. Raises ArchiveBroken."""
    _place(reader, member, key, Path(settings.HIDDEN_FILES), (REFERENCES, VAULT))


def _place(reader: Reader, member: str, key: str, root: Path, folders: tuple[str, ...]) -> None:
    # Names of members have no dots between slashes, so a key cannot lead elsewhere.
    if key.partition("/")[0] not in folders or "\\" in key:
        raise ArchiveBroken(_("“%(name)s” is no name of a member.") % {"name": key}, member=member)
    path = root / key
    if bucket.is_on() and not key.startswith(f"{PARTS}/"):
        with temporary() as made:
            reader.extract(member, made)
            bucket.put_file(made, key, reader.members[member].sha256)
        return
    _make_folders(root, path.parent)
    made = path.with_name(f".{path.name}.restoring")
    made.unlink(missing_ok=True)
    reader.extract(member, made)
    made.replace(path)


def _make_folders(root: Path, folder: Path) -> None:
    missing = [one for one in (folder, *folder.parents) if one.is_relative_to(root)]
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True, parents=True)


def _in_bucket(folder: str) -> Iterator[str]:
    for entry in bucket.listed("list_objects_v2", f"{folder}/", "Contents"):
        yield bucket.key_in(entry)


def _below(root: Path, folder: str) -> Iterator[str]:
    for base, folders, names in os.walk(root / folder):
        folders.sort()
        for name in sorted(names):
            if not name.startswith("."):
                yield (Path(base) / name).relative_to(root).as_posix()


def _first(keys: Iterator[str]) -> list[str]:
    return [key for key, _ in zip(keys, range(1), strict=False)]
