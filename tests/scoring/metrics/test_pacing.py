from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics.pacing import PacingRefused, pace


@pytest.mark.parametrize(
    ("duration", "last", "end"),
    [(10_000, 4_000, 12_000), (10_050, 4_020, 12_020), (100, 40, 8_040), (30, 12, 8_012)],
)
def test_speech_at_two_and_a_half_times_and_silence_in_real_time(
    duration: int, last: int, end: int
) -> None:
    found = pace(duration)
    assert (found.last_speech, found.end) == (last, end)


def test_chunks_of_a_short_clip() -> None:
    found = pace(250, rate=Fraction(1), silence_ms=150)
    assert found.speech == (100, 200, 250)
    assert found.silence == (350, 400)
    assert pace(250, silence_ms=0).end == pace(250).last_speech


@given(st.integers(1, 4_000), st.integers(1, 300), st.integers(1, 40))
def test_no_sample_leaves_before_it_is_spoken(duration: int, chunk: int, tenths: int) -> None:
    rate = Fraction(tenths, 10)
    found = pace(duration, chunk_ms=chunk, rate=rate, silence_ms=500)
    for k, departure in enumerate(found.speech, 1):
        assert departure * rate == min(k * chunk, duration)
    assert found.end - found.last_speech == 500


@pytest.mark.parametrize(
    "bad", [{"duration_ms": 0}, {"chunk_ms": 0}, {"rate": Fraction(0)}, {"silence_ms": -1}]
)
def test_what_cannot_be_sent(bad: dict[str, object]) -> None:
    with pytest.raises(PacingRefused):
        pace(**({"duration_ms": 100} | bad))  # type: ignore[arg-type]
