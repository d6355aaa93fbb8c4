"""The `fmt ` chunk of a WAV file: its fields, the name of its codec, and what is wrong with them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PCM = 1
FLOAT = 3
EXTENSIBLE = 0xFFFE
RATE = 16_000
WIDTH = 16
FRAME_BYTES = 2
SHORTEST = 16
_SHORTEST_EXTENSIBLE = 40
_FIELDS = struct.Struct("<2H2L2H")
_EXTENSION = struct.Struct("<2HLH14s")
# The tail of the GUIDs that stand for the old format tags (Microsoft, mmreg.h).
_TAG_GUID = bytes.fromhex("000000001000800000aa00389b71")
_CODECS = {
    0x0002: "Microsoft ADPCM",
    0x0006: "A-law",
    0x0007: "µ-law",
    0x0011: "IMA ADPCM",
    0x0031: "GSM 6.10",
    0x0040: "G.721 ADPCM",
    0x0045: "G.726 ADPCM",
    0x0050: "MPEG audio (MP1 or MP2)",
    0x0055: "MP3",
    0x0064: "G.726 ADPCM",
    0x0065: "G.722 ADPCM",
    0x0092: "Dolby AC-3 over S/PDIF",
    0x00FF: "AAC",
    0x0160: "Windows Media Audio 1",
    0x0161: "Windows Media Audio 2",
    0x0162: "Windows Media Audio Pro",
    0x0163: "Windows Media Audio Lossless",
    0x1610: "AAC",
    0x2000: "Dolby AC-3",
    0x566F: "Vorbis",
    0x674F: "Vorbis",
    0x6750: "Vorbis",
    0x6751: "Vorbis",
    0x704F: "Opus",
    0xA106: "AAC",
    0xF1AC: "FLAC",
}

Fault = tuple[str, Mapping[str, object]]
"""A reason in one word, and what its sentence needs."""


class Format(NamedTuple):
    """Fields of a `fmt ` chunk; `tag` is that of the subformat where there is one, None if unknown."""

    tag: int | None
    channels: int
    rate: int
    block: int
    bits: int
    valid_bits: int

    @property
    def codec(self) -> str:
        """The name of how samples are written."""
        if self.tag == PCM:
            return f"{self.bits}-bit PCM"
        if self.tag == FLOAT:
            return f"{self.bits}-bit float"
        if self.tag is None:
            return "of an unknown subformat"
        return _CODECS.get(self.tag, f"of the unknown codec 0x{self.tag:04X}")


def read_format(chunk: bytes) -> Format | Fault:
    """Return the fields of a whole `fmt ` chunk, or why it has none."""
    if len(chunk) < SHORTEST:
        return "short_fmt", {"found": len(chunk), "wanted": SHORTEST}
    tag, channels, rate, _, block, bits = _FIELDS.unpack_from(chunk)
    if tag != EXTENSIBLE:
        return Format(tag, channels, rate, block, bits, bits)
    if len(chunk) < _SHORTEST_EXTENSIBLE:
        return "short_fmt", {"found": len(chunk), "wanted": _SHORTEST_EXTENSIBLE}
    _, valid, _, subtag, tail = _EXTENSION.unpack_from(chunk, SHORTEST)
    known = subtag if tail == _TAG_GUID else None
    return Format(known, channels, rate, block, bits, valid or bits)


def format_faults(found: Format) -> Iterator[Fault]:
    """Yield everything in which a format is not 16 kHz, mono, 16-bit PCM.

    The byte rate is not looked at: decoders do not, and it says nothing of its own.

    >>> list(format_faults(Format(PCM, 1, 16_000, 2, 16, 16)))
    []
    """
    if found.tag != PCM:
        yield "codec", {"found": found.codec, "wanted": "16-bit PCM"}
    if found.channels != 1:
        yield "channels", {"found": found.channels, "wanted": 1}
    if found.rate != RATE:
        yield "rate", {"found": found.rate, "wanted": RATE}
    if found.tag != PCM:
        return
    width = found.bits if found.bits != WIDTH else found.valid_bits
    if width != WIDTH:
        yield "width", {"found": width, "wanted": WIDTH}
    elif found.channels == 1 and found.block != FRAME_BYTES:
        yield "block", {"found": found.block, "wanted": FRAME_BYTES}
