"""Reads tar archives that may be damaged or hostile as a stream, one entry after the other.

Own code for the same reasons as the zip reader: the answer must not depend on the Python version,
and no header may make us hold more than a bounded piece. Layout: POSIX.1-2017, pax; GNU's long
names and numbers in base 256.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.formats.zipfiles import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grading.scoring.formats.sources import ByteStream

BLOCK = 512
MOST_HEADER_BYTES = 1 << 16  # a pax header or a long name

_MOST_HEADERS = 4  # an entry may have one of each kind before it
_FILES = frozenset(b"0\x007")
_FOLDER = ord("5")
_LINKS = frozenset(b"12")
_WITHOUT_BYTES = frozenset(b"123456")
_PAX, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK = b"x", b"g", b"L", b"K"
_PAX_OF_SOLARIS = b"X"
_HEADERS = frozenset({_PAX, _PAX_OF_SOLARIS, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK})
_BASE_256 = 0x80
_NEGATIVE = 0xFF


@dataclass(frozen=True, slots=True)
class TarEntry:
    """One entry; `kind` is `file`, `folder`, `link` or `special`. Size in bytes."""

    name: str
    kind: str
    size: int
    is_encrypted: bool = False


class _Extended:
    """What headers before an entry say of it: name and size that its own header has no room for."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.size: int | None = None
        self.is_sparse = False


def is_tar_header(block: bytes) -> bool:
    """Tell whether a block of 512 bytes is the header of an entry, old or new."""
    if len(block) < BLOCK or not block[0]:
        return False
    try:
        return _octal(block[148:156]) == sum(block) - sum(block[148:156]) + 8 * ord(" ")
    except ValueError:
        return False


def read_entries(stream: ByteStream, *, most: int) -> Iterator[TarEntry]:
    """Yield entry after entry; the stream then stands at the entry's bytes.

    The caller may read up to `size` of them before it asks for the next. Raises ArchiveError for
    damage, for an end without its mark, and when there are more than `most` entries.
    """
    count, headers = 0, 0
    extended = _Extended()
    while block := _header(stream):
        kind, size = block[156:157], _size(block)
        headers += 1
        if count >= most or headers > _MOST_HEADERS * most:
            raise ArchiveError("members", code="ARCHIVE_TOO_LARGE", count=headers, limit=most)
        if kind in _HEADERS:
            _extend(extended, kind, _content(stream, size))
            continue
        entry = _entry(block, extended, size)
        extended = _Extended()
        count += 1
        start = stream.position
        yield entry
        _pass(stream, entry, start)
    stream.drain()


def _header(stream: ByteStream) -> bytes:
    """Return the next header, nothing at the mark of the end."""
    block = stream.take(BLOCK)
    if len(block) < BLOCK:
        raise ArchiveError("truncated_tar")
    if not block.strip(b"\0"):
        return b""
    if not is_tar_header(block):
        raise ArchiveError("tar_header")
    return block


def _pass(stream: ByteStream, entry: TarEntry, start: int) -> None:
    """Go to the block after an entry's bytes."""
    left = -(-entry.size // BLOCK) * BLOCK - (stream.position - start)
    if stream.skip(left) < left:
        raise ArchiveError("truncated_tar", member=entry.name)


def _content(stream: ByteStream, size: int) -> bytes:
    """Return the bytes of a header that is written as an entry."""
    if size > MOST_HEADER_BYTES:
        raise ArchiveError("tar_header")
    whole = -(-size // BLOCK) * BLOCK
    data = stream.take(whole)
    if len(data) < whole:
        raise ArchiveError("truncated_tar")
    return data[:size]


def _extend(extended: _Extended, kind: bytes, content: bytes) -> None:
    if kind == _LONG_NAME:
        extended.name = _text(content.rstrip(b"\0"))
    if kind not in {_PAX, _PAX_OF_SOLARIS}:
        return
    for key, value in _pax_records(content):
        # A record without a value takes back what was said before: POSIX.1-2017, pax.
        if key == b"path":
            extended.name = _text(value) if value else None
        elif key == b"size":
            extended.size = _decimal(value) if value else None
        elif key.startswith(b"GNU.sparse."):
            extended.is_sparse = True


def _pax_records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key and value of each record `LENGTH KEY=VALUE\\n`."""
    at = 0
    while at < len(content):
        blank = content.find(b" ", at, at + 8)
        length = _decimal(content[at:blank]) if blank > 0 else 0
        record = content[blank + 1 : at + length]
        key, equals, value = record[:-1].partition(b"=")
        if not equals or record[-1:] != b"\n" or at + length > len(content):
            raise ArchiveError("tar_header")
        yield key, value
        at += length


def _entry(block: bytes, extended: _Extended, size: int) -> TarEntry:
    name = _name(block) if extended.name is None else extended.name
    kind = _kind(block[156], name)
    if extended.is_sparse:
        kind = "special"
    if extended.size is not None:
        size = extended.size
    return TarEntry(name, kind, 0 if block[156] in _WITHOUT_BYTES else size)


def _kind(flag: int, name: str) -> str:
    if flag in _FILES:
        return "folder" if name.endswith("/") else "file"
    if flag == _FOLDER:
        return "folder"
    return "link" if flag in _LINKS else "special"


def _name(block: bytes) -> str:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(name: bytes) -> str:
    """Decode a name: UTF-8, else as names of a zip; an escape would be read as a folder."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp437")


def _size(block: bytes) -> int:
    field = block[124:136]
    if field[0] == _NEGATIVE:
        raise ArchiveError("tar_header")
    if field[0] & _BASE_256:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    try:
        return _octal(field)
    except ValueError:
        raise ArchiveError("tar_header") from None


def _octal(field: bytes) -> int:
    """Return a number written in octal digits. Raises ValueError."""
    digits = field.strip(b" \0")
    if digits and not (digits.isdigit() and max(digits) <= ord("7")):
        raise ValueError(digits)
    return int(digits or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 18:  # noqa: PLR2004 - no file has 10^18 bytes
        raise ArchiveError("tar_header")
    return int(digits)
