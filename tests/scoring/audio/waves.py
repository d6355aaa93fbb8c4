"""Makes WAV files by hand, right and wrong ones, for the tests of the walker."""

from __future__ import annotations

import math
import struct
from typing import Any

PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")


def tone(frames: int = 4_000, *, height: float = 8_000, offset: float = 0) -> bytes:
    """Return 16-bit samples of a sine at 200 Hz."""
    values = [round(offset + height * math.sin(math.tau * n / 80)) for n in range(frames)]
    return struct.pack(f"<{frames}h", *values)


def chunk(name: bytes, data: bytes, *, size: int | None = None, pad: bool = True) -> bytes:
    """Return a chunk; `size` is what its header declares."""
    declared = len(data) if size is None else size
    padding = b"\0" if pad and len(data) % 2 else b""
    return name + struct.pack("<L", declared) + data + padding


def fmt(**changed: Any) -> bytes:
    """Return a `fmt ` chunk of 16 kHz mono 16-bit PCM with fields changed."""
    fields = {"tag": 1, "channels": 1, "rate": 16_000, "block": 2, "bits": 16, **changed}
    body = struct.pack(
        "<2H2L2H",
        fields["tag"],
        fields["channels"],
        fields["rate"],
        fields.get("byte_rate", 32_000),
        fields["block"],
        fields["bits"],
    )
    return chunk(b"fmt ", body + fields.get("more", b""))


def extensible(guid: bytes = PCM_GUID, *, valid: int = 16, **changed: Any) -> bytes:
    """Return a `fmt ` chunk of the EXTENSIBLE form."""
    return fmt(tag=0xFFFE, more=struct.pack("<2HL", 22, valid, 4) + guid, **changed)


def riff(*chunks: bytes, size: int | None = None, name: bytes = b"RIFF") -> bytes:
    """Return a file of chunks; `size` is what its header declares."""
    body = b"WAVE" + b"".join(chunks)
    return name + struct.pack("<L", len(body) if size is None else size) + body


def wav(samples: bytes | None = None, *before: bytes, behind: bytes = b"") -> bytes:
    """Return a good file, with chunks before its samples or bytes behind them."""
    data = tone() if samples is None else samples
    return riff(fmt(), *before, chunk(b"data", data)) + behind
