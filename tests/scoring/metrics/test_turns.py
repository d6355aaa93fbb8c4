from __future__ import annotations

import math
from fractions import Fraction

import pytest

from grading.scoring.metrics.turns import (
    MILLISECOND,
    Answer,
    Interruption,
    Turn,
    TurnRefused,
    Yields,
    answer,
    conversation_score,
    count_yields,
    deadline_ms,
    has_yielded,
    is_in_time,
    latency_score,
    opinion_points,
    played_until,
    pooled_latency,
    pooled_score,
    reply_start,
    stop_time,
)
from tests.scoring.metrics.test_percentiles import TWENTY


def ns(ms: float | str) -> int:
    exact = Fraction(str(ms)) * MILLISECOND
    assert exact.denominator == 1
    return int(exact)


@pytest.mark.parametrize(
    ("ms", "score"),
    [(0, 100), (300, 100), (301, 99.941176), (640, 80), (1150, 50), (2000, 0), (2500, 0),
     (910, 64.117647), ("300.000001", 99.99999994), ("1999.999999", 5.88e-8)],
)  # fmt: skip
def test_the_score_of_a_latency(ms: object, score: float) -> None:
    assert float(latency_score(ns(ms))) == pytest.approx(score, abs=5e-7)  # type: ignore[arg-type]


def test_one_nanosecond_over_300_ms_costs_something() -> None:
    assert latency_score(ns(300)) == 100
    assert 100 - latency_score(ns(300) + 1) == Fraction(100, 1_700_000_000)
    assert latency_score(math.inf) == 0


@pytest.mark.parametrize("bad", [-1, math.nan, -math.inf])
def test_latencies_that_cannot_be(bad: float) -> None:
    with pytest.raises(TurnRefused):
        latency_score(bad)


def test_the_score_of_the_95th_percentile_not_the_mean_of_scores() -> None:
    turns = [Turn(ns(ms)) for ms in TWENTY]
    assert pooled_latency(turns) == ns(910)
    score = pooled_score(turns)
    assert score is not None
    assert float(score) == pytest.approx(64.117647, abs=5e-7)
    mean = sum(latency_score(ns(ms)) for ms in TWENTY) / 20
    assert float(mean) == pytest.approx(89.882353, abs=5e-7)


@pytest.mark.parametrize(("answered", "latency", "score"), [(11, math.inf, 0), (20, 200, 100)])
def test_unanswered_turns_are_endlessly_late(answered: int, latency: float, score: int) -> None:
    turns = [*(Turn(ns(200)) for _ in range(answered)), Turn(None)]
    found = pooled_latency(turns)
    assert found == (latency if latency == math.inf else ns(latency))
    assert pooled_score(turns) == score


def test_a_turn_that_does_not_count_is_in_no_rank() -> None:
    assert pooled_score([Turn(ns(200)), Turn(None, is_scored=False)]) == 100
    assert pooled_score([Turn(None, is_scored=False)]) is None
    assert pooled_score([]) is None


def test_after_the_timeout_there_is_no_answer() -> None:
    assert pooled_latency([Turn(ns(10_000))]) == ns(10_000)
    assert pooled_latency([Turn(ns(10_000) + 1)]) == math.inf
    with pytest.raises(TurnRefused):
        pooled_latency([Turn(-1)])


@pytest.mark.parametrize(
    ("starts", "found"),
    [
        ([1_300], Answer(ns(300))),
        ([1_000], Answer(0)),
        ([999], Answer(0, is_overlap=True)),
        ([800], Answer(0, is_overlap=True)),
        ([799], Answer(None, is_premature=True)),
        ([1_500, 700], Answer(ns(500), is_premature=True)),
        ([100, 900], Answer(0, is_overlap=True, is_premature=True)),
        ([], Answer(None)),
        ([1_200, 1_100], Answer(ns(100))),
    ],
)
def test_early_answers(starts: list[int], found: Answer) -> None:
    assert answer(ns(1_000), map(ns, starts)) == found


@pytest.mark.parametrize(
    ("announced", "sound", "start"),
    [(100, 600, 100), (100, 601, 601), (None, 50, 50), (100, None, None), (100, 40, 40)],
)
def test_a_reply_begins_with_sound(
    announced: int | None, sound: int | None, start: int | None
) -> None:
    def given(ms: int | None) -> int | None:
        return None if ms is None else ns(ms)

    assert reply_start(given(announced), given(sound)) == given(start)


@pytest.mark.parametrize(
    ("ms", "yields"), [(0, True), (180, True), (500, True), ("500.1", False), (900, False)]
)
def test_yielding_within_half_a_second_inclusive(ms: object, yields: bool) -> None:
    began = ns(7_000)
    assert has_yielded(Interruption(began, began + ns(ms))) is yields  # type: ignore[arg-type]


def test_a_reply_that_was_over_tests_nothing() -> None:
    over, never, good = Interruption(100, 99), Interruption(100, None), Interruption(100, 100)
    assert [has_yielded(one) for one in (over, never, good)] == [None, False, True]
    found = count_yields([over, never, good])
    assert (found, found.rate) == (Yields(1, 2), Fraction(1, 2))
    assert count_yields([over]).rate is None
    assert count_yields([]).rate is None


def test_when_a_reply_has_stopped() -> None:
    frames = [(0, 20), (20, 20), (21, 20), (22, 20)]
    assert played_until(frames) == 80
    assert played_until([(0, 20), (100, 20)]) == 120
    assert played_until([]) is None
    assert stop_time(50, frames) == 50
    assert stop_time(21, frames) == 22
    assert stop_time(22, frames) == 22
    assert stop_time(None, frames) == 80
    assert stop_time(None, []) is None
    assert stop_time(5, []) == 5


@pytest.mark.parametrize(
    ("duration", "deadline"),
    [(60_000, 30_000), (10_000, 5_000), (4_000, 2_000), (1_500, 2_000), (90_000, 45_000),
     (12_345, 6_173), (0, 2_000), (4_001, 2_001), (4_002, 2_001), (12_347, 6_174),
     (Fraction("4000.99"), 2_000), (Fraction("4001.01"), 2_001)],
)  # fmt: skip
def test_the_law_of_deadlines(duration: Fraction | int, deadline: int) -> None:
    assert deadline_ms(duration) == deadline


def test_a_deadline_is_met_at_its_last_nanosecond() -> None:
    assert is_in_time(ns(6_173), 12_345)
    assert not is_in_time(ns(6_173) + 1, 12_345)
    with pytest.raises(TurnRefused):
        deadline_ms(-1)


def test_the_whole_of_a_conversation() -> None:
    latency = latency_score(ns(910))
    total = conversation_score(latency, opinion_points(Fraction(4)))
    other = conversation_score(latency, opinion_points(Fraction(4), lowest=0))
    assert total is not None
    assert other is not None
    assert float(total) == pytest.approx(70.647059, abs=5e-7)
    assert float(other) == pytest.approx(73.647059, abs=5e-7)
    assert conversation_score(latency, None) is None
    assert conversation_score(None, Fraction(75)) is None
    with pytest.raises(TurnRefused):
        opinion_points(Fraction(1, 2))
