"""Reads zip archives that may be damaged or hostile, one member at a time, in bounded memory.

Own code, because the answer must not depend on the Python version and nothing may be taken from
an archive that two readers could see differently: every size, name and offset is checked against
the bytes before anything is unpacked, and unpacking stops at a limit.
Layout: .ZIP File Format Specification 6.3.10 (PKWARE).
"""

from __future__ import annotations

import stat
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.formats.inflating import (
    DEFLATE_BEST,
    DEFLATED,
    METHODS,
    STORED,
    Damaged,
    unpack,
)
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grading.scoring.formats.sources import Source

END = b"PK\x05\x06"
LOCAL = b"PK\x03\x04"
CENTRAL = b"PK\x01\x02"
_ZIP64_END = b"PK\x06\x06"
_ZIP64_LOCATOR = b"PK\x06\x07"
_END_FIELDS = struct.Struct("<4s4H2LH")
_ZIP64_FIELDS = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_FIELDS = struct.Struct("<4sLQL")
_CENTRAL_FIELDS = struct.Struct("<4s6H3L5H2L")
_LOCAL_FIELDS = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_ONES_16 = 0xFFFF
_ONES_32 = 0xFFFFFFFF
_FLAG_ENCRYPTED = 0x2041  # encrypted, strongly encrypted, directory masked
_FLAG_DESCRIPTOR = 0x0008
_FLAG_UTF8 = 0x0800
_ZIP64_EXTRA = 0x0001
_UNICODE_PATH = 0x7075
_PATH_FIELDS = struct.Struct("<BL")
_AES = 99
_DOS_DIRECTORY = 0x10
_DIRECTORY_BYTES = 32 << 20  # the list of entries is held in memory
_SEARCHED_BYTES = 64 << 20
_ZIP64_SEARCHED = 1 << 20


class ArchiveError(ScoringError):
    """An archive cannot be used: a code, a reason in one word, the member it is about."""

    def __init__(
        self, reason: str, *, member: str | None = None, code: str = "BAD_ARCHIVE", **params: object
    ) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.member = member
        self.params = params


@dataclass(slots=True)
class Member:
    """One entry of the central directory; sizes and offsets in bytes.

    `start` is where its packed bytes are, known once its two headers were compared.
    """

    name: str
    stored_name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    header: int
    mode: int
    is_folder: bool
    start: int = 0

    @property
    def is_encrypted(self) -> bool:
        """True when a password is needed, in any of the schemes."""
        return bool(self.flags & _FLAG_ENCRYPTED) or self.method == _AES

    @property
    def kind(self) -> str:
        """`file`, `folder`, `link`, or `special` for a device, pipe or socket."""
        if self.is_folder:
            return "folder"
        if stat.S_ISLNK(self.mode):
            return "link"
        return "file" if stat.S_IFMT(self.mode) in {0, stat.S_IFREG} else "special"


@dataclass(frozen=True, slots=True)
class _Directory:
    start: int
    size: int
    count: int
    shift: int


def looks_like_zip(source: Source) -> bool:
    """Tell whether the bytes are, or were meant to be, a zip archive."""
    if source.at(0, 8).startswith((LOCAL, END, b"PK\x07\x08" + LOCAL, b"PK00" + LOCAL)):
        return True
    return _end_offset(source) is not None and _has_entries(source)


def _has_entries(source: Source) -> bool:
    """Look for the mark of an entry in the last part of a file, where the directory is."""
    start, before = max(0, source.size - _SEARCHED_BYTES), b""
    for piece in source.passing(start, source.size - start):
        joined = before + bytes(piece)
        if CENTRAL in joined:
            return True
        before = joined[-len(CENTRAL) :]
    return False


def _end_offset(source: Source) -> int | None:
    """Return where the last end record stands that is whole; one that ends the file is preferred."""
    lowest = max(0, source.size - _END_FIELDS.size - _LONGEST_COMMENT)
    tail = source.at(lowest, source.size - lowest)
    at, whole = tail.rfind(END), None
    while at >= 0:
        if len(tail) - at >= _END_FIELDS.size:
            end = at + _END_FIELDS.size + _END_FIELDS.unpack_from(tail, at)[7]
            if end == len(tail):
                return lowest + at
            whole = lowest + at if whole is None and end < len(tail) else whole
        at = tail.rfind(END, 0, at)
    return whole


def _find_directory(source: Source) -> _Directory:
    end = _end_offset(source)
    if end is None:
        raise ArchiveError("truncated")
    record = source.at(end, _END_FIELDS.size)
    _, disk, first_disk, here, count, size, offset, _ = _END_FIELDS.unpack(record)
    if _ONES_16 in (disk, here, count) or _ONES_32 in (size, offset):
        wide = _zip64_end(source, end)
        if wide is not None:
            end, disk, first_disk, here, count, size, offset = wide
    if disk or first_disk or here != count:
        raise ArchiveError("split" if disk or first_disk else "directory")
    start = end - size
    if start < 0 or offset > start:
        raise ArchiveError("truncated")
    if count and source.at(start, 4) != CENTRAL and source.at(offset, 4) == CENTRAL:
        start = offset
    return _Directory(start, size, count, start - offset)


