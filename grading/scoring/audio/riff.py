"""Walks through a WAV file as a stream and says what it is, without trusting any of its sizes.

Layout: Multimedia Programming Interface and Data Specifications 1.0 (IBM, Microsoft, 1991).
A decoder is never asked: libraries differ in what they open and in what they forgive.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grading.scoring.audio.codecs import FRAME_BYTES, RATE, Format, format_faults, read_format
from grading.scoring.audio.levels import DC_PERCENT, SILENT_DBFS, Levels
from grading.scoring.formats.contents import recognize
from grading.scoring.types import Severity

if TYPE_CHECKING:
    from grading.scoring.audio.limits import ClipBounds
    from grading.scoring.formats.sources import ByteStream

MOST_CHUNKS = 1_000

_HEADER = struct.Struct("<4sL4s")
_CHUNK = struct.Struct("<4sL")
_VARIANTS = (b"RIFX", b"RF64", b"BW64")
_SNIFFED = 1_024
_LONGEST_FORMAT = 4_096
# What programs leave in a size field that they could not go back to; no clip is that long.
_NEVER_FILLED_IN = 0x7FFF_F000
_ONLY_ONCE = {b"fmt ": "two_fmt", b"data": "two_data"}
_ID = re.compile(rb"[ -~]{4}")
_TEXT = re.compile(rb"[\t\n\r -~\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a clip: a code and what its sentence needs."""

    code: str
    severity: Severity
    params: dict[str, object]


@dataclass(slots=True)
class Clip:
    """What a walk found: everything wrong, and the samples' place and levels when nothing is.

    `frames` and `start` (bytes before the first sample) are those of the header; they are 0 until
    the samples were reached. `levels` is None where no sample was looked at. `is_accepted` is True
    as long as there is no error.
    """

    frames: int = 0
    start: int = 0
    levels: Levels | None = None
    findings: list[Finding] = field(default_factory=list)
    is_accepted: bool = True

    @property
    def seconds(self) -> float:
        """The duration at 16 kHz."""
        return self.frames / RATE

    def error(self, code: str, reason: str = "", **params: object) -> None:
        """Add what rejects the clip."""
        self.is_accepted = False
        self._add(code, Severity.ERROR, reason, params)

    def warning(self, code: str, reason: str = "", **params: object) -> None:
        """Add what its sender should know."""
        self._add(code, Severity.WARNING, reason, params)

    def _add(self, code: str, severity: Severity, reason: str, params: dict[str, object]) -> None:
        given = {"reason": reason, **params} if reason else params
        self.findings.append(Finding(code, severity, given))


def examine(stream: ByteStream, size: int, bounds: ClipBounds) -> Clip:
    """Return what is in a file of `size` bytes that starts where the stream is.

    Samples are read only when the header promises what is wanted; a file that is not, or declares
    more than there is, is answered from its header alone. Never holds more than a piece of it.
    """
    walk = _Walk(stream, size)
    if walk.open():
        walk.find_samples()
        walk.check_samples(bounds)
    return walk.clip


