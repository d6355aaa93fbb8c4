"""A small formant synthesizer: phones to samples. Only the demo and the tests use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from grading.demo.synthesis_tables import (
    FORMANT,
    FRAME,
    RATE,
    WAVE_LENGTH,
    Samples,
    colored_noise,
    smooth,
    spread,
    wave_index,
    waves,
    white_noise,
)

FULL = 256
_GLIDE_FRAMES, _FADE_FRAMES, _PITCH_FRAMES = 9, 3, 5
_LOWEST_PITCH = 200  # tenths of Hz
# How loud the second and third formant are beside the first, in 256ths; their signs alternate as
# those of a parallel synthesizer do.
_SECOND, _THIRD = -140, 60


@dataclass(frozen=True, slots=True)
class Phone:
    """A stretch of sound: length in frames of 5 ms, three formants in Hz, loudness of 0 to 256.

    `voice` are pulses, `noise` is noise around `color` Hz. `pitch` is where the voice's pitch
    begins and ends, in percent of the speaker's own.
    """

    frames: int
    formants: tuple[int, int, int] = (500, 1500, 2500)
    voice: int = 0
    noise: int = 0
    color: int = 1500
    pitch: tuple[int, int] = (100, 100)


def silence(frames: int) -> Phone:
    """Return a pause."""
    return Phone(frames)


def render(phones: Sequence[Phone], *, pitch: int, stretch: int, seed: int) -> Samples:
    """Return the phones as samples at 16 kHz, FRAME of them for a frame, about ± UNIT.

    `pitch` is the speaker's in tenths of Hz, `stretch` scales the formants in percent, `seed`
    fixes the noise.
    """
    if not phones:
        return np.zeros(0, dtype=np.int64)
    count = sum(phone.frames for phone in phones) * FRAME
    sound = _voiced(phones, count, pitch, stretch)
    return sound + _noise(phones, count, seed)


def _track(phones: Sequence[Phone], values: Sequence[int], width: int) -> Samples:
    lengths = [phone.frames for phone in phones]
    return smooth(np.repeat(np.array(values, dtype=np.int64), lengths), width)


def _pitch_track(phones: Sequence[Phone], pitch: int) -> Samples:
    lines = [
        phone.pitch[0] + (phone.pitch[1] - phone.pitch[0]) * np.arange(phone.frames) // phone.frames
        for phone in phones
    ]
    percent = np.concatenate(lines).astype(np.int64)
    return np.maximum(smooth(percent * pitch // 100, _PITCH_FRAMES), _LOWEST_PITCH)


def _pulses(track: Samples, count: int) -> Samples:
    """Return the samples at which the voice's pulses begin."""
    periods = (RATE * 10 * 16 // track).tolist()  # in 16ths of a sample
    found: list[int] = []
    at, end = 0, count * 16
    while at < end:
        found.append(at >> 4)
        at += periods[(at >> 4) // FRAME]
    return np.array(found, dtype=np.int64)


def _voiced(phones: Sequence[Phone], count: int, pitch: int, stretch: int) -> Samples:
    sound = np.zeros(count + WAVE_LENGTH, dtype=np.int64)
    if not any(phone.voice for phone in phones):
        return sound[:count]
    pulses = _pulses(_pitch_track(phones, pitch), count)
    loudness = _track(phones, [phone.voice for phone in phones], _FADE_FRAMES)[pulses // FRAME]
    pulses, loudness = pulses[loudness > 0], loudness[loudness > 0]
    shapes = _shapes(phones, pulses // FRAME, stretch) * loudness[:, None] // FULL
    for start, shape in zip(pulses.tolist(), shapes, strict=True):
        sound[start : start + WAVE_LENGTH] += shape
    return sound[:count]


def _shapes(phones: Sequence[Phone], frames: Samples, stretch: int) -> Samples:
    """Return what each pulse sounds like, shape (pulses, WAVE_LENGTH)."""
    parts = [
        waves(FORMANT)[wave_index(_formant(phones, number, frames) * stretch // 100)]
        for number in range(3)
    ]
    return (parts[0] * FULL + parts[1] * _SECOND + parts[2] * _THIRD) // FULL


def _formant(phones: Sequence[Phone], number: int, frames: Samples) -> Samples:
    track = _track(phones, [phone.formants[number] for phone in phones], _GLIDE_FRAMES)
    return track[frames]


def _noise(phones: Sequence[Phone], count: int, seed: int) -> Samples:
    loudness = spread(_track(phones, [phone.noise for phone in phones], _FADE_FRAMES))
    sound = np.zeros(count, dtype=np.int64)
    for first, last, color in _colors(phones):
        # the fades reach a frame or two into the neighbors
        start, end = max(first - _FADE_FRAMES * FRAME, 0), min(last + _FADE_FRAMES * FRAME, count)
        part = colored_noise(white_noise(seed + start, end - start), color)
        sound[start:end] += part * loudness[start:end] // FULL
    return sound


def _colors(phones: Sequence[Phone]) -> list[tuple[int, int, int]]:
    """Return where noise of one color is: first sample, last sample + 1, color in Hz."""
    edges = np.cumsum([0, *(phone.frames * FRAME for phone in phones)]).tolist()
    spans = zip(phones, pairwise(edges), strict=True)
    noisy = groupby(spans, key=lambda span: span[0].color if span[0].noise else 0)
    found = [(color, [edge for _, edge in group]) for color, group in noisy]
    return [(edges[0][0], edges[-1][1], color) for color, edges in found if color]
