"""What makes two uploads the same content, however they were sent: pure functions of bytes.

The identity of up to 16 MiB is their SHA-256. Beyond, content is cut into parts of 5 MiB, the last
one smaller, and its identity is the SHA-256 over the parts' binary SHA-256 in order. Both figures
are fixed for good: receipts name identities (docs/decisions/0100).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

SINGLE_BYTES = 16 * 1024 * 1024
"""What is sent in one request; only larger files come in parts."""
PART_BYTES = 5 * 1024 * 1024
"""The smallest part that every bucket takes: less is lost when a connection breaks."""
MOST_PARTS = 10_000
"""As many parts as buckets take; 48 GiB."""


def content_id(part_hashes: Sequence[str]) -> str:
    """Return the identity (64 hex digits) of content over 16 MiB whose parts have these SHA-256 (hex)."""
    return hashlib.sha256(b"".join(bytes.fromhex(digest) for digest in part_hashes)).hexdigest()


def part_sizes(size: int) -> list[int]:
    """Return the sizes in bytes of the parts of `size` bytes, in order."""
    whole, rest = divmod(size, PART_BYTES)
    return [PART_BYTES] * whole + ([rest] if rest else [])


class Digests:
    """Size, SHA-256 and identity of bytes that stream by."""

    def __init__(self) -> None:
        self.size = 0
        self._whole = hashlib.sha256()
        self._part = hashlib.sha256()
        self._parts: list[str] = []

    def update(self, chunk: bytes) -> None:
        """Take in the next bytes."""
        self._whole.update(chunk)
        rest = memoryview(chunk)
        while rest:
            room = PART_BYTES - self.size % PART_BYTES
            piece, rest = rest[:room], rest[room:]
            self._part.update(piece)
            self.size += len(piece)
            if self.size % PART_BYTES == 0:
                self._close_part()

    def _close_part(self) -> None:
        self._parts.append(self._part.hexdigest())
        self._part = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes, in hex."""
        return self._whole.hexdigest()

    @property
    def part_hashes(self) -> list[str]:
        """The SHA-256 (hex) of each part so far."""
        return [*self._parts, self._part.hexdigest()] if self.size % PART_BYTES else self._parts

    @property
    def content_id(self) -> str:
        """The identity of all bytes."""
        return self.sha256 if self.size <= SINGLE_BYTES else content_id(self.part_hashes)