class _Walk:
    """One pass over the chunks of a file."""

    def __init__(self, stream: ByteStream, size: int) -> None:
        self.clip = Clip()
        self._stream = stream
        self._base = stream.position
        self._size = size
        self._format: Format | None = None
        self._end = 0

    @property
    def _position(self) -> int:
        return self._stream.position - self._base

    @property
    def _left(self) -> int:
        return self._size - self._position

    def _take(self, count: int) -> bytes:
        return self._stream.take(min(count, self._left))

    def open(self) -> bool:
        """Read the first twelve bytes; False after saying what the file is instead."""
        head = self._take(_HEADER.size)
        if not head:
            self.clip.error("WAV_EMPTY", "bytes")
        elif head.startswith(_VARIANTS):
            self.clip.error("WAV_FORMAT", "variant", found=head[:4].decode())
        elif not head.startswith(b"RIFF") or head[8:] != b"WAVE"[: max(0, len(head) - 8)]:
            self._say_what_it_is(head)
        elif len(head) < _HEADER.size:
            self.clip.error("WAV_TRUNCATED", "header", found=len(head))
        else:
            self._end = _CHUNK.size + int.from_bytes(head[4:8], "little")
            return True
        return False

    def _say_what_it_is(self, head: bytes) -> None:
        start = head + self._take(_SNIFFED - len(head))
        known = recognize(start)
        if known is not None:
            self.clip.error("WAV_FORMAT", "kind", found=known[1])
        elif start.startswith(b"PK\x03\x04"):
            self.clip.error("WAV_FORMAT", "kind", found="zip")
        elif _TEXT.fullmatch(start):
            self.clip.error("WAV_FORMAT", "text")
        else:
            self.clip.error("WAV_FORMAT", "unknown")

    def find_samples(self) -> None:
        """Walk to the first `data` chunk, reading the `fmt ` chunk on the way."""
        for _ in range(MOST_CHUNKS):
            head = self._take(_CHUNK.size)
            if not head:
                self.clip.error("WAV_FORMAT", "no_data" if self._format else "no_fmt")
                return
            if len(head) < _CHUNK.size:
                self.clip.error("WAV_TRUNCATED", "header", found=self._size)
                return
            name, length = _CHUNK.unpack(head)
            if name == b"data":
                self._reach_samples(length)
                return
            if not (self._read_format(length) if name == b"fmt " else self._pass(name, length)):
                return
        self.clip.error("WAV_FORMAT", "chunks", limit=MOST_CHUNKS)

    def _read_format(self, length: int) -> bool:
        """Read a `fmt ` chunk; False when it ends the walk."""
        if self._format is not None:
            self.clip.error("WAV_FORMAT", "two_fmt")
            return False
        chunk = self._take(min(length, _LONGEST_FORMAT))
        if len(chunk) < min(length, _LONGEST_FORMAT):
            self.clip.error("WAV_TRUNCATED", "header", found=self._size)
            return False
        found = read_format(chunk)
        if not isinstance(found, Format):
            reason, params = found
            self.clip.error("WAV_FORMAT", reason, **params)
            return False
        self._format = found
        return self._pass(b"fmt ", length, done=len(chunk))

    def _pass(self, name: bytes, length: int, *, done: int = 0) -> bool:
        """Go to the end of a chunk and over its padding; False when the file ends before it."""
        if length - done > self._left:
            self.clip.error(
                "WAV_TRUNCATED",
                "chunk",
                chunk=name.decode("latin-1"),
                declared=length,
                found=done + self._left,
            )
            return False
        self._stream.skip(length - done)
        if length % 2:
            self._skip_padding()
        return True

    def _skip_padding(self) -> None:
        """Pass over the byte after an odd chunk, but for writers that leave it out."""
        if self._left and not 0x20 <= self._stream.peek() <= 0x7E:  # noqa: PLR2004 - printable
            self._stream.skip(1)

    def _reach_samples(self, declared: int) -> None:
        """Say what the header alone tells of the samples that start here."""
        if self._format is None:
            self.clip.error("WAV_FORMAT", "no_fmt")
            return
        for reason, params in format_faults(self._format):
            self.clip.error("WAV_FORMAT", reason, **params)
        if not self.clip.is_accepted:
            return
        self.clip.start = self._position
        self._compare_sizes(declared)

    def _compare_sizes(self, declared: int) -> None:
        """Hold the declared size of the samples against what is there."""
        found, clip = self._left, self.clip
        has_no_end = self._end <= self._position or self._end >= _NEVER_FILLED_IN
        if declared > found or (declared == 0 and found and has_no_end):
            never = declared >= _NEVER_FILLED_IN or declared == 0
            clip.error(
                "WAV_TRUNCATED", "stream" if never else "data", declared=declared, found=found
            )
        elif declared == 0:
            clip.error("WAV_EMPTY", "frames", declared=declared, found=found)
        elif declared % FRAME_BYTES:
            clip.error("WAV_FORMAT", "half", found=declared)
        else:
            clip.frames = declared // FRAME_BYTES

    def check_samples(self, bounds: ClipBounds) -> None:
        """Read the samples of a clip of the right length, then look for a second clip behind."""
        clip = self.clip
        if not clip.frames:
            return
        fault = bounds.fault(clip.frames)
        if fault:
            limit = bounds.shortest if fault == "short" else bounds.longest
            clip.error(
                "WAV_DURATION",
                fault,
                seconds=round(clip.seconds, 4),
                frames=clip.frames,
                limit=float(limit),
            )
            return
        levels = Levels(clip.frames)
        for piece in self._stream.pieces(clip.frames * FRAME_BYTES):
            levels.add(piece)
        if levels.frames < clip.frames:
            declared, found = clip.frames * FRAME_BYTES, levels.frames * FRAME_BYTES
            clip.error("WAV_TRUNCATED", "data", declared=declared, found=found)
            return
        clip.levels = levels
        self._warn(levels)
        self._look_behind()

    def _warn(self, levels: Levels) -> None:
        clip = self.clip
        if levels.is_constant:
            clip.warning("WAV_SILENT", "constant", value=levels.low)
        elif levels.is_silent:
            clip.warning("WAV_SILENT", "quiet", peak=levels.peak_dbfs, limit=SILENT_DBFS)
        if levels.is_clipped:
            percent = _percent(levels.at_full_scale, levels.frames)
            clip.warning("WAV_CLIPPED", "full_scale", percent=percent)
        if levels.is_wrapped:
            percent = _percent(levels.jumps, levels.frames)
            clip.warning("WAV_CLIPPED", "wrapped", percent=percent)
        if levels.has_offset:
            clip.warning("WAV_DC_OFFSET", percent=levels.offset_percent, limit=DC_PERCENT)

    def _look_behind(self) -> None:
        """Find a second `fmt ` or `data` chunk inside the RIFF chunk; what is no chunk is passed."""
        for _ in range(MOST_CHUNKS):
            head = self._take(_CHUNK.size) if self._position < self._end else b""
            if len(head) < _CHUNK.size or not _ID.match(head):
                return
            name, length = _CHUNK.unpack(head)
            if name in _ONLY_ONCE:
                self.clip.error("WAV_FORMAT", _ONLY_ONCE[name])
                return
            if length > self._left:
                return
            self._pass(name, length)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 3)
