"""Levels of 16-bit samples that come in pieces: extremes, mean, and how many are at full scale."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FULL_SCALE = 32_768
SILENT_DBFS = -60
CLIPPED_PER_MILLE = 1
DC_PERCENT = 5

_HIGHEST = FULL_SCALE - 1
_FAR = 3 * FULL_SCALE // 4
_AVERAGED = 4_096

Samples = NDArray[np.int16]


class Levels:
    """Takes in pieces of little-endian 16-bit samples; a piece may end inside a sample.

    The mean is that of some 4,000 samples at even distances, of all when `expected` is smaller:
    which ones follows from `expected` alone, the number of samples that will come.
    """

    def __init__(self, expected: int = 0) -> None:
        self.frames = 0
        self._step = expected // _AVERAGED | 1
        self.low = _HIGHEST
        self.high = -FULL_SCALE
        self._total = 0
        self.at_full_scale = 0
        self.jumps = 0
        self._half = b""
        self._last = 0

    def add(self, piece: bytes | memoryview) -> None:
        """Take in the next bytes."""
        if self._half:
            piece = self._half + bytes(piece)
        whole = len(piece) & ~1
        self._half = bytes(piece[whole:])
        if whole:
            self._add(np.frombuffer(piece, "<i2", whole // 2))

    def _add(self, samples: Samples) -> None:
        low, high = int(samples.min()), int(samples.max())
        averaged = samples[-self.frames % self._step :: self._step]
        self._total += int(averaged.sum(dtype=np.int64))
        self.frames += len(samples)
        self.low, self.high = min(self.low, low), max(self.high, high)
        if high == _HIGHEST or low <= -_HIGHEST:
            self.at_full_scale += int(((samples == _HIGHEST) | (samples <= -_HIGHEST)).sum())
        self._count_jumps(samples, low, high)
        self._last = int(samples[-1])

    def _count_jumps(self, samples: Samples, low: int, high: int) -> None:
        low, high = min(low, self._last), max(high, self._last)
        if low >= -_FAR or high <= _FAR:
            return
        above, below = samples > _FAR, samples < -_FAR
        self.jumps += int((above[1:] & below[:-1]).sum() + (below[1:] & above[:-1]).sum())
        first = int(samples[0])
        self.jumps += min(first, self._last) < -_FAR and max(first, self._last) > _FAR

    @property
    def peak(self) -> int:
        """The largest distance from zero, 0 … 32768."""
        return max(self.high, -self.low) if self.frames else 0

    @property
    def peak_dbfs(self) -> float | None:
        """The peak in decibels relative to full scale, one decimal; None for digital silence."""
        return round(20 * math.log10(self.peak / FULL_SCALE), 1) if self.peak else None

    @property
    def is_constant(self) -> bool:
        """True when all samples are equal."""
        return self.frames > 0 and self.low == self.high

    @property
    def is_silent(self) -> bool:
        """True when all samples are equal or the peak is below -60 dBFS."""
        return self.is_constant or self.peak < FULL_SCALE * 10 ** (SILENT_DBFS / 20)

    @property
    def is_clipped(self) -> bool:
        """True when more than 0.1 % of the samples are at full scale."""
        return self.at_full_scale * 1000 > self.frames * CLIPPED_PER_MILLE

    @property
    def is_wrapped(self) -> bool:
        """True when more than 0.1 % of the samples jump across most of the range, as overflow makes them."""
        return self.jumps * 1000 > self.frames * CLIPPED_PER_MILLE

    @property
    def offset_percent(self) -> float:
        """How far the mean is from zero, in percent of full scale, three decimals."""
        averaged = -(-self.frames // self._step)
        return round(100 * abs(self._total) / (averaged * FULL_SCALE), 3) if averaged else 0.0

    @property
    def has_offset(self) -> bool:
        """True when the mean is farther from zero than 5 % of full scale."""
        return self.offset_percent > DC_PERCENT