def _zip64_end(source: Source, end: int) -> tuple[int, int, int, int, int, int, int] | None:
    locator = end - _LOCATOR_FIELDS.size
    if locator < 0 or source.at(locator, 4) != _ZIP64_LOCATOR:
        return None
    lowest = max(0, locator - _ZIP64_SEARCHED)
    before = source.at(lowest, locator - lowest)
    at = before.rfind(_ZIP64_END)
    if at < 0 or len(before) - at < _ZIP64_FIELDS.size:
        raise ArchiveError("directory")
    _, _, _, _, disk, first_disk, here, count, size, offset = _ZIP64_FIELDS.unpack_from(before, at)
    return lowest + at, disk, first_disk, here, count, size, offset


def read_members(source: Source, *, most: int) -> list[Member]:
    """Return the entries of the directory, in its order.

    Raises ArchiveError when the directory is cut off, lies about its length or count, has more
    than `most` entries or 32 MiB, or when an entry's place overlaps another or is outside the file.
    """
    directory = _find_directory(source)
    if directory.count > most:
        raise ArchiveError("members", code="ARCHIVE_TOO_LARGE", count=directory.count, limit=most)
    if directory.size > _DIRECTORY_BYTES:
        raise ArchiveError(
            "entries", code="ARCHIVE_TOO_LARGE", size=directory.size, limit=_DIRECTORY_BYTES
        )
    members = list(_walk(source.at(directory.start, directory.size), directory, most))
    if len(members) != directory.count:
        extra = members[directory.count].name if len(members) > directory.count else None
        raise ArchiveError("count", member=extra, found=len(members), declared=directory.count)
    _check_places(source, members, directory.start)
    return members


def _walk(data: bytes, directory: _Directory, most: int) -> Iterator[Member]:
    at, stop = 0, directory.size
    for _ in range(most + 1):
        if at + _CENTRAL_FIELDS.size > stop or data[at : at + 4] != CENTRAL:
            break
        fields = _CENTRAL_FIELDS.unpack_from(data, at)
        name_end = at + _CENTRAL_FIELDS.size + fields[10]
        extra_end = name_end + fields[11]
        following = extra_end + fields[12]
        if following > stop:
            raise ArchiveError("directory")
        name = data[at + _CENTRAL_FIELDS.size : name_end]
        yield _member(fields, name, data[name_end:extra_end], directory.shift)
        at = following
    if at != stop:
        raise ArchiveError("directory")


def _member(fields: tuple[int, ...], name: bytes, extra: bytes, shift: int) -> Member:
    made_by, flags, method, checksum = fields[1], fields[3], fields[4], fields[7]
    shown = _unicode_path(name, flags, extra) or _decode_name(name, flags)
    size, packed, header = _wide_sizes(fields[9], fields[8], fields[16], extra, shown)
    on_unix = made_by >> 8 not in {0, 10, 11, 14}
    mode = fields[15] >> 16 if on_unix else 0
    folder = shown.endswith(("/", "\\")) or stat.S_ISDIR(mode)
    folder = folder or bool(not on_unix and fields[15] & _DOS_DIRECTORY)
    return Member(shown, name, flags, method, checksum, packed, size, header + shift, mode, folder)


def _decode_name(name: bytes, flags: int) -> str:
    """Decode a name: UTF-8 where it is that, flagged or not, else the code page of old DOS."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("utf-8", "replace") if flags & _FLAG_UTF8 else name.decode("cp437")


def _unicode_path(name: bytes, flags: int, extra: bytes) -> str:
    """Return the name that the Unicode Path field gives, empty where it gives none for this name.

    Unpackers go by it, so that what is judged has to be this one.
    """
    field = _extra_field(extra, _UNICODE_PATH, "") if not flags & _FLAG_UTF8 else b""
    if len(field) <= _PATH_FIELDS.size:
        return ""
    version, checksum = _PATH_FIELDS.unpack_from(field)
    if version != 1 or checksum != zlib.crc32(name):
        return ""
    try:
        return field[_PATH_FIELDS.size :].decode()
    except UnicodeDecodeError:
        return ""


def _wide_sizes(
    size: int, packed: int, header: int, extra: bytes, name: str
) -> tuple[int, int, int]:
    """Return size, packed size and offset, the ones that are all ones from the zip64 field."""
    values = [size, packed, header]
    wanted = [i for i, value in enumerate(values) if value == _ONES_32]
    wide = _extra_field(extra, _ZIP64_EXTRA, name)
    if len(wide) < 8 * len(wanted):
        raise ArchiveError("zip64", member=name)
    for place, index in enumerate(wanted):
        (values[index],) = struct.unpack_from("<Q", wide, 8 * place)
    return values[0], values[1], values[2]


def _extra_field(extra: bytes, wanted: int, name: str) -> bytes:
    """Return one extra field, empty if there is none; refuse one that is cut off."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        at += 4
        if kind == wanted:
            if at + length > len(extra):
                raise ArchiveError("zip64", member=name)
            return extra[at : at + length]
        at += length
    return b""


