from __future__ import annotations

from fractions import Fraction

import pytest

from grading.scoring.metrics.latency import (
    NONE_COUNTED,
    TOO_FEW_COUNTED,
    Endpoint,
    Event,
    MeasurementRefused,
    Outcome,
    finalization,
    find_endpoint,
    first_token,
    mean_of_groups,
    mean_over,
    pipeline,
    real_time_factor,
    summarize_endpoints,
)
from grading.scoring.metrics.percentiles import percentile

RUNS = [410, 390, 440, 400, 430, 950, 420, 380, 450, 410]


def test_the_median_of_ten_after_one_that_is_not_timed() -> None:
    assert finalization([5_000, *RUNS]) == 415
    assert finalization([0, *RUNS]) == 415
    assert percentile(RUNS, "0.5") == 410


def test_ten_runs_are_one_too_few_and_twelve_one_too_many() -> None:
    assert finalization(RUNS) is None
    assert finalization([]) is None
    with pytest.raises(MeasurementRefused):
        finalization([1, 1, *RUNS])
    with pytest.raises(MeasurementRefused):
        finalization([5_000, -1, *RUNS[1:]])


def test_a_real_time_factor_is_a_mean_of_ratios() -> None:
    found = real_time_factor([(1, 2), (1, 8)])
    assert found is not None
    assert (found.mean, found.of_sums) == (Fraction(5, 16), Fraction(1, 5))
    assert real_time_factor([]) is None
    zero = real_time_factor([(0, 5)])
    assert zero is not None
    assert zero.mean == 0


def test_a_hundred_thousand_ratios_stay_quick_and_true_to_17_decimals() -> None:
    clips = [(1_000_003 + 7 * k, 9_000_011 + 13 * k) for k in range(20_000)]
    found = real_time_factor(clips)
    assert found is not None
    assert float(found.mean) == pytest.approx(sum(a / b for a, b in clips) / len(clips), abs=1e-15)
    few = real_time_factor([(1, 3), (2, 7)])
    assert few is not None
    assert abs(few.mean - Fraction(13, 42)) < Fraction(1, 10**17)


@pytest.mark.parametrize("bad", [(1, 0), (-1, 1), (1, -1)])
def test_audio_without_length_has_no_factor(bad: tuple[int, int]) -> None:
    with pytest.raises(MeasurementRefused):
        real_time_factor([bad])


def test_languages_count_alike_and_none_may_be_missing() -> None:
    assert mean_over([Fraction(1), Fraction(2)]) == Fraction(3, 2)
    assert mean_over([Fraction(1), None]) is None
    assert mean_over([]) is None


def test_the_first_text_that_is_not_blank_counts() -> None:
    events = [Event(150, "", is_final=False), Event(180, "  ", is_final=False)]
    assert first_token(100, events) is None
    assert first_token(100, [*events, Event(400, "hi", is_final=True)]) == 300
    assert first_token(100, [Event(400, "hi", True), Event(220, "h", False)]) == 120


def test_the_last_final_with_text_after_the_last_speech_counts() -> None:
    events = [
        Event(3_900, "early", is_final=True),
        Event(4_500, "one", is_final=True),
        Event(4_800, "two", is_final=True),
        Event(5_000, " ", is_final=True),
        Event(5_100, "partial", is_final=False),
    ]
    times = {"last_chunk": 4_000, "speech_end": 3_950, "closed": 12_000}
    assert find_endpoint(events, **times) == Endpoint(Outcome.FINAL, 850)
    assert find_endpoint(events[:1], **times) == Endpoint(Outcome.NONE)
    assert find_endpoint([], **times) == Endpoint(Outcome.NONE)
    flushed = [*events[:1], Event(12_050, "late", is_final=True)]
    assert find_endpoint(flushed, **times) == Endpoint(Outcome.FLUSH, 8_100)
    at_close = [Event(12_000, "just", is_final=True)]
    assert find_endpoint(at_close, **times) == Endpoint(Outcome.FINAL, 8_050)
    both = [*events, Event(12_050, "late", is_final=True)]
    assert find_endpoint(both, **times) == Endpoint(Outcome.FINAL, 850)
    at_chunk = [Event(4_000, "with it", is_final=True)]
    assert find_endpoint(at_chunk, **times) == Endpoint(Outcome.NONE)


def finals(*latencies: int) -> list[Endpoint]:
    return [Endpoint(Outcome.FINAL, one) for one in latencies]


def test_percentiles_of_endpoints_with_how_many_counted() -> None:
    found = summarize_endpoints([*finals(*range(100, 1000, 100)), Endpoint(Outcome.FLUSH, 9_000)])
    assert (found.p50, found.p90) == (500, 900)
    assert (found.counted, found.flushed, found.total) == (9, 1, 10)
    assert (found.p50_reason, found.p90_reason) == ("", "")


def test_the_90th_is_withheld_below_90_percent_counted() -> None:
    found = summarize_endpoints([*finals(*range(8)), Endpoint(Outcome.NONE)])
    assert (found.p50, found.p90, found.p90_reason) == (3, None, TOO_FEW_COUNTED)
    whole = summarize_endpoints([*finals(*range(90)), *[Endpoint(Outcome.NONE)] * 10])
    assert whole.p90 == 80
    short = summarize_endpoints([*finals(*range(899)), *[Endpoint(Outcome.FLUSH, 1)] * 101])
    assert short.p90 is None


@pytest.mark.parametrize("endpoints", [[], [Endpoint(Outcome.FLUSH, 5)], [Endpoint(Outcome.NONE)]])
def test_without_a_counted_endpoint_there_is_no_percentile(endpoints: list[Endpoint]) -> None:
    found = summarize_endpoints(endpoints)
    assert (found.p50, found.p90, found.counted) == (None, None, 0)
    assert found.p50_reason == found.p90_reason == NONE_COUNTED


def test_subtasks_count_alike() -> None:
    assert mean_of_groups({"a": [100, 300], "b": [500]}) == 350
    assert mean_of_groups({"a": [100], "b": []}) is None
    assert mean_of_groups({}) is None


def test_the_sum_of_a_pipeline_and_its_missing_legs() -> None:
    legs = [Fraction("0.42"), Fraction("0.35"), Fraction("0.18")]
    assert pipeline(*legs) == Fraction("0.95")
    for missing in range(3):
        given = [None if k == missing else leg for k, leg in enumerate(legs)]
        assert pipeline(*given) is None
    assert pipeline() is None
    assert pipeline(0, 0, 0) == 0
