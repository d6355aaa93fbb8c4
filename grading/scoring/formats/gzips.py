"""Unpacks a gzip stream in pieces, never more than its limits allow."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from grading.scoring.formats.sources import STEP
from grading.scoring.formats.zipfiles import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grading.scoring.formats.sources import Source

MAGIC = b"\x1f\x8b"
_GZIP = zlib.MAX_WBITS | 16


def gunzip(source: Source, *, limit: int, ratio: int, unjudged: int) -> Iterator[bytes]:
    """Yield what a gzip file holds; several streams one after another are one file.

    Raises ArchiveError for damage, for an end that is missing, and as soon as more than `limit`
    bytes, or `ratio` times the packed ones beyond the first `unjudged`, have come out.
    """
    unpacker = _Unpacker()
    read = 0
    for piece in source.passing(0, source.size):
        read += len(piece)
        for part in unpacker.feed(piece):
            if unpacker.size > limit:
                raise ArchiveError("size", code="ARCHIVE_TOO_LARGE", limit=limit)
            if unpacker.size > max(unjudged, ratio * read):
                raise ArchiveError("ratio", code="ARCHIVE_TOO_LARGE", ratio=ratio)
            yield part
    if not unpacker.is_whole:
        raise ArchiveError("truncated")


class _Unpacker:
    """Streams that follow each other, as `cat a.gz b.gz` makes them; zeros may pad the end."""

    def __init__(self) -> None:
        self.size = 0
        self.is_whole = False
        self._stream = zlib.decompressobj(_GZIP)

    def feed(self, piece: bytes | memoryview) -> Iterator[bytes]:
        """Yield what a piece unpacks to, at most STEP bytes at a time."""
        waiting = piece
        while True:
            if self.is_whole:
                waiting = bytes(waiting).lstrip(b"\0")
                if not waiting:
                    return
                if not MAGIC.startswith(waiting[: len(MAGIC)]):
                    raise ArchiveError("damaged_gzip")
                self._stream, self.is_whole = zlib.decompressobj(_GZIP), False
            part = self._unpack(waiting)
            if part:
                yield part
            self.is_whole = self._stream.eof
            waiting = self._stream.unused_data or self._stream.unconsumed_tail
            # A full part may have more behind it though no packed byte waits.
            if not waiting and (len(part) < STEP or self.is_whole):
                return

    def _unpack(self, waiting: bytes | memoryview) -> bytes:
        try:
            part = self._stream.decompress(waiting, STEP)
        except zlib.error:
            raise ArchiveError("damaged_gzip") from None
        self.size += len(part)
        return part