def _check_places(source: Source, members: list[Member], stop: int) -> None:
    """Refuse entries that share bytes, or whose two headers do not agree."""
    before = 0
    for member in sorted(members, key=lambda m: m.header):
        if member.header < before:
            raise ArchiveError("overlap", member=member.name)
        _check_declared(member)
        member.start = _data_start(source, member)
        before = member.start + member.packed
        if before > stop:
            raise ArchiveError("truncated", member=member.name)


def _check_declared(member: Member) -> None:
    """Refuse a size that the packed bytes cannot give: nothing is made room for on its word."""
    impossible = {
        STORED: member.size != member.packed,
        DEFLATED: member.size > DEFLATE_BEST * member.packed,
    }
    if impossible.get(member.method, False):
        raise ArchiveError("size", member=member.name, declared=member.size, found=member.packed)


def _data_start(source: Source, member: Member) -> int:
    """Return where a member's packed bytes start, after comparing its two headers."""
    name_start = member.header + _LOCAL_FIELDS.size
    head = source.at(member.header, _LOCAL_FIELDS.size + len(member.stored_name))
    if len(head) < _LOCAL_FIELDS.size or not head.startswith(LOCAL):
        raise ArchiveError("header", member=member.name)
    fields = _LOCAL_FIELDS.unpack_from(head)
    if fields[9] != len(member.stored_name) or head[_LOCAL_FIELDS.size :] != member.stored_name:
        other = _decode_name(source.at(name_start, fields[9]), fields[2])
        raise ArchiveError("name", member=member.name, found=other)
    _compare_packing(member, flags=fields[2], method=fields[3])
    if not fields[2] & _FLAG_DESCRIPTOR:
        _compare_sizes(member, packed=fields[7], size=fields[8])
        if fields[6] != member.checksum:
            raise ArchiveError("checksum", member=member.name)
    lengths: tuple[int, int] = fields[9:11]
    return name_start + sum(lengths)


def _compare_packing(member: Member, *, flags: int, method: int) -> None:
    """Refuse an entry that is packed in one way by the directory and in another by its own header."""
    if flags & _FLAG_ENCRYPTED and not member.is_encrypted:
        raise ArchiveError("encrypted", member=member.name)
    if method != member.method:
        raise ArchiveError("damaged", member=member.name)


def _compare_sizes(member: Member, *, packed: int, size: int) -> None:
    for ours, local in ((member.packed, packed), (member.size, size)):
        if local not in (ours, _ONES_32):
            raise ArchiveError("size", member=member.name, declared=ours, found=local)


def read_member(source: Source, member: Member, *, limit: int, ratio: int) -> bytes:
    """Return the unpacked bytes of a member; see `read_pieces`."""
    return b"".join(map(bytes, read_pieces(source, member, limit=limit, ratio=ratio)))


def read_pieces(
    source: Source, member: Member, *, limit: int, ratio: int | None
) -> Iterator[bytes | memoryview]:
    """Yield the unpacked bytes of a member, checked against its declared size and checksum.

    What was yielded is proven only once the end is reached; a piece stays until the next is asked
    for. Raises ArchiveError for an unknown
    compression, for damage, and as soon as more than `limit` bytes, or `ratio` times the packed
    ones where one is given, have come out.
    """
    if member.method not in METHODS:
        raise ArchiveError("method", member=member.name, found=method_name(member.method))
    most = limit if ratio is None else min(limit, ratio * member.packed)
    packed = source.passing(member.start, member.packed)
    size, checksum = 0, 0
    try:
        for piece in unpack(packed, member.method, min(most, member.size)):
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            yield piece
    except Damaged:
        raise ArchiveError("damaged", member=member.name) from None
    if size > most:
        reason = "size" if most == limit else "ratio"
        raise ArchiveError(
            reason, member=member.name, code="ARCHIVE_TOO_LARGE", limit=limit, ratio=ratio
        )
    if size != member.size:
        raise ArchiveError("size", member=member.name, declared=member.size, found=size)
    if checksum != member.checksum:
        raise ArchiveError("checksum", member=member.name)


_METHOD_NAMES = {
    1: "shrink",
    2: "reduce",
    3: "reduce",
    4: "reduce",
    5: "reduce",
    6: "implode",
    9: "deflate64",
    12: "bzip2",
    10: "PKWARE implode (DCL)",
    14: "lzma",
    16: "IBM CMPSC",
    18: "IBM terse",
    19: "IBM LZ77",
    20: "zstd (deprecated number)",
    93: "zstd",
    94: "mp3",
    95: "xz",
    96: "jpeg",
    97: "wavpack",
    98: "ppmd",
    99: "AES encryption",
}


def method_name(method: int) -> str:
    """Return the common name of a compression method, or its number."""
    return _METHOD_NAMES.get(method, f"method {method}")
