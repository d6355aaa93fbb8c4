from __future__ import annotations

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.audio.levels import Levels

SAMPLES = st.lists(
    st.one_of(st.integers(-32_768, 32_767), st.sampled_from([-32_768, -32_767, 32_767])),
    min_size=1,
    max_size=60,
)


def levels(data: bytes, step: int) -> Levels:
    found = Levels()
    for at in range(0, len(data), step):
        found.add(memoryview(data)[at : at + step])
    return found


@given(SAMPLES, st.integers(1, 130))
def test_levels_are_those_of_the_samples_however_they_are_cut(
    samples: list[int], step: int
) -> None:
    found = levels(struct.pack(f"<{len(samples)}h", *samples), step)
    assert (found.low, found.high) == (min(samples), max(samples))
    assert found.frames == len(samples)
    assert found.peak == max(abs(value) for value in samples)
    assert found.at_full_scale == sum(abs(value) >= 32_767 for value in samples)
    assert found.jumps == sum(
        max(pair) > 24_576 and min(pair) < -24_576 for pair in pairwise(samples)
    )
    assert found.is_constant == (len(set(samples)) == 1)
    mean = 100 * abs(sum(samples)) / len(samples) / 32_768
    assert found.offset_percent == pytest.approx(mean, abs=6e-4)
    assert found.has_offset == (found.offset_percent > 5)


@given(st.integers(1, 40_000), st.sampled_from([2, 3, 4_096, 65_535]))
def test_a_long_clip_is_averaged_at_even_distances(frames: int, step: int) -> None:
    samples = [(7 * number) % 3_001 for number in range(frames)]
    data = struct.pack(f"<{frames}h", *samples)
    found = Levels(frames)
    for at in range(0, len(data), step):
        found.add(data[at : at + step])
    chosen = samples[:: frames // 4_096 | 1]
    assert len(chosen) <= 8_192
    mean = 100 * sum(chosen) / len(chosen) / 32_768
    assert found.offset_percent == pytest.approx(mean, abs=6e-4)


def test_a_long_piece_is_averaged_without_overflow() -> None:
    found = levels(struct.pack("<h", -32_768) * 300_000, 600_000)
    assert found.offset_percent == 100
    assert found.at_full_scale == 300_000
    assert found.is_clipped


def test_nothing_has_no_levels() -> None:
    found = Levels()
    assert (found.frames, found.peak, found.peak_dbfs, found.is_constant) == (0, 0, None, False)


def test_the_peak_is_told_in_decibels() -> None:
    assert levels(struct.pack("<2h", 0, -32_768), 4).peak_dbfs == 0.0
    assert levels(struct.pack("<2h", 0, 16_384), 4).peak_dbfs == -6.0
