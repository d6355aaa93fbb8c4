"""Sounds by which a rater sets the volume and shows that headphones are on. Pure and deterministic.

A trial has three tones, one of them 6 dB softer and one whose channels are in antiphase. Through
headphones the softer one is plainly the softest; in the air of a room the antiphase one cancels
itself, so that whoever listens by loudspeakers names the wrong one (the method of Woods and
others, "Headphone screening to facilitate web-based auditory experiments", 2017).
"""

from __future__ import annotations

import hashlib
import struct
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from grading.stimuli import PADDING, RATE, prepare

TONE_SECONDS, GAP_SECONDS, RAMP_SECONDS = 1.0, 0.5, 0.1
HERTZ = 200
PEAK = 0.2
SOFTER = 10 ** (-6 / 20)
NOISE_SECONDS = 3
ORDERS = tuple(permutations(("plain", "softer", "antiphase")))

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


def order_of(quietest: int, seed: str) -> tuple[str, ...]:
    """Return which tone stands at which place: the softer one where it is wanted, 0 to 2.

    >>> sorted(order_of(1, "a seed")), order_of(1, "a seed")[1]
    (['antiphase', 'plain', 'softer'], 'softer')
    """
    found = [order for order in ORDERS if order[quietest] == "softer"]
    return found[hashlib.sha256(seed.encode()).digest()[0] % len(found)]


def trial_sound(quietest: int, seed: str) -> bytes:
    """Return a trial as a WAV file of two channels."""
    return _trial(order_of(quietest, seed))


@lru_cache(maxsize=len(ORDERS))
def _trial(order: tuple[str, ...]) -> bytes:
    tone, gap = _tone(), np.zeros(round(GAP_SECONDS * RATE))
    shapes = {"plain": (tone, tone), "softer": (SOFTER * tone, SOFTER * tone)}
    shapes["antiphase"] = (tone, -tone)
    channels = []
    for side in (0, 1):
        parts = [shapes[order[0]][side]]
        for name in order[1:]:
            parts += [gap, shapes[name][side]]
        channels.append(np.pad(np.concatenate(parts), PADDING))
    return _stereo(np.column_stack(channels))


def _tone() -> NDArray[np.float64]:
    at = np.arange(round(TONE_SECONDS * RATE)) / RATE
    edge = np.minimum(at, at[::-1]) / RAMP_SECONDS
    ramp = np.sin(np.pi / 2 * np.clip(edge, 0, 1)) ** 2
    return PEAK * ramp * np.sin(2 * np.pi * HERTZ * at)


def _stereo(sound: NDArray[np.float64]) -> bytes:
    data = np.rint(32_767 * sound).astype("<i2").tobytes()
    head = _HEADER.pack(
        b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 2, RATE, 4 * RATE, 4, 16, b"data", len(data)
    )  # fmt: skip
    return head + data


@lru_cache(maxsize=1)
def volume_sound() -> bytes:
    """Return three seconds of noise about as loud and as colored as speech, as stimuli are prepared."""
    raw = np.random.PCG64(0).random_raw(NOISE_SECONDS * RATE)
    white = (raw >> np.uint64(48)).astype(np.float64) / 2**15 - 1
    kernel = 0.9 ** np.arange(200)
    colored = np.convolve(white, kernel)[: len(white)]
    swell = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * np.arange(len(white)) / RATE)
    scaled = 8_000 * colored * swell / np.abs(colored).max()
    return prepare(np.rint(scaled).astype(np.int16)).data
