"""Track `latency`: figures by hand, intervals against slow computations, comparisons, and its declarations."""

from __future__ import annotations

import json
import math
import random
import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.base import ClipsDiffer, Track
from grading.scoring.tracks.latency import TRACK
from grading.scoring.tracks.latency_figures import FIGURES
from grading.scoring.tracks.latency_resampling import (
    MOST_PROBED,
    RUNS_NOT_RESAMPLED,
    TOO_MANY_TO_RESAMPLE,
)
from grading.scoring.tracks.latency_tallies import ClipTally, LatencyTallies
from grading.scoring.types import Limits, ParamsInvalid, ReferencesInvalid
from scripts.check_determinism import golden_measurements
from tests.scoring.formats.test_measurements import HEAD

Row = dict[str, Any]


def lines(rows: list[Row]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def clip(utt_id: str, language: str = "en", audio: float = 5_000) -> Row:
    return {"utt_id": utt_id, "language": language, "leg": "stt", "audio_ms": audio}


def stt(
    utt_id: str, measure: str, value: float | None, mode: str = "streaming", **more: object
) -> Row:
    row = {"utt_id": utt_id, "leg": "stt", "mode": mode, "measure": measure, **more}
    return row if value is None else row | {"value_ms": value}


def tallied(references: list[Row], rows: list[Row], **raw: object) -> tuple[LatencyTallies, Any]:
    params = TRACK.params(raw)
    known = TRACK.references(lines(references), params)
    checked = TRACK.check(
        lines([HEAD, *rows]), ids=known.language_of, params=params, limits=Limits()
    )
    assert checked.report.accepted, checked.report.problems
    return TRACK.score(known, checked.predictions, params), params


def scored(references: list[Row], rows: list[Row], **raw: object) -> Evaluated:
    params = TRACK.params(raw)
    known = TRACK.references(lines(references), params)
    checked = TRACK.check(
        lines([HEAD, *rows]), ids=known.language_of, params=params, limits=Limits()
    )
    return evaluate(track=TRACK, params=params, references=known, given=checked.predictions, seed=7)


def test_the_registry_knows_the_track() -> None:
    track: Track = registry.get("latency")
    assert track.version == "1.0.0"
    score, *_ = track.columns
    assert (score.key, score.lower_is_better, score.unit) == ("score", True, "ms")


def test_columns_follow_the_parameters_and_have_a_value_each() -> None:
    references, rows = [clip("a"), clip("b")], [stt("a", "rtf", 100), stt("b", "rtf", 300)]
    found = scored(references, rows, headline="streaming_rtf", figures=["streaming_rtf"])
    params = TRACK.params({"headline": "streaming_rtf", "figures": ["streaming_rtf"]})
    keys = [column.key for column in TRACK.columns_of(params)]
    assert keys[:3] == ["score", "streaming_rtf", "streaming_rtf_of_sums"]
    assert not any("endpoint" in key or "p50" in key for key in keys)
    assert {*keys} - {"score"} <= found.components.keys()
    every = [column.key for column in TRACK.columns_of(TRACK.params({}))]
    assert len(set(every)) == len(every)
    assert {*every} - {"score"} <= found.components.keys()
    assert TRACK.columns_of(params)[0].unit == ""


def test_a_figure_that_there_is_not_is_null_with_a_reason_and_never_0() -> None:
    found = scored([clip("a")], [stt("a", "ttft", 0)], headline="streaming_ttft")
    assert found.score == 0.0
    for name in FIGURES:
        value, reason = found.components[name], found.components["withheld"].get(name, "")
        assert (value is None) == (reason != ""), name
    assert found.components["withheld"]["llm_ttft"] == "NO_CLIPS_FOR_THE_FIGURE"
    assert found.components["withheld"]["streaming_p50"] == "NOT_MEASURED"
    assert found.components["streaming_counted"] is None


def test_every_reason_has_a_sentence() -> None:
    found = scored([clip("a"), clip("b")], [stt("a", "ttft", 1)])
    told = {*found.components["withheld"].values(), *found.languages["en"]["withheld"].values()}
    assert told | {found.withheld_reason, RUNS_NOT_RESAMPLED} <= TRACK.reasons.keys()
    assert set(TRACK.messages) <= {key for code in TRACK.meanings for key in (code, f"{code}.part")}


def runs_of(values: list[float], mode: str = "streaming") -> list[Row]:
    return [stt(f"c{k}", "finalization", value, mode, run=k) for k, value in enumerate(values)]


RUNS = [1900, 410, 390, 440, 400, 430, 950, 420, 380, 450, 410]


def test_finalization_in_either_mode_and_what_withholds_it() -> None:
    clips = [clip(f"c{k}") for k in range(12)]
    both = [*runs_of(RUNS), *runs_of([0, *range(1, 11)], "batch")]
    found = scored(clips, both, headline="batch_finalization")
    assert (found.score, found.components["streaming_finalization"]) == (5.5, 415.0)
    assert found.interval_reason == RUNS_NOT_RESAMPLED
    few = scored(clips, runs_of(RUNS)[:-1], headline="streaming_finalization")
    assert (few.score, few.withheld_reason) == (None, "RUNS_MISSING")
    without_warm_up = scored(clips, runs_of(RUNS)[1:], headline="streaming_finalization")
    assert without_warm_up.withheld_reason == "RUNS_MISSING"
    more = [*runs_of(RUNS), stt("c11", "finalization", 1, run=11)]
    assert scored(clips, more, headline="streaming_finalization").withheld_reason == "TOO_MANY_RUNS"
    assert "TOO_MANY_RUNS" in TRACK.reasons
    three = scored(clips, runs_of(RUNS[:4]), headline="streaming_finalization", timed_runs=3)
    assert three.score == 410.0


def test_a_clip_shorter_than_the_window_withholds_finalization() -> None:
    clips = [clip(f"c{k}", audio=4_999.999 if k == 3 else 5_000) for k in range(11)]
    found = scored(clips, runs_of(RUNS), headline="streaming_finalization")
    assert (found.score, found.withheld_reason) == (None, "CLIP_TOO_SHORT")
    assert scored(clips, runs_of(RUNS), headline="streaming_finalization", window_ms=4_999).score


def test_a_row_of_another_leg_does_not_count() -> None:
    rows = [{"utt_id": "a", "leg": "llm", "measure": "ttft", "value_ms": 5}]
    found = scored([clip("a")], rows, headline="llm_ttft")
    assert (found.score, found.withheld_reason) == (None, "NO_CLIPS_FOR_THE_FIGURE")


def test_languages_count_alike_and_those_without_clips_are_left_out() -> None:
    references = [clip("a"), clip("b"), clip("t", "ta")]
    references += [{"utt_id": "v", "language": "ta", "leg": "tts"}]
    rows = [stt("a", "ttft", 100), stt("b", "ttft", 300), stt("t", "ttft", 500)]
    rows += [{"utt_id": "v", "leg": "tts", "measure": "ttfa", "value_ms": 80}]
    found = scored(references, rows, headline="streaming_ttft", languages=["en", "ta"])
    assert found.score == 350.0
    assert found.components["tts_ttfa"] == 80.0  # of ta alone: the benchmark has no clips of en
    assert found.languages["en"]["withheld"]["tts_ttfa"] == "NO_CLIPS_FOR_THE_FIGURE"
    assert [found.languages[name]["utterances"] for name in ("en", "ta")] == [2, 2]


def test_provenance_of_each_part_is_told_with_its_name() -> None:
    params = TRACK.params({})
    known = TRACK.references(lines([clip("a")]), params)
    batch = {"provenance": HEAD["provenance"] | {"part": "batch", "model": "big", "date": "2026-11-25",
                                                 "corrects": "2026-10-01"}}  # fmt: skip
    rows = [HEAD, batch, stt("a", "ttft", 1), stt("a", "rtf", 1, "batch")]
    checked = TRACK.check(lines(rows), ids=known.language_of, params=params, limits=Limits())
    found = TRACK.compose(TRACK.score(known, checked.predictions, params), params).components
    assert found["model"] == "all: ears; batch: big"
    assert found["provider"] == "Acme"
    assert (found["measured_on"], found["corrected_on"], found["corrects"]) == (
        "2026-11-25", "2026-11-25", "2026-10-01"
    )  # fmt: skip
    assert [one["part"] for one in found["provenance"]] == ["all", "batch"]


def test_tallies_come_back_and_other_bytes_are_refused() -> None:
    tallies, _ = tallied([clip("a"), clip("ü")], [stt("a", "ttft", 1.5)])
    data = tallies.to_bytes()
    assert LatencyTallies.from_bytes(data) == tallies
    assert tallies.rows()[0] == {
        "utt_id": "a", "language": "en", "leg": "stt", "audio": 5_000_000_000,
        "streaming_ttft": 1_500_000,
    }  # fmt: skip
    for bad in (b"", b"{}", b"[]", data[:-1], data + b" ", data.replace(b"1500000", b"1.5"),
                data.replace(b"1500000", b"-1"), data.replace(b'"stt"', b'"std"'),
                data.replace(b'"Acme"', b"null")):  # fmt: skip
        with pytest.raises(TalliesInvalid):
            LatencyTallies.from_bytes(bad)


def noisy(count: int, shift: float = 0.0, seed: int = 1) -> tuple[list[Row], list[Row]]:
    rng = random.Random(seed)  # noqa: S311 - numbers for a test
    references, rows = [], []
    for k in range(count):
        language, audio = ("en", "ta")[k % 3 == 0], 2_000 + rng.randrange(9_000)
        references.append(clip(f"u{k:05d}", language, audio))
        outcome = rng.choices(["final", "flush", "no_endpoint"], [96, 2, 2])[0]
        rows.append(stt(f"u{k:05d}", "ttft", round(200 + shift + rng.expovariate(1 / 150), 3)))
        rows.append(stt(f"u{k:05d}", "rtf", round(audio * rng.uniform(0.05, 0.4), 3), "batch"))
        late = None if outcome == "no_endpoint" else round(400 + rng.expovariate(1 / 300), 3)
        rows.append(stt(f"u{k:05d}", "endpoint", late, outcome=outcome))
    return references, rows


BOTH = ["en", "ta"]


@pytest.mark.parametrize("headline", ["streaming_ttft", "batch_rtf"])
def test_intervals_of_means_are_those_of_a_plain_bootstrap(headline: str) -> None:
    references, rows = noisy(60)
    tallies, params = tallied(references, rows, headline=headline, languages=BOTH)
    found = TRACK.interval(tallies, params, seed=5, replicates=400)
    values = {
        name: [
            one.batch_rtf / one.audio if headline == "batch_rtf" else one.streaming_ttft / 1e6  # type: ignore[operator]
            for one in tallies.of_language(name)
        ]
        for name in BOTH
    }
    finals = []
    for counts in bootstrap.multiplicities([len(values[n]) for n in BOTH], seed=5, replicates=400):
        parts = [
            c @ np.array(values[n]) / len(values[n]) for n, c in zip(BOTH, counts, strict=True)
        ]
        finals += list(sum(parts) / 2)
    low, high = bootstrap.bounds(np.array(finals))
    assert (found["final"].low, found["final"].high) == pytest.approx((low, high), abs=1e-6)
    assert set(found) == {"final", *BOTH}
    drawn = TRACK.replicates(tallies, params, seed=5, replicates=400)
    assert drawn == pytest.approx(np.array(finals), abs=1e-6)


@pytest.mark.parametrize(("headline", "part"), [("streaming_p50", 50), ("streaming_p90", 90)])
def test_intervals_of_percentiles_are_those_of_a_plain_bootstrap(headline: str, part: int) -> None:
    references, rows = noisy(60)
    tallies, params = tallied(references, rows, headline=headline, languages=BOTH)
    found = TRACK.interval(tallies, params, seed=5, replicates=300)
    strata = [tallies.of_language(name) for name in BOTH]
    finals = []
    for drawn in bootstrap.multiplicities([len(one) for one in strata], seed=5, replicates=300):
        for row in range(len(drawn[0])):
            counted = sorted(
                one.streaming_endpoint
                for clips, counts in zip(strata, drawn, strict=True)
                for one, times in zip(clips, counts[row], strict=True)
                if one.streaming_outcome == "final"
                for _ in range(times)
            )
            finals.append(counted[math.ceil(Fraction(part * len(counted), 100)) - 1] / 1e6)
    low, high = bootstrap.bounds(np.array(finals))
    assert (found["final"].low, found["final"].high) == (low, high)


def test_a_language_model_is_resampled_within_its_subtasks() -> None:
    references = [
        {"utt_id": f"q{k}", "language": "en", "leg": "llm", "subtask": "ab"[k % 2]}
        for k in range(8)
    ]
    rows = [
        {"utt_id": f"q{k}", "leg": "llm", "measure": "ttft", "value_ms": 1_000 * (k % 2) + k}
        for k in range(8)
    ]
    found = scored(references, rows, headline="llm_ttft")
    assert found.score == statistics.mean([3, 1_004])
    assert found.interval is not None
    # The subtasks are 1,000 ms apart; were they drawn, the interval would be hundreds wide.
    assert found.interval[1] - found.interval[0] < 8


def test_systems_are_compared_on_the_same_draws() -> None:
    references, rows = noisy(80)
    leader, params = tallied(references, rows, headline="streaming_ttft", languages=BOTH)
    other, _ = tallied(references, noisy(80, shift=3)[1], headline="streaming_ttft", languages=BOTH)
    missing = replace(
        leader, clips=(leader.clips[0]._replace(streaming_ttft=None), *leader.clips[1:])
    )
    slow, none, same = TRACK.paired(leader, [other, missing, leader], params, seed=3)
    assert slow.delta == pytest.approx(3)
    assert (slow.low, slow.high) == pytest.approx((3, 3), abs=1e-6)
    assert slow.p_value is not None
    assert slow.p_value < 0.001
    assert (none.delta, none.low, none.p_value) == (None, None, None)
    assert (same.delta, same.p_value) == (0.0, 1.0)
    with pytest.raises(ClipsDiffer):
        TRACK.paired(leader, [replace(leader, clips=leader.clips[1:])], params, seed=3)


def test_what_is_not_resampled_has_a_difference_without_an_interval() -> None:
    clips = [clip(f"c{k}") for k in range(11)]
    leader, params = tallied(clips, runs_of(RUNS), headline="streaming_finalization")
    other, _ = tallied(clips, runs_of([0, *range(500, 510)]), headline="streaming_finalization")
    (found,) = TRACK.paired(leader, [other], params, seed=1)
    assert (found.delta, found.low, found.p_value) == (504.5 - 415, None, None)
    assert TRACK.replicates(leader, params, seed=1) is None


def test_order_is_fastest_first_and_withheld_last() -> None:
    _, params = tallied([clip("a")], [stt("a", "ttft", 1)], headline="streaming_ttft")
    keys = []
    for value in (300, 200, None):
        rows = [stt("a", "ttft", value)] if value else [stt("a", "rtf", 1)]
        tallies, _ = tallied([clip("a")], rows, headline="streaming_ttft")
        keys.append(TRACK.order_key(TRACK.compose(tallies, params), params))
    assert sorted(keys) == [keys[1], keys[0], keys[2]]


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"headline": "p95"}, ["headline"]),
        ({"figures": ["llm"]}, ["figures"]),
        ({"figures": "llm_ttft"}, ["figures"]),
        ({"languages": []}, ["languages"]),
        ({"languages": ["English"]}, ["languages"]),
        ({"languages": ["en", "en"]}, ["languages"]),
        ({"languages": "en"}, ["languages"]),
        ({"timed_runs": 0, "window_ms": 1.5}, ["timed_runs", "window_ms"]),
        ({"labels": []}, ["labels"]),
    ],
)
def test_parameters_that_do_not_fit(raw: dict[str, object], paths: list[str]) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert [fault.path for fault in refused.value.faults] == paths


