"""The sounds of the headphones check: what they hold, and that only the seed tells the answer."""

from __future__ import annotations

import io

import numpy as np
import pyloudnorm
import pytest
import soundfile

from grading import soundcheck
from grading.soundcheck import ORDERS, order_of, trial_sound
from grading.stimuli import PADDING, RATE


def tones_of(data: bytes):
    """Return the three tones of a trial as arrays of two channels."""
    sound, rate = soundfile.read(io.BytesIO(data))
    assert rate == RATE
    one, step = RATE, RATE + RATE // 2
    return [sound[PADDING + n * step : PADDING + n * step + one] for n in range(3)]


def level(sound) -> float:
    return 20 * np.log10(np.sqrt(np.mean(sound**2)))


CASES = [(quietest, f"seed {n}") for quietest in range(3) for n in range(4)]


@pytest.mark.parametrize(("quietest", "seed"), CASES)
def test_headphones_tell_the_quietest_and_a_room_misleads(quietest, seed):
    tones = tones_of(trial_sound(quietest, seed))
    per_ear = [level(tone[:, 0]) for tone in tones]
    others = [one for place, one in enumerate(per_ear) if place != quietest]
    assert np.ptp(others) < 0.01
    assert abs(others[0] - per_ear[quietest] - 6) < 0.05
    power = [float(np.mean(tone.sum(axis=1) ** 2)) for tone in tones]
    assert int(np.argmin(power)) != quietest
    assert min(power) < 1e-12


def test_trials_are_fixed_by_the_seed_and_even_over_many():
    assert trial_sound(1, "x") == trial_sound(1, "x")
    orders = [order_of(n % 3, f"seed {n}") for n in range(1_200)]
    counts = [orders.count(order) for order in ORDERS]
    assert min(counts) > 150
    assert max(counts) < 250


def test_the_volume_is_set_by_a_sound_as_loud_as_the_stimuli():
    sound, rate = soundfile.read(io.BytesIO(soundcheck.volume_sound()))
    assert sound.ndim == 1
    inner = sound[PADDING:-PADDING]
    assert abs(pyloudnorm.Meter(rate).integrated_loudness(inner) + 23) < 0.1
