"""Makes zip archives by hand, right and wrong ones, for the tests of the reader."""

from __future__ import annotations

import bz2
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

STORED, DEFLATED, BZIP2 = 0, 8, 12
UNIX = 3 << 8 | 20


@dataclass
class Part:
    """One entry; what is None follows from the rest, what is given may be a lie."""

    name: str | bytes
    data: bytes = b""
    method: int = STORED
    flags: int = 0
    mode: int = 0o100644
    packed: bytes | None = None
    local_name: bytes | None = None
    crc: int | None = None
    size: int | None = None
    local_size: int | None = None
    extra: bytes = b""
    descriptor: bool = False
    offset: int | None = None
    central: dict[str, int] = field(default_factory=dict)

    @property
    def stored_name(self) -> bytes:
        return self.name if isinstance(self.name, bytes) else self.name.encode()

    @property
    def packed_bytes(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method == DEFLATED:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            return packer.compress(self.data) + packer.flush()
        return bz2.compress(self.data) if self.method == BZIP2 else self.data


def make_zip(*parts: Part, prefix: bytes = b"", shifted: bool = False, **end: Any) -> bytes:
    """Return an archive; `end` changes fields of its end record (count, comment, disk, …)."""
    body = bytearray(prefix)
    directory = bytearray()
    base = len(prefix) if shifted else 0
    for part in parts:
        offset = len(body) - base if part.offset is None else part.offset
        if part.offset is None:
            body += _local(part)
        directory += _central(part, offset)
    start = len(body) - base
    count = end.get("count", len(parts))
    record = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        end.get("disk", 0),
        end.get("disk", 0),
        count,
        count,
        end.get("directory_size", len(directory)),
        end.get("directory_offset", start),
        len(end.get("comment", b"")),
    )
    return bytes(body + directory + record + end.get("comment", b""))


def _local(part: Part) -> bytes:
    packed, size = part.packed_bytes, len(part.data) if part.size is None else part.size
    crc = zlib.crc32(part.data) if part.crc is None else part.crc
    name = part.stored_name if part.local_name is None else part.local_name
    flags = part.flags | (8 if part.descriptor else 0)
    told = (0, 0, 0) if part.descriptor else (crc, len(packed), part.local_size or size)
    head = struct.pack(
        "<4s5H3L2H", b"PK\x03\x04", 20, flags, part.method, 0, 33, *told, len(name), 0
    )
    tail = struct.pack("<4s3L", b"PK\x07\x08", crc, len(packed), size) if part.descriptor else b""
    return head + name + packed + tail


def _central(part: Part, offset: int) -> bytes:
    packed, size = part.packed_bytes, len(part.data) if part.size is None else part.size
    crc = zlib.crc32(part.data) if part.crc is None else part.crc
    flags = part.flags | (8 if part.descriptor else 0)
    head = struct.pack(
        "<4s6H3L5H2L",
        b"PK\x01\x02",
        UNIX,
        20,
        flags,
        part.method,
        0,
        33,
        crc,
        part.central.get("packed", len(packed)),
        part.central.get("size", size),
        len(part.stored_name),
        len(part.extra),
        0,
        0,
        0,
        part.mode << 16,
        part.central.get("offset", offset),
    )
    return head + part.stored_name + part.extra
