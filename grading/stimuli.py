"""A clip as raters hear it: one static gain, silence around it, nothing but `fmt ` and `data`. Pure.

Loudness is that of ITU-R BS.1770-4 by `pyloudnorm`, the true peak that of its annex 2, eightfold
oversampled. Both decide nothing but the gain, which is rounded to 0.01 dB and applied in integers,
so that the same clip gives the same bytes on any machine.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
TARGET_CLUFS = -2_300
"""-23 LUFS; levels and gains are whole hundredths of a decibel."""
MOST_GAIN = 2_000
HIGHEST_PEAK = -100
PADDING = RATE // 5
BARS = 120

BLOCK = 2 * RATE // 5
OVERSAMPLED = 8
FULL_SCALE = 32_768
GATE_CLUFS = -7_000
_FRACTION_BITS = 24
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")

Samples = NDArray[np.int16]
LUFS, SHORT, SILENT = "lufs", "short", "silent"


@dataclass(frozen=True, slots=True)
class Levels:
    """What the gain was made from, in hundredths of dB; None where a level is not defined.

    `rule` says how loudness was measured: over gated blocks (`lufs`), over the whole of a clip
    that is shorter than a block of 0.4 s (`short`), or not at all because nothing of it is louder
    than the gate of -70 LUFS (`silent`).
    """

    loudness: int | None
    true_peak: int | None
    gain: int
    rule: str

    def as_json(self) -> dict[str, Any]:
        """Return the levels by name."""
        return {
            "loudness": self.loudness,
            "true_peak": self.true_peak,
            "gain": self.gain,
            "rule": self.rule,
        }


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file ready to be served, what it was made by, and its outline: `BARS` heights of 0–100."""

    data: bytes
    frames: int
    levels: Levels
    outline: tuple[int, ...]

    @property
    def sha256(self) -> str:
        """The SHA-256 (hex) of the file."""
        return hashlib.sha256(self.data).hexdigest()


def prepare(samples: Samples) -> Prepared:
    """Return a clip of 16 kHz, mono, 16 bit at -23 LUFS with 0.2 s of silence at both ends.

    The gain is at most 20 dB either way and keeps the true peak at or below -1 dBFS; a silent clip
    is at most made quieter. Raises ValueError for a clip without a sample.
    """
    if not len(samples):
        raise ValueError("a clip has at least one sample")
    levels = measure(samples)
    sound = np.pad(amplify(samples, levels.gain), PADDING)
    return Prepared(wav_of(sound), len(sound), levels, outline(sound))


def measure(samples: Samples) -> Levels:
    """Return the levels of a clip and the gain that they lead to."""
    sound = samples.astype(np.float64) / FULL_SCALE
    rule = LUFS if len(samples) >= BLOCK else SHORT
    loudness, peak = _loudness(sound), _true_peak(sound)
    if peak is None:
        return Levels(None, None, 0, SILENT)
    if loudness is None:
        return Levels(None, peak, min(0, HIGHEST_PEAK - peak), SILENT)
    wanted = max(-MOST_GAIN, min(MOST_GAIN, TARGET_CLUFS - loudness))
    return Levels(loudness, peak, min(wanted, HIGHEST_PEAK - peak), rule)


def amplify(samples: Samples, gain: int) -> Samples:
    """Return samples times a gain in hundredths of dB, rounded half up; nothing may clip.

    The factor has 24 binary places. Raises OverflowError where a sample would leave its range.
    """
    if not gain:
        return samples
    factor = round(10 ** (gain / 2_000) * (1 << _FRACTION_BITS))
    scaled = (samples.astype(np.int64) * factor + (1 << (_FRACTION_BITS - 1))) >> _FRACTION_BITS
    if scaled.min() < -FULL_SCALE or scaled.max() >= FULL_SCALE:
        raise OverflowError("the gain would clip")
    return scaled.astype(np.int16)


def wav_of(samples: Samples) -> bytes:
    """Return a WAV file with nothing but the format and the samples."""
    data = samples.astype("<i2").tobytes()
    head = _HEADER.pack(
        b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16, b"data", len(data)
    )  # fmt: skip
    return head + data


def outline(samples: Samples, bars: int = BARS) -> tuple[int, ...]:
    """Return the largest distance from zero in each of `bars` equal stretches, the largest as 100."""
    far = np.abs(samples.astype(np.int32))
    edges = np.linspace(0, len(far), bars + 1).astype(int)
    pairs = zip(edges, np.maximum(edges[1:], edges[:-1] + 1), strict=False)
    heights = [int(far[a:b].max(initial=0)) for a, b in pairs]
    highest = max(heights) or 1
    return tuple(round(100 * height / highest) for height in heights)


def _loudness(sound: NDArray[np.float64]) -> int | None:
    """Return hundredths of LUFS; below a block's length over the whole clip, None under the gate."""
    import pyloudnorm  # noqa: PLC0415  it loads scipy, which only who measures needs

    seconds = min(len(sound), BLOCK) / RATE
    found = float(pyloudnorm.Meter(RATE, block_size=seconds).integrated_loudness(sound))
    if not math.isfinite(found) or found < GATE_CLUFS / 100:
        return None
    return round(100 * found)


def _true_peak(sound: NDArray[np.float64]) -> int | None:
    """Return hundredths of dBTP, rounded up so that a limit holds; None for digital silence."""
    from scipy.signal import resample_poly  # noqa: PLC0415

    peak = float(np.abs(resample_poly(sound, OVERSAMPLED, 1)).max())
    highest = max(peak, float(np.abs(sound).max()))
    return math.ceil(2_000 * math.log10(highest)) if highest else None
