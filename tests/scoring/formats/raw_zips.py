"""Makes zip archives field by field: an entry's own header may say something else than the directory."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from tests.scoring.formats.sounds import GOOD, IDS

_DESCRIPTOR = 8


@dataclass
class Entry:
    """One entry. `local` are fields of its own header that differ; `descriptor` is its sort, if any."""

    name: str | bytes
    data: bytes = GOOD
    method: int = 0
    flags: int = 0
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    mode: int = 0o100644
    made_by: int = 3 << 8 | 20
    attributes: int | None = None
    extra: bytes = b""
    comment: bytes = b""
    descriptor: str = ""
    offset: int | None = None
    local: dict[str, Any] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """Return what the directory says."""
        packed = self.bytes()
        return {
            "name": self.name if isinstance(self.name, bytes) else self.name.encode(),
            "method": self.method,
            "flags": self.flags | (_DESCRIPTOR if self.descriptor else 0),
            "crc": zlib.crc32(self.data) if self.crc is None else self.crc,
            "packed": len(packed),
            "size": len(self.data) if self.size is None else self.size,
            "extra": b"",
        }

    def bytes(self) -> bytes:
        """Return the packed bytes."""
        if self.packed is not None:
            return self.packed
        return zlib.compress(self.data, wbits=-15) if self.method == _DESCRIPTOR else self.data

    def head(self) -> bytes:
        """Return the entry: its own header, its bytes, its descriptor."""
        told = self.told()
        real = told["crc"], told["packed"], told["size"]
        if self.descriptor:
            told |= {"crc": 0, "packed": 0, "size": 0}
        told |= self.local
        fields = ("flags", "method", "crc", "packed", "size", "name", "extra")
        flags, method, crc, packed, size, name, extra = (told[one] for one in fields)
        sizes = (crc, packed, size, len(name), len(extra))
        head = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, flags, method, 0, 33, *sizes)
        return head + name + extra + self.bytes() + DESCRIPTORS[self.descriptor](*real)

    def listed(self, offset: int) -> bytes:
        """Return the entry of the directory."""
        told = self.told()
        place = self.mode << 16 if self.attributes is None else self.attributes
        lengths = (len(told["name"]), len(self.extra), len(self.comment))
        head = struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", self.made_by, 20, told["flags"], told["method"], 0, 33,
            told["crc"], told["packed"], told["size"], *lengths, 0, 0, place, offset,
        )  # fmt: skip
        return head + told["name"] + self.extra + self.comment


DESCRIPTORS = {
    "": lambda *_: b"",
    "left out": lambda *_: b"",
    "plain": lambda crc, packed, size: struct.pack("<3L", crc, packed, size),
    "marked": lambda crc, packed, size: struct.pack("<4s3L", b"PK\x07\x08", crc, packed, size),
    "wide": lambda crc, packed, size: struct.pack("<4sL2Q", b"PK\x07\x08", crc, packed, size),
    "lying": lambda *_: struct.pack("<4s3L", b"PK\x07\x08", 1, 2, 3),
}


def pack(
    *entries: Entry,
    comment: bytes = b"",
    prefix: bytes = b"",
    suffix: bytes = b"",
    between: bytes = b"",
    shift: int = 0,
    is_wide: bool = False,
    behind: bytes = b"",
    **end: int,
) -> bytes:
    """Return an archive; `end` changes count, size and start of the directory as the end tells them.

    `shift` is how far offsets are told too low, `between` lies before the directory, `behind` at its end.
    """
    body, listed = bytearray(prefix), bytearray()
    for entry in entries:
        offset = len(body) - shift if entry.offset is None else entry.offset
        body += entry.head() if entry.offset is None else b""
        listed += entry.listed(offset)
    listed += behind
    told = {
        "count": len(entries),
        "size": len(listed),
        "start": len(body) + len(between) - shift,
    } | end
    record = _wide_end(told) if is_wide else b""
    if is_wide:
        told = {"count": 0xFFFF, "size": 0xFFFFFFFF, "start": 0xFFFFFFFF}
    count, size, start = told["count"], told["size"], told["start"]
    record += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, size, start, len(comment))
    return bytes(body) + between + bytes(listed) + record + comment + suffix


def _wide_end(told: dict[str, int]) -> bytes:
    count, size, start = told["count"], told["size"], told["start"]
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    return end + struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)


def whole(**changed: Any) -> list[Entry]:
    """Return the entries of a good submission; `changed` are fields of the second one."""
    return [Entry(f"{utt_id}.wav", **(changed if utt_id == IDS[1] else {})) for utt_id in IDS]


def changed(**fields: Any) -> bytes:
    """Return a good archive but for fields of its second entry."""
    return pack(*whole(**fields))


def renamed(pattern: str, *, first: str = "") -> bytes:
    """Return a good archive with other names: `{}` stands for the utterance; the first may differ."""
    names = [pattern.format(utt_id) for utt_id in IDS]
    if first:
        names[0] = first
    return pack(*(Entry(name) for name in names))
