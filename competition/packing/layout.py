"""The zip of a pack as arithmetic: where each byte comes from, without building the file.

Members are stored, not compressed; times, modes and order are fixed, so that the same files give
the same bytes. Layout by PKWARE's APPNOTE 6.3.10: local headers (4.3.7), the central directory
(4.3.12), zip64 (4.3.14, 4.3.15, 4.5.3) only where a number does not fit.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from struct import pack
from typing import Final, TypeAlias

from competition.packing.manifest import ISSUE_NAME, MANIFEST_NAME, PackedFile

_UTF8_NAMES: Final = 0x0800
_STORED: Final = 0
_TIME: Final = 0
_DATE: Final = (1 << 5) | 1
"""Midnight of 1980-01-01, the first day that a zip can name."""
_PLAIN: Final = 20
_ZIP64: Final = 45
_MADE_ON_UNIX: Final = 3 << 8
_MODE: Final = 0o100644 << 16
_MOST_32: Final = 0xFFFFFFFF
_MOST_16: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes of the layout itself: headers, the manifest, the note of issue."""

    data: bytes

    @property
    def size(self) -> int:
        """How many bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class FileSlice:
    """`size` bytes of a file's content, from `offset` on."""

    file: PackedFile
    offset: int
    size: int


Piece: TypeAlias = Literal | FileSlice


@dataclass(frozen=True, slots=True)
class _Member:
    name: bytes
    size: int
    crc32: int
    content: Piece


class Layout:
    """One served zip. `size` is its length in bytes; `pieces` gives any range of it."""

    def __init__(self, manifest: bytes, files: Sequence[PackedFile], issue: bytes) -> None:
        members = [
            _file_member(MANIFEST_NAME, manifest),
            *(_Member(f.path.encode(), f.size, f.crc32, FileSlice(f, 0, f.size)) for f in files),
        ]
        members.sort(key=lambda member: member.name)
        members.append(_file_member(ISSUE_NAME, issue))
        self._parts: list[Piece] = []
        offsets: list[int] = []
        offset = 0
        for member in members:
            offsets.append(offset)
            header = Literal(_local_header(member))
            self._parts += [header, member.content]
            offset += header.size + member.size
        self._parts.append(Literal(_directory(members, offsets, offset)))

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((part.size for part in self._parts), initial=0))

    @property
    def size(self) -> int:
        """The length of the whole zip in bytes."""
        return self._starts[-1]

    @cached_property
    def common_size(self) -> int:
        """How many bytes from the beginning are the same for every recipient."""
        before_issue = len(self._parts) - 3
        return self._starts[before_issue]

    def pieces(self, start: int = 0, stop: int | None = None) -> Iterator[Piece]:
        """Yield what lies from byte `start` up to, without, byte `stop`; past the end there is nothing."""
        stop = self.size if stop is None else min(stop, self.size)
        place = max(0, bisect_right(self._starts, start) - 1)
        while place < len(self._parts) and self._starts[place] < stop:
            part, begins = self._parts[place], self._starts[place]
            low, high = max(start - begins, 0), min(stop - begins, part.size)
            if low < high:
                yield _cut(part, low, high)
            place += 1


def _file_member(name: str, data: bytes) -> _Member:
    return _Member(name.encode(), len(data), zlib.crc32(data), Literal(data))


def _cut(part: Piece, low: int, high: int) -> Piece:
    if isinstance(part, Literal):
        return Literal(part.data[low:high])
    return FileSlice(part.file, part.offset + low, high - low)


def _local_header(member: _Member) -> bytes:
    is_large = member.size > _MOST_32 - 1
    extra = pack("<HHQQ", 1, 16, member.size, member.size) if is_large else b""
    size = _MOST_32 if is_large else member.size
    return (
        b"PK\x03\x04"
        + pack("<HHHHH", _ZIP64 if is_large else _PLAIN, _UTF8_NAMES, _STORED, _TIME, _DATE)
        + pack("<III", member.crc32, size, size)
        + pack("<HH", len(member.name), len(extra))
        + member.name
        + extra
    )


def _directory(members: Sequence[_Member], offsets: Sequence[int], start: int) -> bytes:
    entries = b"".join(map(_entry, members, offsets))
    return entries + _end(len(members), len(entries), start)


def _entry(member: _Member, offset: int) -> bytes:
    numbers = b""
    size, place = member.size, offset
    if member.size > _MOST_32 - 1:
        numbers, size = pack("<QQ", member.size, member.size), _MOST_32
    if offset > _MOST_32 - 1:
        numbers, place = numbers + pack("<Q", offset), _MOST_32
    extra = pack("<HH", 1, len(numbers)) + numbers if numbers else b""
    needed = _ZIP64 if numbers else _PLAIN
    return (
        b"PK\x01\x02"
        + pack("<HHHHHH", _MADE_ON_UNIX | needed, needed, _UTF8_NAMES, _STORED, _TIME, _DATE)
        + pack("<III", member.crc32, size, size)
        + pack("<HHHHHII", len(member.name), len(extra), 0, 0, 0, _MODE, place)
        + member.name
        + extra
    )


def _end(count: int, size: int, start: int) -> bytes:
    is_large = count > _MOST_16 - 1 or size > _MOST_32 - 1 or start > _MOST_32 - 1
    shown = (min(count, _MOST_16), min(size, _MOST_32), min(start, _MOST_32))
    plain = b"PK\x05\x06" + pack("<HHHHIIH", 0, 0, shown[0], shown[0], shown[1], shown[2], 0)
    if not is_large:
        return plain
    record = b"PK\x06\x06" + pack(
        "<QHHIIQQQQ", 44, _MADE_ON_UNIX | _ZIP64, _ZIP64, 0, 0, count, count, size, start
    )
    locator = b"PK\x06\x07" + pack("<IQI", 0, start + size, 1)
    return record + locator + plain
