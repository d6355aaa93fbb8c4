"""Unpacks the compressed bytes of one archive member without ever passing a limit."""

from __future__ import annotations

import zlib
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Packed = Iterable[bytes | memoryview]

STORED = 0
DEFLATED = 8
BZIP2 = 12
# No deflated byte stands for more: 258 bytes from two bits (RFC 1951).
DEFLATE_BEST = 1032
# Some builds of Python come without bzip2; the method is then refused by its name.
METHODS = frozenset({STORED, DEFLATED, BZIP2} if find_spec("_bz2") else {STORED, DEFLATED})

_STEP = 1 << 18


class Damaged(Exception):
    """Packed bytes that cannot be unpacked, end too early, or go on after their end."""


def unpack(packed: Packed, method: int, limit: int) -> Iterator[bytes | memoryview]:
    """Yield the unpacked bytes in pieces, at most `limit` + 1 of them in all.

    Stored bytes are passed on as they come, good for as long as they were. One byte more than `limit` tells the caller that there is more than that. `method` is one of
    METHODS. Raises Damaged, after what could be unpacked.
    """
    if method == STORED:
        return _cut(packed, limit + 1)
    unpackers = {DEFLATED: _inflate, BZIP2: _unpack_bzip2}
    return unpackers[method](packed, limit + 1)


def _cut(packed: Packed, left: int) -> Iterator[bytes | memoryview]:
    for piece in packed:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _inflate(packed: Packed, left: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    for piece in packed:
        waiting: bytes | memoryview = piece
        while True:
            asked = min(left, _STEP)
            try:
                part = unpacker.decompress(waiting, asked)
            except zlib.error:
                raise Damaged from None
            if part:
                yield part
            left -= len(part)
            if not left:
                return
            waiting = unpacker.unconsumed_tail
            # A full part may have more behind it though no packed byte waits.
            if not waiting and len(part) < asked:
                break
    # What is left over after the end, or an end that never comes, is damage.
    if not unpacker.eof or unpacker.unused_data:
        raise Damaged


def _unpack_bzip2(packed: Packed, left: int) -> Iterator[bytes]:
    import bz2  # noqa: PLC0415

    unpacker = bz2.BZ2Decompressor()
    try:
        for piece in packed:
            waiting: bytes | memoryview = piece
            while left > 0 and not unpacker.eof:
                part = unpacker.decompress(waiting, min(left, _STEP))
                waiting = b""
                if part:
                    yield part
                left -= len(part)
                if not part and unpacker.needs_input:
                    break
    except OSError:
        raise Damaged from None
    if left > 0 and not unpacker.eof:
        raise Damaged
