"""Clips as raters hear them: one gain, silence around, two chunks, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import io
import json
import wave

import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from grading import preparation, stimuli
from grading.services import child
from grading.stimuli import PADDING, RATE, Levels, prepare

MINUTE = 60 * RATE


def tone(seconds: float, dbfs: float, *, hertz: float = 997.0, phase: float = 0.0):
    """Return a sine whose peak lies at a level."""
    at = np.arange(round(seconds * RATE)) / RATE
    return (32_767 * 10 ** (dbfs / 20) * np.sin(2 * np.pi * hertz * at + phase)).astype(np.int16)


def noise(frames: int, dbfs: float, seed: int = 7):
    drawn = np.random.Generator(np.random.PCG64(seed)).normal(0, 10 ** (dbfs / 20), frames)
    return np.clip(32_768 * drawn, -32_768, 32_767).astype(np.int16)


def heard(data: bytes):
    """Return the samples as an independent reader finds them."""
    samples, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate == RATE
    return samples


def test_a_tone_of_known_loudness_is_brought_to_the_target():
    # BS.1770-4: a sine of 997 Hz at 0 dBFS in one channel has -3.01 LKFS
    for level in (-3.0, -20.0, -38.0):
        found = prepare(tone(3, level)).levels
        assert found.rule == "lufs"
        assert found.loudness == pytest.approx(100 * (level - 3.01), abs=12)
        assert found.gain == -2_300 - found.loudness
        assert found.true_peak == pytest.approx(100 * level, abs=2)


def test_the_gain_stays_within_twenty_decibels():
    assert prepare(tone(2, -60)).levels.gain == 2_000
    assert prepare(noise(2 * RATE, 12)).levels.gain >= -2_000


def click_train():
    """Return quiet noise with a few strong clicks: loudness asks for more than the peak allows."""
    sound = noise(4 * RATE, -52)
    sound[:: RATE // 2] = 16_000
    return sound


def test_the_true_peak_never_passes_one_decibel_below_full_scale():
    for sound in (click_train(), noise(RATE, 0), np.full(RATE, 32_767, np.int16), tone(1, 0)):
        made = prepare(sound)
        apart = resample_poly(heard(made.data).astype(float) / 32_768, 16, 1)
        assert 20 * np.log10(np.abs(apart).max()) <= -0.97
    assert prepare(click_train()).levels.gain < -2_300 - prepare(click_train()).levels.loudness


def test_a_peak_between_the_samples_is_seen():
    # a sine of a quarter of the rate, sampled at 45 degrees, peaks 3.01 dB above its samples
    sound = tone(1, -6, hertz=RATE / 4, phase=np.pi / 4)
    highest = 2_000 * np.log10(np.abs(sound.astype(float)).max() / 32_768)
    assert prepare(sound).levels.true_peak == pytest.approx(highest + 301, abs=15)


@pytest.mark.parametrize("frames", [1, 2, 100, 1_600, 6_399])
def test_a_clip_shorter_than_a_block_is_measured_as_a_whole(frames):
    found = prepare(np.full(frames, 3_000, np.int16) * np.resize([1, -1], frames)).levels
    assert found.rule == "short"
    assert found.loudness is not None


@pytest.mark.parametrize(
    ("sound", "gain"),
    [
        (np.zeros(RATE, np.int16), 0),
        (np.zeros(1, np.int16), 0),
        (np.ones(RATE, np.int16), 0),
        (noise(RATE, -85), 0),
        (np.full(RATE, -32_768, np.int16), None),
    ],
    ids=["zeros", "one zero", "least offset", "faint", "full offset"],
)
def test_what_is_silent_is_not_made_louder(sound, gain):
    made = prepare(sound)
    if gain is not None:
        assert made.levels.rule == "silent"
        assert made.levels.loudness is None
        assert (heard(made.data)[PADDING:-PADDING] == sound).all()
    assert made.levels.gain <= 0


def test_no_sample_at_all_is_refused():
    with pytest.raises(ValueError, match="sample"):
        prepare(np.zeros(0, np.int16))


def test_a_file_has_two_chunks_and_a_fifth_of_a_second_of_silence_at_both_ends():
    sound = noise(RATE, -30)
    made = prepare(sound)
    with wave.open(io.BytesIO(made.data)) as file:
        assert file.getparams()[:4] == (1, 2, RATE, RATE + 2 * PADDING)
    assert made.frames == RATE + 2 * PADDING
    assert len(made.data) == 44 + 2 * made.frames
    assert made.data[12:16] == b"fmt "
    assert made.data[36:40] == b"data"
    inner = heard(made.data)
    assert not inner[:PADDING].any()
    assert not inner[-PADDING:].any()
    factor = 10 ** (made.levels.gain / 2_000)
    assert np.abs(inner[PADDING:-PADDING] - sound * factor).max() <= 0.5 + 1e-3


def test_the_same_clip_gives_the_same_bytes():
    # kept from one machine; any other, with any versions of the libraries, must come to the same
    raw = np.random.PCG64(3).random_raw(RATE)
    made = prepare((raw >> np.uint64(52)).astype(np.int16) - np.int16(2_048))
    assert made.levels == Levels(-2619, -1972, 319, "lufs")
    assert made.sha256 == "afe8cf9c06ecfb3aa32524653f6321f9f1970947e09af91b7cc77326f20a7747"
    assert hashlib.sha256(made.data).hexdigest() == made.sha256


def test_a_gain_that_would_clip_is_an_error_and_never_wraps():
    with pytest.raises(OverflowError):
        stimuli.amplify(np.array([32_767], np.int16), 1)
    assert stimuli.amplify(np.array([-32_768, 1], np.int16), 0).tolist() == [-32_768, 1]


def test_the_outline_follows_the_clip():
    sound = np.concatenate([np.zeros(RATE), noise(RATE, -20), np.zeros(RATE)]).astype(np.int16)
    heights = stimuli.outline(sound)
    assert len(heights) == stimuli.BARS
    assert max(heights) == 100
    assert set(heights[:39]) == {0}
    assert min(heights[41:79]) > 10
    assert stimuli.outline(np.zeros(5, np.int16)) == (0,) * stimuli.BARS


def test_two_minutes_are_prepared_in_bounded_memory_and_time():
    made = prepare(noise(2 * MINUTE, -30))
    assert made.frames == 2 * MINUTE + 2 * PADDING


@pytest.mark.slow
def test_the_child_writes_what_was_made_and_names_what_it_cannot_read(tmp_path):
    clips, sounds = [], [noise(RATE, -30), noise(RATE // 4, -40)]
    for number, content in enumerate([*map(stimuli.wav_of, sounds), b"RIFF....no wave", b""]):
        path = tmp_path / f"{number}.wav"
        path.write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        clips.append({"path": str(path), "sha256": sha256, "out": str(tmp_path / f"{number}.out")})
    clips.append({**clips[0], "sha256": "0" * 64})
    job = {"do": "prepare", "clips": clips}
    bounds = child.Bounds(wall_seconds=60, cpu_seconds=60, memory_bytes=2 << 30)
    made = child.run(job, bounds=bounds)["prepared"]
    for number, sound in enumerate(sounds):
        written = (tmp_path / f"{number}.out").read_bytes()
        assert written == prepare(sound).data
        assert made[number]["sha256"] == hashlib.sha256(written).hexdigest()
        assert made[number]["size"] == len(written)
    unreadable, changed = preparation.UNREADABLE, preparation.CHANGED
    assert [one.get("error") for one in made] == [None, None, unreadable, unreadable, changed]
    assert json.loads(json.dumps(made)) == made
