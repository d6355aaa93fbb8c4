"""Bytes of a file that may be far larger than memory: read at a place, or taken off a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

STEP = 1 << 18  # how much is in memory at a time


class Source(Protocol):
    """A file of known size whose bytes can be read anywhere."""

    @property
    def size(self) -> int: ...
    def at(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on, fewer where the file ends."""
        ...

    def passing(self, start: int, length: int) -> Iterator[memoryview]:
        """Yield a stretch in pieces of at most STEP bytes, less where the file ends.

        A piece is good until the next one is asked for, of this stretch or of another.
        """
        ...


class BytesSource:
    """A file that is in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def at(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on."""
        return self._data[offset : offset + length]

    def passing(self, start: int, length: int) -> Iterator[memoryview]:
        """Yield a stretch in pieces, nothing copied."""
        whole = memoryview(self._data)[start : start + length]
        for at in range(0, len(whole), STEP):
            yield whole[at : at + STEP]


class FileSource:
    """A file on disk, opened unbuffered; whoever opened it closes it."""

    def __init__(self, file: io.FileIO, size: int) -> None:
        self._file = file
        self.size = size
        # One buffer for all pieces: memory that is fresh for each costs more than reading does.
        self._buffer = memoryview(bytearray(STEP))

    def at(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on. Raises OSError."""
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        self._file.seek(offset)
        data = self._file.read(length)
        while len(data) < length:
            more = self._file.read(length - len(data))
            if not more:
                break
            data += more
        return data

    def passing(self, start: int, length: int) -> Iterator[memoryview]:
        """Yield a stretch in pieces, all of them in one buffer. Raises OSError."""
        end = min(start + length, self.size)
        while start < end:
            self._file.seek(start)
            count = self._file.readinto(self._buffer[: end - start])
            if not count:
                return
            yield self._buffer[:count]
            start += count


class ByteStream:
    """Takes bytes off an iterator of pieces, one piece in memory at a time."""

    def __init__(self, source: Iterator[bytes | memoryview]) -> None:
        self._source = source
        self._piece = memoryview(b"")
        self.position = 0

    def _fill(self) -> bool:
        """Have a piece that is not empty; False at the end."""
        while not self._piece:
            following = next(self._source, None)
            if following is None:
                return False
            self._piece = memoryview(following)
        return True

    def take_some(self, most: int) -> memoryview:
        """Return the next bytes, at least one and at most `most`; nothing at the end."""
        if most <= 0 or not self._fill():
            return memoryview(b"")
        taken = self._piece[:most]
        self._piece = self._piece[most:]
        self.position += len(taken)
        return taken

    def take(self, count: int) -> bytes:
        """Return exactly `count` bytes, fewer only at the end; for headers, all of it is held."""
        piece = self._piece
        if len(piece) >= count:
            self._piece = piece[count:]
            self.position += count
            return bytes(piece[:count])
        taken = bytes(self.take_some(count))
        while len(taken) < count:
            more = self.take_some(count - len(taken))
            if not more:
                break
            taken += bytes(more)
        return taken

    def peek(self) -> int:
        """Return the next byte and leave it there; -1 at the end."""
        return self._piece[0] if self._fill() else -1

    def pieces(self, count: int) -> Iterator[memoryview]:
        """Yield the next `count` bytes piece by piece, fewer only at the end."""
        while count > 0:
            piece = self.take_some(count)
            if not piece:
                return
            yield piece
            count -= len(piece)

    def skip(self, count: int) -> int:
        """Pass over `count` bytes; return how many there were."""
        return sum(len(piece) for piece in self.pieces(count))

    def drain(self) -> int:
        """Pass over everything that is left; return how much it was."""
        count = len(self._piece)
        self._piece = memoryview(b"")
        count += sum(len(piece) for piece in self._source)
        self.position += count
        return count
