"""The automatic screen of one clip: what can be measured without hearing, for warnings alone.

None of it enters a score or a rank. Figures are rounded so that they are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grading.scoring.audio.codecs import RATE
from grading.scoring.types import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SILENT_FRAME_DBFS = -50
MOST_SILENT_PERCENT = 50
MOST_CLIPPED_RUNS = 20
CLIPPED_RUN = 3
LONGEST_ZEROS = 2.0
LEAST_BANDWIDTH_HZ = 2_600
LEAST_SPEECH_SECONDS = 0.3

_FULL_SCALE = 32_768
_HIGHEST = _FULL_SCALE - 1
_FRAME = RATE // 50
_WINDOW = 1_024
_HOP = _WINDOW // 2
_BELOW_PEAK_DB = 50
_WINDOWS_AT_ONCE = 512

Samples = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Measured:
    """What the screen found in one clip; None is what could not be measured.

    Times are seconds, `silent_percent` is the share of 20 ms frames below -50 dBFS, `loudness` is
    LUFS (ITU-R BS.1770), `speech` is what a voice-activity model took for speech.
    """

    seconds: float
    silent_percent: float
    longest_silence: float
    longest_zeros: float
    clipped_runs: int
    bandwidth_hz: int | None
    loudness: float | None
    speech: float | None

    def as_json(self) -> dict[str, float | int | None]:
        """Return the figures by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def measure(
    samples: Samples,
    *,
    loudness: Callable[[Samples], float | None],
    speech: Callable[[Samples], float | None],
) -> Measured:
    """Return what there is to say about 16 kHz mono samples; there must be at least one.

    `loudness` returns LUFS and `speech` seconds, None where they cannot tell.
    """
    silent = _silent_frames(samples)
    loud, spoken = loudness(samples), speech(samples)
    return Measured(
        seconds=round(len(samples) / RATE, 3),
        silent_percent=round(100 * float(silent.mean()), 1),
        longest_silence=round(_longest_run(silent) * _FRAME / RATE, 2),
        longest_zeros=round(_longest_run(samples == 0) / RATE, 2),
        clipped_runs=_clipped_runs(samples),
        bandwidth_hz=_bandwidth(samples),
        loudness=None if loud is None else round(loud, 1),
        speech=None if spoken is None else round(spoken, 2),
    )


def warnings_of(figures: Mapping[str, float | int | None]) -> list[Problem]:
    """Return what a sender should look at, from figures as `Measured.as_json` gives them."""
    limits = (
        ("SCREEN_SILENCE", "silent_percent", MOST_SILENT_PERCENT, 1),
        ("SCREEN_ZEROS", "longest_zeros", LONGEST_ZEROS, 1),
        ("SCREEN_CLIPPED", "clipped_runs", MOST_CLIPPED_RUNS, 1),
        ("SCREEN_BANDWIDTH", "bandwidth_hz", LEAST_BANDWIDTH_HZ, -1),
        ("SCREEN_SPEECH", "speech", LEAST_SPEECH_SECONDS, -1),
    )
    found = []
    for code, name, limit, sign in limits:
        value = figures.get(name)
        if value is not None and sign * value > sign * limit:
            params = {"found": value, "limit": limit}
            found.append(Problem(code, Severity.WARNING, params=params))
    return found


def _silent_frames(samples: Samples) -> NDArray[np.bool_]:
    """Tell of each 20 ms, the last one shorter, whether its power is below -50 dBFS."""
    starts = np.arange(0, len(samples), _FRAME)
    squares = np.square(samples.astype(np.int64))
    sizes = np.diff(np.append(starts, len(samples)))
    limit = _FULL_SCALE**2 * 10 ** (SILENT_FRAME_DBFS / 10)
    return np.asarray(np.add.reduceat(squares, starts) < limit * sizes)


def _runs(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the lengths of the stretches of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return np.asarray(edges[1::2] - edges[::2], np.int64)


def _longest_run(flags: NDArray[np.bool_]) -> int:
    return int(_runs(flags).max(initial=0))


def _clipped_runs(samples: Samples) -> int:
    """Return how often three or more samples in a row stand at one end of the range."""
    ends = (samples == _HIGHEST, samples <= -_HIGHEST)
    return sum(int((_runs(flags) >= CLIPPED_RUN).sum()) for flags in ends)


def _bandwidth(samples: Samples) -> int | None:
    """Return the highest frequency (Hz) whose mean power is within 50 dB of the strongest one's.

    Mean power is Welch's: Hann windows of 64 ms, half of each in the next. None for a clip that is
    shorter than one window, or without any change in it.
    """
    if len(samples) < _WINDOW:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::_HOP]
    shape = np.hanning(_WINDOW)
    power = np.zeros(_WINDOW // 2 + 1)
    for start in range(0, len(windows), _WINDOWS_AT_ONCE):
        some = windows[start : start + _WINDOWS_AT_ONCE].astype(np.float64)
        some -= some.mean(axis=1, keepdims=True)
        power += np.square(np.abs(np.fft.rfft(some * shape))).sum(axis=0)
    strongest = power.max()
    if strongest < 1e-6:  # noqa: PLR2004  all samples of each window are equal
        return None
    highest = int(np.flatnonzero(power >= strongest * 10 ** (-_BELOW_PEAK_DB / 10))[-1])
    return round(highest * RATE / _WINDOW)