def test_parameters_come_back() -> None:
    for raw in ({}, {"headline": "tts_rtf", "figures": ["llm_ttft"], "languages": ["zh", "en"]}):
        params = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(params)) == params
    assert params.figures == ("llm_ttft", "tts_rtf")
    assert [view.key for view in TRACK.views(params)] == ["en", "zh"]
    assert TRACK.views(TRACK.params({})) == ()


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"utt_id": "a", "language": "en"}, "MISSING_REQUIRED_FIELD"),
        ({"utt_id": "a", "language": "en", "leg": "stt"}, "MISSING_REQUIRED_FIELD"),
        ({"utt_id": "a", "language": "en", "leg": "stt", "audio_ms": 9}, "NUMBER_OUT_OF_RANGE"),
        ({"utt_id": "a", "language": "en", "leg": "llm"}, "MISSING_REQUIRED_FIELD"),
        ({"utt_id": "a", "language": "en", "leg": "llm", "subtask": " "}, "EMPTY_REFERENCE_FIELD"),
        ({"utt_id": "a", "language": "xx", "leg": "tts"}, "INVALID_LANGUAGE"),
        ({"utt_id": "a", "language": "en", "leg": "tss"}, "UNKNOWN_CHOICE"),
    ],
)
def test_references_that_are_none(row: Row, code: str) -> None:
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(lines([row, clip("b")]), TRACK.params({}))
    assert [problem.code for problem in refused.value.report.problems] == [code]


