"""One file that holds many: a zip whose last member, manifest.json, names each with size and SHA-256.

Written and read as a stream, member by member; nothing is ever whole in memory but the manifest.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import secrets
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from grading.services.keeping.errors import ArchiveBroken, ArchiveExists

MANIFEST = "manifest.json"
MOST_MANIFEST_BYTES = 512 * 1024**2
CHUNK = 256 * 1024
LEVEL = 1
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(NotImplementedError, RuntimeError),
)
"""What the library raises for bytes that are not what it wrote: cut, changed, encrypted, unknown."""
NAME = re.compile(r"[a-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: its name, size in bytes and SHA-256 (hex)."""

    name: str
    size: int
    sha256: str


@dataclass(slots=True)
class Writer:
    """An archive that is being written."""

    archive: zipfile.ZipFile
    members: list[Member] = field(default_factory=list)
    head: Json = field(default_factory=dict)

    def add(self, name: str, chunks: Iterable[bytes]) -> Member:
        """Add a file; its SHA-256 is taken while it streams by."""
        digest, size = hashlib.sha256(), 0
        with self.archive.open(_checked(name), "w", force_zip64=True) as target:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                target.write(chunk)
        self.members.append(Member(name, size, digest.hexdigest()))
        return self.members[-1]

    def add_file(self, name: str, path: Path) -> Member:
        """Add a file of the disk."""
        return self.add(name, chunks_of(path))


@contextmanager
def writing(path: Path, *, kind: str) -> Iterator[Writer]:
    """Write an archive of a kind; it appears under its name once it is whole and on the disk.

    Readable by its owner alone. Raises ArchiveExists; on any error nothing stays behind.
    """
    if path.exists():
        raise ArchiveExists(_("%(path)s is there already.") % {"path": path})
    made = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
                writer = Writer(archive)
                yield writer
                _write_manifest(writer, kind)
            file.flush()
            os.fsync(file.fileno())
        _publish(made, path)
    finally:
        made.unlink(missing_ok=True)


def _publish(made: Path, path: Path) -> None:
    try:
        path.hardlink_to(made)
    except FileExistsError as error:
        raise ArchiveExists(_("%(path)s is there already.") % {"path": path}) from error


def _write_manifest(writer: Writer, kind: str) -> None:
    members = [{"name": m.name, "size": m.size, "sha256": m.sha256} for m in writer.members]
    manifest = {"format": kind, **writer.head, "members": members}
    text = json.dumps(manifest, ensure_ascii=True, indent=1, allow_nan=False)
    writer.archive.writestr(MANIFEST, text)


class Head(dict[str, Any]):
    """What a manifest says besides its members; what it does not say ends with ArchiveBroken."""

    def __missing__(self, name: str) -> Any:
        raise ArchiveBroken(_("The archive's manifest does not say “%(name)s”.") % {"name": name})


@dataclass(frozen=True, slots=True)
class Reader:
    """An archive whose list of members is what its manifest says."""

    archive: zipfile.ZipFile
    head: Head
    members: Mapping[str, Member]

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a member's bytes; raises ArchiveBroken at the end when they are not the named ones."""
        member = self.members.get(name)
        if member is None:
            raise ArchiveBroken(_("%(name)s is missing.") % {"name": name}, member=name)
        digest, size = hashlib.sha256(), 0
        try:
            with self.archive.open(name) as source:
                while chunk := source.read(CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    if size > member.size:
                        break
                    yield chunk
        except DAMAGE as error:
            raise _broken(name) from error
        if (size, digest.hexdigest()) != (member.size, member.sha256):
            raise _broken(name)

    def names(self, prefix: str) -> list[str]:
        """Return the names of the members below a folder, in order."""
        return sorted(name for name in self.members if name.startswith(prefix))

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a member, without their ends."""
        rest = b""
        for chunk in self.chunks(name):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def extract(self, name: str, path: Path) -> None:
        """Write a member to a new file, readable by its owner alone."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as target:
            for chunk in self.chunks(name):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())

    def verify(self) -> None:
        """Read every member once; raises ArchiveBroken at the first that is not what was written."""
        for name in self.members:
            for _chunk in self.chunks(name):
                pass


@contextmanager
def reading(path: Path, *, kind: str) -> Iterator[Reader]:
    """Open an archive of a kind. Raises ArchiveBroken when it is none, or holds other members."""
    try:
        with zipfile.ZipFile(path) as archive:
            head = _manifest(archive, kind)
            yield Reader(archive, head, _members(archive, head.pop("members", None)))
    except zipfile.BadZipFile as error:
        raise ArchiveBroken(_("%(path)s is no archive.") % {"path": path}) from error


def _manifest(archive: zipfile.ZipFile, kind: str) -> Head:
    try:
        is_bearable = archive.getinfo(MANIFEST).file_size <= MOST_MANIFEST_BYTES
        head = json.loads(archive.read(MANIFEST)) if is_bearable else {}
        found = head["format"]
    except (KeyError, TypeError, ValueError) as error:
        raise ArchiveBroken(_("The archive has no manifest.")) from error
    if found != kind:
        raise ArchiveBroken(
            _("The archive is “%(found)s”; “%(kind)s” is what is read here.")
            % {"found": found, "kind": kind}
        )
    return Head(head)


def _members(archive: zipfile.ZipFile, listed: object) -> dict[str, Member]:
    try:
        members = [Member(**entry) for entry in listed]  # type: ignore[attr-defined]
    except TypeError as error:
        raise ArchiveBroken(_("The archive's manifest cannot be read.")) from error
    named = [_checked(member.name) for member in members]
    if sorted([*named, MANIFEST]) != sorted(archive.namelist()):
        raise ArchiveBroken(_("The archive holds other files than its manifest names."))
    return {member.name: member for member in members}


def _checked(name: str) -> str:
    if not NAME.fullmatch(name) or name == MANIFEST:
        raise ArchiveBroken(_("“%(name)s” is no name of a member.") % {"name": name}, member=name)
    return name


def _broken(name: str) -> ArchiveBroken:
    return ArchiveBroken(
        _("%(name)s is not what was written into the archive.") % {"name": name}, member=name
    )


def chunks_of(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes."""
    with path.open("rb") as source:
        while chunk := source.read(CHUNK):
            yield chunk
