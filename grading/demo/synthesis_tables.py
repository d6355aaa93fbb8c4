"""Integer building stones of the demo's speech: waves of one resonance, and noise.

Everything is 64-bit integer arithmetic on rounded tables, so that the samples are the same on
every processor. `tests/demo` shows that no entry of a table lies near a rounding edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
FRAME = 80  # samples: tracks change every 5 ms
WAVE_LENGTH = 320
UNIT = 1 << 12

_LOWEST_HZ, _STEP_HZ, _WAVES = 150, 25, 270
_ATTACK = 16
_NOISE_BITS = 12
_NOISE_GAIN = 2  # what a wide band loses beside a narrow one

Samples = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Width:
    """Bandwidth of a resonance: so many Hz and a share of its frequency; samples that are kept."""

    hertz: float
    share: float
    length: int


FORMANT = Width(50, 0.04, WAVE_LENGTH)
BAND = Width(350, 0.16, 64)


def unrounded_waves(width: Width) -> NDArray[np.float64]:
    """Return damped sines, one row for each frequency, in units of UNIT, before rounding.

    A row is what a resonance of that frequency answers to a pulse: exp(-pi b t) sin(2 pi f t) of
    bandwidth b, with a soft beginning of 1 ms (Rodet's formant wave function).
    """
    hertz = _LOWEST_HZ + _STEP_HZ * np.arange(_WAVES, dtype=np.float64)[:, None]
    seconds = np.arange(width.length, dtype=np.float64)[None, :] / RATE
    decay = np.exp(-np.pi * (width.hertz + width.share * hertz) * seconds)
    rise = np.minimum(np.arange(1, width.length + 1) / _ATTACK, 1.0)
    return np.asarray(UNIT * decay * np.sin(2 * np.pi * hertz * seconds) * rise)


@cache
def waves(width: Width) -> Samples:
    """Return the rounded waves, shape (frequencies, length)."""
    table: Samples = np.rint(unrounded_waves(width)).astype(np.int64)
    table.setflags(write=False)
    return table


def wave_index(hertz: Samples) -> Samples:
    """Return the row of the table that is nearest below each frequency in Hz, held to its range."""
    return np.clip((hertz - _LOWEST_HZ) // _STEP_HZ, 0, _WAVES - 1)


def white_noise(seed: int, count: int) -> Samples:
    """Return `count` uniform samples within ± UNIT / 2, fixed by the seed."""
    raw = np.random.PCG64(seed).random_raw(count)
    return (raw >> np.uint64(64 - _NOISE_BITS)).astype(np.int64) - (UNIT >> 1)


def colored_noise(noise: Samples, hertz: int) -> Samples:
    """Return white noise through a resonance of that frequency, as long as it was."""
    row = int(wave_index(np.array([hertz], dtype=np.int64))[0])
    return np.convolve(noise, waves(BAND)[row])[: len(noise)] * _NOISE_GAIN // UNIT


def spread(values: Samples) -> Samples:
    """Return a track of frames as samples, straight lines between one frame and the next."""
    following = np.append(values[1:], values[-1:])
    steps = np.arange(FRAME, dtype=np.int64)
    lines = values[:, None] + (following - values)[:, None] * steps[None, :] // FRAME
    return lines.reshape(-1)


def smooth(values: Samples, width: int) -> Samples:
    """Return the running mean over `width` frames (odd), the ends held; rounded down."""
    half = width // 2
    padded = np.concatenate((np.repeat(values[:1], half + 1), values, np.repeat(values[-1:], half)))
    sums = np.cumsum(padded)
    return (sums[width:] - sums[:-width]) // width