def test_the_sample_is_accepted_and_the_page_is_there() -> None:
    params = TRACK.params({})
    checked = TRACK.check(
        TRACK.sample(["a", "b"], params).encode(), ids={"a": "en", "b": "en"}, params=params,
        limits=Limits(),
    )  # fmt: skip
    assert checked.report.problems == ()
    assert TRACK.sending(params)
    examples = dict(pair for section in TRACK.methodology(params) for pair in section.examples)
    assert "415 ms" in examples.values()
    assert "0.95 s" in examples.values()


def test_a_percentile_of_very_many_clips_has_no_interval() -> None:
    params = TRACK.params({"headline": "streaming_p50"})
    one = ClipTally("", "en", "stt", "", streaming_outcome="final", streaming_endpoint=5)
    clips = tuple(one._replace(utt_id=f"u{k:04d}") for k in range(MOST_PROBED + 1))
    tallies = LatencyTallies(clips, ())
    found = TRACK.interval(tallies, params, seed=1)["final"]
    assert (found.low, found.reason) == (None, TOO_MANY_TO_RESAMPLE)
    assert TRACK.replicates(tallies, params, seed=1) is None
    fewer = LatencyTallies(clips[:50], ())
    assert (
        TRACK.interval(fewer, params, seed=1, replicates=50)["final"].reason == bootstrap.ZERO_WIDTH
    )


def test_measurements_give_the_same_bytes_as_ever() -> None:
    golden = Path(__file__).parents[2] / "golden" / "determinism.json"
    assert golden_measurements() == json.loads(golden.read_text("utf-8"))["measurements"]
