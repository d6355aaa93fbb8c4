"""The ear of the stand-in judge: marks out of levels, pitch and noise of a clip. It understands nothing.

No model and no measure of quality: it lets a server be tried where there is no judge, and whatever
it marks is labelled as a stand-in's. A vocalization is a stretch that is no syllable: noise that
lasts, a voice far from the speaker's pitch, or one that holds still. Whether that is a laugh or a
sigh it tells by these kinds alone.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
HOP_SECONDS = 0.01
_HOP, _WINDOW, _FFT = 160, 512, 1_024
_SHORTEST_LAG, _LONGEST_LAG = 32, 256  # 500 Hz to 62.5 Hz
_PERIODIC = 0.62
_ABOVE_FLOOR_DB, _BELOW_SPEECH_DB = 7.0, 34.0
_HIGH, _LOW = 1.45, 0.66
_LOW_CENTROID_HZ = 520.0
_NOISE_FRAMES, _PITCH_FRAMES, _STILL_FRAMES, _BRIDGED = 14, 7, 30, 7
_CLICK_FRAMES, _LONGEST_CLICK, _ISOLATED_FRAMES = 3, 12, 4
_FULL_SCALE = 32_700
_LOWEST_DB = -100.0

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Kind(StrEnum):
    """What a stretch that is no syllable sounds like."""

    NOISE = "noise"
    CLICK = "click"
    PITCH = "pitch"
    STILL = "still"


@dataclass(frozen=True, slots=True)
class Event:
    """A stretch that is no syllable: frames, level beside the speech in dB, share of speech before it."""

    kind: Kind
    start: int
    end: int
    level: float
    place: float


@dataclass(frozen=True, slots=True)
class Sound:
    """What was measured of a clip.

    `movement` is the standard deviation of the speech's pitch in semitones, `noise` the distance
    from speech to the quietest tenth in dB, `clipped` the share of samples at full scale.
    """

    seconds: float
    events: tuple[Event, ...]
    movement: float
    noise: float
    clipped: float
    has_speech: bool


def measure(wav: bytes) -> Sound:
    """Return what is measured of a clip. Raises ValueError for what is no 16 kHz mono 16-bit WAV."""
    samples = _samples(wav)
    frames = _Frames(samples)
    clipped = float((np.abs(samples.astype(np.int32)) >= _FULL_SCALE).mean())
    pitch = frames.pitch[frames.speech]
    movement = float(np.std(12 * np.log2(pitch))) if pitch.size else 0.0
    return Sound(
        seconds=len(samples) / RATE,
        events=tuple(frames.events()),
        movement=movement,
        noise=frames.loud - frames.floor,
        clipped=clipped,
        has_speech=bool(frames.speech.any()),
    )


def _samples(wav: bytes) -> NDArray[np.int16]:
    try:
        with wave.open(io.BytesIO(wav)) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
                raise ValueError("the clip is not 16 kHz, mono, 16 bit")
            data = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise ValueError(f"the clip is no WAV file: {error}") from error
    if len(data) < 2 * _WINDOW:
        raise ValueError("the clip is shorter than one frame")
    return np.frombuffer(data[: len(data) // 2 * 2], "<i2")


class _Frames:
    """Level (dB), periodicity (0–1), pitch (Hz) and centroid (Hz) of frames of 32 ms every 10 ms."""

    def __init__(self, samples: NDArray[np.int16]) -> None:
        windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::_HOP]
        scaled = windows.astype(np.float64) / 32_768
        scaled -= scaled.mean(axis=1, keepdims=True)
        energy = np.square(scaled).mean(axis=1)
        self.level: Floats = np.maximum(10 * np.log10(energy + 1e-12), _LOWEST_DB)
        power = np.square(np.abs(np.fft.rfft(scaled, _FFT)))
        self.periodicity, self.pitch = _periodicity(power)
        hertz = np.arange(power.shape[1]) * RATE / _FFT
        self.centroid: Floats = (power * hertz).sum(axis=1) / (power.sum(axis=1) + 1e-9)
        self._divide()

    def _divide(self) -> None:
        self.floor = float(np.percentile(self.level, 5))
        loudest = float(np.percentile(self.level, 95))
        threshold = max(self.floor + _ABOVE_FLOOR_DB, loudest - _BELOW_SPEECH_DB)
        self.sounding: Flags = self.level > threshold
        self.voiced: Flags = self.sounding & (self.periodicity > _PERIODIC)
        usual = float(np.median(self.pitch[self.voiced])) if self.voiced.any() else 100.0
        far = (self.pitch > _HIGH * usual) | (self.pitch < _LOW * usual)
        self.flags: dict[Kind, Flags] = {
            Kind.NOISE: self.sounding & ~self.voiced,
            Kind.PITCH: self.voiced & far,
            Kind.STILL: self.voiced & ~far & (self.centroid < _LOW_CENTROID_HZ),
        }
        self.spans = [
            (kind, start, end)
            for kind, least in (
                (Kind.PITCH, _PITCH_FRAMES), (Kind.STILL, _STILL_FRAMES), (Kind.NOISE, _NOISE_FRAMES),
            )
            for start, end in _runs(self.flags[kind])
            if end - start >= least
        ] + self._clicks()  # fmt: skip
        self.speech: Flags = self.voiced & ~far
        for _, start, end in self.spans:
            self.speech[start:end] = False
        self.loud = float(np.median(self.level[self.speech])) if self.speech.any() else loudest

    def _clicks(self) -> list[tuple[Kind, int, int]]:
        """Return short sounds with silence on both sides."""
        found = []
        for start, end in _runs(self.sounding):
            before = self.sounding[max(start - _ISOLATED_FRAMES, 0) : start]
            after = self.sounding[end : end + _ISOLATED_FRAMES]
            short = _CLICK_FRAMES <= end - start < _LONGEST_CLICK
            noisy = bool(self.flags[Kind.NOISE][start:end].mean() > 1 / 2)
            if short and noisy and not before.any() and not after.any():
                found.append((Kind.CLICK, start, end))
        return found

    def events(self) -> list[Event]:
        """Return the stretches that are no syllables, by time; near ones of a kind are one."""
        before = np.cumsum(self.speech) / max(int(self.speech.sum()), 1)
        return [
            Event(
                kind,
                start,
                end,
                float(self.level[start:end].max()) - self.loud,
                float(before[start]),
            )
            for kind, start, end in _bridged(sorted(self.spans, key=lambda span: span[1:]))
        ]


def _periodicity(power: Floats) -> tuple[Floats, Floats]:
    """Return the height of the highest peak of the autocorrelation, 0 to 1, and its pitch in Hz."""
    correlation = np.fft.irfft(power)[:, : _LONGEST_LAG + 1]
    overlap = 1 - np.arange(_LONGEST_LAG + 1) / _WINDOW
    normal = correlation / (correlation[:, :1] + 1e-9) / overlap
    searched = normal[:, _SHORTEST_LAG:]
    # the shortest lag that comes near the best one: multiples of the period are as high
    near = searched >= 0.92 * searched.max(axis=1, keepdims=True)
    peaks = near & _is_peak(searched)
    lags = np.where(peaks.any(axis=1), peaks.argmax(axis=1), searched.argmax(axis=1))
    return searched.max(axis=1), RATE / (lags + _SHORTEST_LAG)


def _is_peak(values: Floats) -> Flags:
    padded = np.pad(values, ((0, 0), (1, 1)), constant_values=-np.inf)
    return (values >= padded[:, :-2]) & (values >= padded[:, 2:])


def _runs(flags: Flags) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _bridged(spans: Sequence[tuple[Kind, int, int]]) -> list[tuple[Kind, int, int]]:
    joined: list[tuple[Kind, int, int]] = []
    for kind, start, end in spans:
        if joined and joined[-1][0] is kind and start - joined[-1][2] <= _BRIDGED:
            joined[-1] = (kind, joined[-1][1], max(end, joined[-1][2]))
        else:
            joined.append((kind, start, end))
    return joined
