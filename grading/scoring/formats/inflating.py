"""Unpacks the compressed bytes of one archive member without ever passing a limit."""

from __future__ import annotations

import zlib
from importlib.util import find_spec

STORED = 0
DEFLATED = 8
BZIP2 = 12
# No deflated byte stands for more: 258 bytes from two bits (RFC 1951).
DEFLATE_BEST = 1032
# Some builds of Python come without bzip2; the method is then refused by its name.
METHODS = frozenset({STORED, DEFLATED, BZIP2} if find_spec("_bz2") else {STORED, DEFLATED})

_STEP = 1 << 20


def inflate(packed: bytes, method: int, limit: int) -> bytes | None:
    """Return the unpacked bytes, at most `limit` + 1 of them, or None when they are damaged.

    One byte more than `limit` tells the caller that there is more than that. `method` is one of
    METHODS.
    """
    if method == STORED:
        return packed[: limit + 1]
    return _inflate(packed, limit) if method == DEFLATED else _unpack_bzip2(packed, limit)


def _inflate(packed: bytes, limit: int) -> bytes | None:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        unpacked = unpacker.decompress(packed, limit + 1)
    except zlib.error:
        return None
    if len(unpacked) > limit:
        return unpacked
    # What is left over after the end, or an end that never comes, is damage.
    return unpacked if unpacker.eof and not unpacker.unused_data else None


def _unpack_bzip2(packed: bytes, limit: int) -> bytes | None:
    import bz2  # noqa: PLC0415

    unpacker = bz2.BZ2Decompressor()
    parts: list[bytes] = []
    left, waiting = limit + 1, packed
    try:
        while left > 0 and not unpacker.eof:
            part = unpacker.decompress(waiting, min(left, _STEP))
            if not part and unpacker.needs_input:
                return None
            waiting = b""
            parts.append(part)
            left -= len(part)
    except OSError:
        return None
    return b"".join(parts)
