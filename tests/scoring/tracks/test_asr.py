"""Track `asr`: the pillar of two error rates, its parts, intervals and differences."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import bootstrap
from grading.scoring.evaluate import evaluate
from grading.scoring.tracks.asr import TRACK
from grading.scoring.tracks.asr_compose import pillar_score
from grading.scoring.tracks.asr_tallies import ErrorTallies
from grading.scoring.types import ParamsInvalid, ReferencesInvalid
from tests.scoring.golden import cases
from tests.scoring.oracles import draws
from tests.scoring.tracks.recognition import lines

PARAMS = TRACK.params({})
RATES = st.fractions(0, 3, max_denominator=40)
TEXTS = [
    ("我要book", "我要"),
    ("食飯", "食飯"),
    ("ok 好", "ok 好好"),
    ("天地人", "天人"),
    ("a", "b"),
]


def corpus(pairs: list[tuple[str, str]]) -> tuple[Any, dict[str, str]]:
    rows = [{"utt_id": f"u{k}", "text": wanted} for k, (wanted, _) in enumerate(pairs)]
    given_texts = {f"u{k}": heard for k, (_, heard) in enumerate(pairs)}
    return TRACK.references(lines(rows), PARAMS), given_texts


def tallies() -> ErrorTallies:
    return TRACK.score(*corpus(TEXTS), PARAMS)


@pytest.mark.parametrize("case", cases("asr_pillar"), ids=lambda case: case["id"])
def test_golden_weighted_error(case: dict[str, Any]) -> None:
    cer, mer = (Fraction(str(case["inputs"][name])) for name in ("cer", "mer"))
    wanted = 100 * (1 - Fraction(str(case["expected"]["weighted_error"])))
    assert pillar_score(cer, mer, PARAMS.weights) == wanted


@pytest.mark.parametrize(
    ("cer", "mer", "score"),
    [("0.10", "0.16", "88.2"), ("1.4", "0.5", "15"), ("0", "0", "100"), ("2", "3", "0")],
)
def test_each_rate_is_held_within_1(cer: str, mer: str, score: str) -> None:
    assert pillar_score(Fraction(cer), Fraction(mer), PARAMS.weights) == Fraction(score)


@given(RATES, RATES)
def test_the_score_is_within_its_range(cer: Fraction, mer: Fraction) -> None:
    assert 0 <= pillar_score(cer, mer, PARAMS.weights) <= 100


def test_both_rates_are_of_the_whole_corpus() -> None:
    found = TRACK.compose(tallies(), PARAMS)
    part = found.languages["yue"]
    assert (part["cer_edits"], part["cer_reference_length"]) == (4 + 0 + 1 + 1 + 1, 15)
    assert (part["mer_edits"], part["mer_reference_length"]) == (1 + 0 + 1 + 1 + 1, 11)
    assert found.components == {"cer": pytest.approx(7 / 15), "mer": pytest.approx(4 / 11)}
    assert found.score == pytest.approx(100 * (0.7 * 8 / 15 + 0.3 * 7 / 11))
    assert sum(TRACK.points(found.languages, PARAMS).values()) == pytest.approx(found.score)
    assert TRACK.points({}, PARAMS) == {}


def test_intervals_equal_a_plain_computation() -> None:
    rows = tallies().rows()
    stream = iter(draws(3, 80 * len(rows)))
    scores = []
    for _ in range(80):
        drawn = [rows[(next(stream) * len(rows)) >> 32] for _ in rows]
        cer, mer = (
            Fraction(
                sum(row[f"{unit}_edits"] for row in drawn),
                sum(row[f"{unit}_reference_length"] for row in drawn),
            )
            for unit in ("cer", "mer")
        )
        scores.append(pillar_score(cer, mer, PARAMS.weights))
    found = TRACK.interval(tallies(), PARAMS, seed=3, replicates=80)
    assert found["final"].low == pytest.approx(float(sorted(scores)[1]), abs=1e-9)
    assert found["yue"] == found["final"]
    values = TRACK.replicates(tallies(), PARAMS, seed=3, replicates=80)
    assert values.tolist() == pytest.approx([float(score) for score in scores])


def test_differences_are_in_points() -> None:
    better = TRACK.score(*corpus([(wanted, wanted) for wanted, _ in TEXTS]), PARAMS)
    (found,) = TRACK.paired(better, [tallies()], PARAMS, seed=1, replicates=200)
    assert found.delta == pytest.approx((TRACK.compose(tallies(), PARAMS).score or 0) - 100)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.delta < found.high <= 0


def test_an_empty_reference_total_withholds_the_score() -> None:
    of, given_texts = corpus([("我", "我")])
    empty = TRACK.score(
        type(of)(of.ids, of.language_of, of.corpus_of, {"u0": "…"}), given_texts, PARAMS
    )
    found = TRACK.compose(empty, PARAMS)
    assert (found.score, found.withheld_reason) == (None, "REFERENCE_WITHOUT_TOKENS")
    assert found.components == {"cer": None, "mer": None}
    assert TRACK.order_key(found, PARAMS) == (1.0,)
    assert TRACK.replicates(empty, PARAMS, seed=1) is None
    nothing = ErrorTallies(())
    assert TRACK.compose(nothing, PARAMS).withheld_reason == "LANGUAGE_WITHOUT_UTTERANCES"
    reason = TRACK.interval(nothing, PARAMS, seed=1)["final"].reason
    assert reason == bootstrap.FEWER_THAN_TWO_CLIPS


def test_such_references_are_refused() -> None:
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(lines([{"utt_id": "a", "text": "…"}]), PARAMS)
    (problem,) = refused.value.report.problems
    assert (problem.code, problem.params["part"]) == ("REFERENCE_WITHOUT_TOKENS", "yue")


def test_the_order_is_by_score_then_cer_then_mer() -> None:
    found = TRACK.compose(tallies(), PARAMS)
    key = TRACK.order_key(found, PARAMS)
    assert key[1] == -round(found.score or 0, 9)
    assert key[2:] == (round(7 / 15, 9), round(4 / 11, 9))


def test_an_evaluation_goes_the_whole_way() -> None:
    of, given_texts = corpus(TEXTS)
    found = evaluate(track=TRACK, params=PARAMS, references=of, given=given_texts).as_json()
    assert found["interval"][0] < found["score"] < found["interval"][1]
    assert found["languages"]["yue"]["normalizer"] == "yue-1"
    pairs = list(TRACK.edit_pairs(of, given_texts, PARAMS, of.ids))
    assert [pair.edits for pair in pairs[:2]] == [4, 1]


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"weights": {"cer": 0.7, "mer": 0.2}}, ["weights"]),
        ({"weights": {"cer": 1}}, ["weights.mer"]),
        ({"language": "YUE", "normalizer": "nvv-1"}, ["language", "normalizer"]),
        ({"tie_breaks": ["wer"], "labels": []}, ["labels", "tie_breaks"]),
        ({"tie_breaks": ["cer", "cer"]}, ["tie_breaks"]),
    ],
)
def test_every_fault_of_the_settings_is_told(raw: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert [fault.path for fault in refused.value.faults] == paths


def test_the_canonical_form_reads_back() -> None:
    for raw in ({}, {"weights": {"cer": 0.25, "mer": 0.75}, "tie_breaks": []}):
        settings = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(settings)) == settings


def test_the_page_computes_its_example() -> None:
    first = TRACK.methodology(PARAMS)[0]
    assert first.formula == "100 · (0.7 · max(0, 1 − CER) + 0.3 · max(0, 1 − MER))"
    assert first.examples == (("CER 0.1, MER 0.16", "88.2"),)
