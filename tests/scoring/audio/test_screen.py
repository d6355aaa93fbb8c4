"""What the automatic screen measures, on sounds whose figures are known beforehand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grading.scoring.audio.screen import Measured, measure, warnings_of

RATE = 16_000
SECONDS = np.arange(3 * RATE) / RATE


def sine(hertz: float, height: float = 8_000) -> np.ndarray:
    return np.round(height * np.sin(2 * np.pi * hertz * SECONDS)).astype(np.int16)


def noise(height: float = 2_000) -> np.ndarray:
    return np.round(height * np.random.default_rng(5).standard_normal(len(SECONDS))).astype(
        np.int16
    )


def look(samples: np.ndarray, **given: float | None) -> Measured:
    return measure(
        np.asarray(samples, np.int16),
        loudness=lambda _: given.get("loudness"),
        speech=lambda _: given.get("speech"),
    )


def codes(found: Measured) -> list[str]:
    return [problem.code for problem in warnings_of(found.as_json())]


def test_noise_over_the_whole_band_gets_no_remark():
    found = look(noise(), loudness=-20.04, speech=0.4)
    assert codes(found) == []
    assert found.as_json() == {
        "seconds": 3.0,
        "silent_percent": 0.0,
        "longest_silence": 0.0,
        "longest_zeros": 0.0,
        "clipped_runs": 0,
        "bandwidth_hz": 8_000,
        "loudness": -20.0,
        "speech": 0.4,
    }


@pytest.mark.parametrize("hertz", [500, 2_000, 3_000, 7_000])
def test_the_bandwidth_of_a_tone_is_its_frequency(hertz: int):
    assert look(sine(hertz)).bandwidth_hz == pytest.approx(hertz, abs=3 * RATE / 1_024)


def test_a_dull_sound_is_remarked_and_telephone_speech_is_not():
    assert codes(look(sine(1_000) + sine(2_400, 900))) == ["SCREEN_BANDWIDTH"]
    assert codes(look(sine(1_000) + sine(3_300, 900))) == []


@pytest.mark.parametrize(("height", "is_silent"), [(140, True), (144, True), (150, False)])
def test_frames_below_minus_50_dbfs_are_silent(height: int, is_silent: bool):
    level = 20 * math.log10(height / math.sqrt(2) / 32_768)
    assert (level < -50) is is_silent
    assert look(sine(1_000, height)).silent_percent == (100.0 if is_silent else 0.0)


def test_more_than_half_of_silence_is_remarked():
    quiet = noise()
    quiet[: 2 * RATE] = 3
    found = look(quiet)
    assert (found.silent_percent, found.longest_silence) == (66.7, 2.0)
    assert codes(found) == ["SCREEN_SILENCE"]
    quiet[: RATE + RATE // 2] = noise()[: RATE + RATE // 2]
    assert codes(look(quiet)) == []


@pytest.mark.parametrize(("count", "remark"), [(2 * RATE, False), (2 * RATE + 200, True)])
def test_more_than_two_seconds_of_zeros_are_remarked(count: int, remark: bool):
    samples = np.concatenate([noise(), np.zeros(count, np.int16), noise()])
    assert codes(look(samples)) == (["SCREEN_ZEROS"] if remark else [])


@pytest.mark.parametrize(("runs", "remark"), [(20, False), (21, True)])
@pytest.mark.parametrize("level", [32_767, -32_768, -32_767])
def test_more_than_twenty_clipped_runs_are_remarked(runs: int, remark: bool, level: int):
    samples = noise()
    for number in range(runs):
        samples[number * 1_000 : number * 1_000 + 3] = level
    samples[-5:-3] = level  # two in a row are none
    found = look(samples)
    assert found.clipped_runs == runs
    assert codes(found) == (["SCREEN_CLIPPED"] if remark else [])


def test_hardly_any_speech_is_remarked_where_a_model_tells():
    assert codes(look(noise(), speech=0.29)) == ["SCREEN_SPEECH"]
    assert codes(look(noise(), speech=0.3)) == []
    assert codes(look(noise())) == []


@pytest.mark.parametrize("count", [1, 319, 320, 321, 1_023, 1_024, 1_600])
def test_short_clips_are_measured_as_far_as_they_go(count: int):
    found = look(noise()[:count])
    assert (found.bandwidth_hz is None) is (count < 1_024)
    assert found.silent_percent in {0.0, 100.0}


def test_equal_samples_have_no_bandwidth():
    assert look(np.full(RATE, 7)).bandwidth_hz is None
    assert look(np.zeros(RATE)).bandwidth_hz is None


def test_no_figures_are_no_remarks():
    assert warnings_of({}) == []
    assert warnings_of({"state": "failed", "bandwidth_hz": None}) == []
