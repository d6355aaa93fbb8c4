"""Bounds of a submission of waveforms, and of one clip in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from grading.scoring.audio.codecs import RATE

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class ClipBounds:
    """How long a clip may be, in seconds, both ends allowed."""

    shortest: Fraction = Fraction(1, 10)
    longest: Fraction = Fraction(60)

    def fault(self, frames: int) -> str:
        """Return `short` or `long`, empty when the length may be.

        >>> [ClipBounds().fault(frames) for frames in (1_599, 1_600, 960_000, 960_001)]
        ['short', '', '', 'long']
        """
        if frames * self.shortest.denominator < self.shortest.numerator * RATE:
            return "short"
        return "long" if frames * self.longest.denominator > self.longest.numerator * RATE else ""


@dataclass(frozen=True, slots=True)
class AudioLimits:
    """Bounds of one submission; sizes in bytes.

    `ratio` is how often its packed size an archive may unpack to; up to `unjudged_bytes` in all it
    is not looked at, because silence really packs that well.
    """

    file_bytes: int = 16 * GIB
    unpacked_bytes: int = 16 * GIB
    member_bytes: int = 64 << 20
    ratio: int = 100
    unjudged_bytes: int = 64 << 20
    members: int = 20_000
    listed_problems: int = 100


def phase_limits(raw: Mapping[str, int]) -> AudioLimits:
    """Return the bounds of a phase on a server: less than offline where the phase sets nothing.

    >>> phase_limits({"members": 5}).file_bytes == 2 * GIB
    True
    """
    return AudioLimits(**{"file_bytes": 2 * GIB, "unpacked_bytes": 4 * GIB, **raw})
