"""What a storage does, on disk or in a bucket. Keys name stored bytes and never change what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from grading.identity import PART_BYTES
from grading.storage.spooling import Spooled

UPLOADS = "uploads"
Watch = Callable[[int, int], None]
"""Called with bytes done and the whole while something large is read; may raise to stop it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload: its number from 1, its size in bytes and its SHA-256 (hex)."""

    number: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Assembly:
    """An upload that comes in parts: its code, the key it ends under, and the storage's own handle."""

    code: str
    key: str
    handle: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """The size of the whole in bytes."""
        return sum(part.size for part in self.parts)

    @staticmethod
    def offset_of(part: Part) -> int:
        """Return where a part begins."""
        return (part.number - 1) * PART_BYTES


@dataclass(frozen=True, slots=True)
class Leftover:
    """An upload in parts as the storage alone knows it: its code, and what names it there."""

    code: str
    handle: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a part is sent with PUT, and the headers that belong to it."""

    url: str
    headers: dict[str, str]


class Store(Protocol):
    """Bytes of uploads. Methods raise OSError when disk or bucket refuse."""

    def publish(self, spooled: Spooled) -> str:
        """Keep a temporary file; return its key."""

    def local_copy(self, key: str, watch: Watch) -> AbstractContextManager[Path]:
        """Give a path with the bytes while inside. Raises BytesMissing."""

    def exists(self, key: str) -> bool:
        """Return whether bytes lie under the key."""

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Yield the keys whose bytes were last stored before then."""

    def remove_before(self, key: str, moment: datetime) -> bool:
        """Remove bytes unless they were stored again since; return whether they went."""

    def begin(self, key: str) -> str:
        """Begin an upload in parts; return the handle."""

    def link(self, assembly: Assembly, part: Part) -> Link | None:
        """Return where to send a part past this server; None: to this server itself."""

    def present(self, assembly: Assembly) -> set[int] | None:
        """Return the numbers of the parts that are there; None: the database knows.

        Raises NotBegunHere.
        """

    def write_part(self, assembly: Assembly, part: Part, content: Iterator[bytes]) -> None:
        """Keep a part whose hash was verified. Raises NotBegunHere."""

    def assemble(self, assembly: Assembly) -> None:
        """Make the parts one under the key; may be repeated. Raises BytesMissing."""

    def discard(self, assembly: Assembly) -> None:
        """Remove an upload in parts, assembled or not; may be repeated."""

    def unfinished(self, moment: datetime) -> Iterator[Leftover]:
        """Yield the uploads in parts, not assembled, that were begun before then."""

    def discard_leftover(self, leftover: Leftover) -> None:
        """Remove an upload in parts of which no more is known."""


def key_of(content_id: str, suffix: str = "") -> str:
    """Return the key of content; with a suffix one that nothing else has."""
    return f"{UPLOADS}/{content_id[:2]}/{content_id[2:4]}/{content_id}{suffix and '.'}{suffix}"
