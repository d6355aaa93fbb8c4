"""Track 2 through its whole object: from marks to tallies, score, interval, order and page."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import bootstrap, registry
from grading.scoring.evaluate import evaluate
from grading.scoring.methodology import Phrase
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.base import ClipsDiffer, Track
from grading.scoring.tracks.nvv_references import NvvReferences
from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.tracks.nvv_t2_compose import judge_score, replicate_scores
from grading.scoring.tracks.nvv_t2_marks import Marks, MarksInvalid
from grading.scoring.tracks.nvv_t2_tallies import ClipTally, SpeechTallies
from tests.scoring.golden import nvv

TEXTS = Path(__file__).parents[3] / "examples/nvv-demo/references/generation.jsonl"
JUDGE = {"model": "m", "base_url": "https://judge.example/v1", "label": "Judge M", "replicates": 1}
PARAMS = TRACK.params({"judge": JUDGE})
LETTERS = "APNQE"


def texts(*utt_ids: str) -> NvvReferences:
    """Return texts; an id begins with its language."""
    rows = [(utt_id, utt_id[:2], "well [laugh] done") for utt_id in utt_ids]
    return NvvReferences.from_rows(rows, PARAMS.label_set)


def means_as_marks(means: dict[str, Any]) -> list[list[float]]:
    """Return marks of hundredths, one clip each, whose mean is `means` exactly."""
    columns = []
    for name in LETTERS:
        whole = Fraction(str(means[name])) * 80 * 100
        assert whole.denominator == 1
        low, more = divmod(int(whole), 80)
        columns.append([(low + (at < more)) / 100 for at in range(80)])
    return [list(row) for row in zip(*columns, strict=True)]


def scored(marks: dict[str, list[list[object]]], params: Any = PARAMS) -> SpeechTallies:
    return TRACK.score(texts(*marks), marks, params)


def spread(seed: int, clips: int = 12) -> dict[str, list[list[object]]]:
    """Return made-up marks of some clips in each language."""
    stream = np.random.PCG64(seed).random_raw(clips * 2 * 5).tolist()
    given: dict[str, list[list[object]]] = {}
    for at in range(clips * 2):
        row = [int(word % 5) + 1 for word in stream[5 * at : 5 * at + 5]]
        given[f"{('en', 'zh')[at % 2]}{at // 2:02}"] = [row]
    return given


def test_it_is_a_track_of_the_registry_and_needs_marks() -> None:
    track: Track = registry.get("nvv-t2")
    assert (track.needs_marks, track.sends_sounds) == (True, True)
    assert registry.needing_marks() == ("nvv-t2",)
    assert [column.key for column in track.columns] == ["score", *LETTERS]
    assert not any(column.lower_is_better for column in track.columns)


def test_the_golden_baseline_comes_out_of_the_whole_track() -> None:
    zh, en = (means_as_marks(case["means"]) for case in nvv()["track2"][:2])
    (expected,) = nvv()["track2_final"]
    marks = {f"zh{at:02}": [row] for at, row in enumerate(zh)}
    marks |= {f"en{at:02}": [row] for at, row in enumerate(en)}
    found = evaluate(track=TRACK, params=PARAMS, references=texts(*marks), given=marks)
    assert found.score == pytest.approx(expected["final"], abs=1e-9)
    for name in ("en", "zh"):
        assert found.languages[name]["score"] == pytest.approx(expected[name], abs=1e-9)
    assert found.languages["zh"]["means"]["Q"] == pytest.approx(3.02625, abs=1e-12)


@pytest.mark.parametrize("case", nvv()["track2"], ids=lambda case: case["name"])
def test_a_golden_language_score_comes_out_of_the_whole_track(case: dict[str, Any]) -> None:
    rows = means_as_marks(case["means"])
    if case["name"].startswith("half of the samples"):
        rows = [[0 if at % 2 else 5, 3, 3, 3, 3] for at in range(80)]
    marks = {f"{name}{at:02}": [row] for name in ("en", "zh") for at, row in enumerate(rows)}
    found = TRACK.compose(scored(marks), PARAMS)
    assert found.score == pytest.approx(case["score"], abs=1e-9)
    assert found.languages["en"]["score"] == pytest.approx(case["score"], abs=1e-9)


def test_a_judges_replicates_are_capped_each_then_collapsed_then_averaged_over_profiles() -> None:
    params = TRACK.params(
        {
            "judge": {
                **JUDGE,
                "replicates": 3,
                "seeds": [1, 2, 3],
                "profiles": [{"name": "a"}, {"name": "b"}],
            }
        }
    )
    first = [[0, 2, 3, 3, 5], [0, 2, 3, 3, 5], [4, 2, 3, 3, 5]]  # E 3 3 5 -> 3, A 0
    second = [[4, 4, 4, 2, 5], [4, 4, 4, 2, 4], [5, 3, 5, 2, 4]]  # A 4, P 4, N 4, Q 2, E 4
    tallies = scored({"en1": [*first, *second], "zh1": [*first, *second]}, params)
    assert tallies.clips[0].marks == Marks(*map(Fraction, (2, 3, "3.5", "2.5", "3.5")))
    assert tallies.unit == 2
    assert json.loads(tallies.to_bytes())["N"] == [7, 7]


@pytest.mark.parametrize("lacking", [[], [[3, 3, 3, 3, 3]], None])
def test_a_missing_mark_withholds_the_score_and_is_never_filled_in(lacking: Any) -> None:
    params = TRACK.params({"judge": {**JUDGE, "replicates": 2, "seeds": [1, 2]}})
    full = [[3, 3, 3, 3, 3]] * 2
    marks: dict[str, Any] = {"en1": full, "en2": full, "zh1": full, "zh2": lacking}
    if lacking is None:
        references = texts(*marks)
        del marks["zh2"]
    else:
        references = texts(*marks)
    found = evaluate(track=TRACK, params=params, references=references, given=marks)
    assert (found.score, found.withheld_reason) == (None, "MARKS_MISSING")
    assert (found.interval, found.interval_reason) == (None, "MARKS_MISSING")
    assert found.components == {}
    zh = found.languages["zh"]
    assert (zh["score"], zh["A"], zh["missing"], zh["withheld_reason"]) == (
        None, None, 1, "MARKS_MISSING",
    )  # fmt: skip
    assert found.languages["en"]["score"] == 50.0
    assert found.tallies.missing == ("zh2",)
    assert TRACK.tallies(found.tallies.to_bytes()) == found.tallies


def test_a_language_without_utterances_withholds_the_score() -> None:
    found = evaluate(
        track=TRACK, params=PARAMS, references=texts("en1"), given={"en1": [[3, 3, 3, 3, 3]]}
    )
    assert (found.score, found.withheld_reason) == (None, "LANGUAGE_WITHOUT_UTTERANCES")
    assert found.languages["zh"]["interval_reason"] == "FEWER_THAN_TWO_CLIPS"


@pytest.mark.parametrize(
    "wrong",
    [
        [[3, 3, 3, 3]],
        [[3, 3, 3, 3, 3, 3]],
        [[3, 3, 3, 3, 6]],
        [[-1, 3, 3, 3, 3]],
        [[0, 3, 0, 3, 3]],
        [[float("nan"), 3, 3, 3, 3]],
        [["3", 3, 3, 3, 3]],
        [[True, 3, 3, 3, 3]],
        [[3.123, 3, 3, 3, 3]],
        ["33333"],
        [[3, 3, 3, 3, 3]] * 2,
    ],
)
def test_what_is_no_mark_is_refused(wrong: Any) -> None:
    with pytest.raises(MarksInvalid):
        scored({"en1": wrong, "zh1": [[3, 3, 3, 3, 3]]})


def test_marks_of_other_utterances_change_nothing() -> None:
    marks = spread(1)
    more = {**marks, "en99": [[0, 0, 1, 1, 1]]}
    assert TRACK.score(texts(*marks), more, PARAMS) == scored(marks)


def test_tallies_are_canonical_and_anything_else_is_refused() -> None:
    data = scored(spread(2)).to_bytes()
    assert TRACK.tallies(data).to_bytes() == data
    whole = json.loads(data)
    for change in (
        {"schema": "nvv-t1-tallies/1"},
        {"unit": 0},
        {"unit": 2},
        {"A": [6, *whole["A"][1:]]},
        {"A": [None, *whole["A"][1:]]},
        {"A": [1.0, *whole["A"][1:]]},
        {"A": whole["A"][1:]},
        {"utt_id": 3},
    ):
        with pytest.raises(TalliesInvalid):
            TRACK.tallies(json.dumps({**whole, **change}).encode())
    for junk in (b"", b"[]", b"{", b"null", data + b" "):
        with pytest.raises(TalliesInvalid):
            TRACK.tallies(junk)


def test_the_interval_is_that_of_a_plain_second_computation() -> None:
    marks = spread(3)
    tallies = scored(marks)
    found = TRACK.interval(tallies, PARAMS, seed=77, replicates=500)
    weights = np.array([0.30, 0.25, 0.15, 0.15, 0.15])
    sides = {
        name: np.array([rows[0] for utt_id, rows in sorted(marks.items()) if utt_id[:2] == name])
        for name in ("en", "zh")
    }
    finals = []
    for en, zh in _counts([len(side) for side in sides.values()], 77, 500):
        scores = []
        for times, side in zip((en, zh), sides.values(), strict=True):
            means = (times[:, None] * side).sum(axis=0) / len(side)
            scores.append(100 * (weights * np.clip((means - 1) / 4, 0, 1)).sum())
        finals.append(sum(scores) / 2)
    ordered = sorted(finals)
    assert found["final"].low == pytest.approx(ordered[12], abs=1e-9)
    assert found["final"].high == pytest.approx(ordered[487], abs=1e-9)
    assert set(found) == {"en", "zh", "final"}
    assert found == TRACK.interval(tallies, PARAMS, seed=77, replicates=500)
    assert found != TRACK.interval(tallies, PARAMS, seed=78, replicates=500)


def _counts(sizes: list[int], seed: int, replicates: int) -> Any:
    for chunk in bootstrap.multiplicities(sizes, seed=seed, replicates=replicates):
        yield from zip(*chunk, strict=True)


def test_the_same_marks_everywhere_have_no_interval_and_say_why() -> None:
    marks = {utt_id: [[4, 4, 4, 4, 4]] for utt_id in ("en1", "en2", "zh1", "zh2")}
    found = TRACK.interval(scored(marks), PARAMS, seed=1, replicates=200)
    assert found["en"].reason == "ZERO_WIDTH"
    assert found["final"].reason == "LANGUAGE_WITHOUT_INTERVAL"
    single = {utt_id: [[4, 4, 4, 4, 4]] for utt_id in ("en1", "zh1")}
    found = TRACK.interval(scored(single), PARAMS, seed=1, replicates=200)
    assert found["en"].reason == "FEWER_THAN_TWO_CLIPS"


def test_a_replicate_of_every_clip_once_is_the_score() -> None:
    tallies = scored(spread(4))
    score = judge_score(tallies, PARAMS)
    for name in ("en", "zh"):
        clips = tallies.of_language(name)
        sums = np.array([[sum(clip.marks[at] for clip in clips if clip.marks)] for at in range(5)])
        found = replicate_scores(sums.astype(np.int64), len(clips), 1, PARAMS)
        assert found[0] == pytest.approx(float(score.languages[name]), abs=1e-12)


def test_paired_differences_are_other_minus_leader_on_the_same_draws() -> None:
    one, other = scored(spread(5)), scored(spread(6))
    (same, found) = TRACK.paired(one, [one, other], PARAMS, seed=9, replicates=400)
    assert (same.delta, same.low, same.high) == (0.0, 0.0, 0.0)
    scores = [TRACK.compose(part, PARAMS).score or 0 for part in (one, other)]
    assert found.delta == pytest.approx(scores[1] - scores[0], abs=1e-9)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.delta < found.high
    assert found.p_value is not None
    with pytest.raises(ClipsDiffer):
        TRACK.paired(one, [SpeechTallies(one.clips[1:])], PARAMS, seed=9, replicates=400)


def test_a_system_with_missing_marks_is_compared_with_nobody() -> None:
    one = scored(spread(7))
    clip = one.clips[0]
    other = SpeechTallies((ClipTally(clip.utt_id, clip.language, None), *one.clips[1:]))
    ((found,), (turned,)) = (
        TRACK.paired(first, [second], PARAMS, seed=9, replicates=100)
        for first, second in ((one, other), (other, one))
    )
    assert found.delta is turned.delta is found.p_value is turned.p_value is None


def test_different_units_are_brought_together() -> None:
    whole, halves = spread(8, clips=3), spread(9, clips=3)
    halves = {utt_id: [[mark - 0.5 if mark > 1 else mark for mark in rows[0]]] for utt_id, rows in halves.items()}  # type: ignore[operator]  # fmt: skip
    one, other = scored(whole), scored(halves)
    assert (one.unit, other.unit) == (1, 2)
    ((direct,), (turned,)) = (
        TRACK.paired(first, [second], PARAMS, seed=4, replicates=300)
        for first, second in ((one, other), (other, one))
    )
    assert direct.low == pytest.approx(-(turned.high or 0), abs=8)
    assert direct.delta == -(turned.delta or 0)


def test_the_order_is_score_then_a_p_n_at_six_decimals() -> None:
    def key(score: float | None, **parts: float) -> tuple[Any, ...]:
        components = {**dict.fromkeys(LETTERS, 0.5), **parts}
        from grading.scoring.tracks.base import Composed

        return TRACK.order_key(Composed(score, "", components, {}), PARAMS)

    assert key(70.0) < key(69.0)
    assert key(70.0000004) == key(70.0)
    assert key(70.000001) < key(70.0)
    assert key(70.0, A=0.6, P=0.1) < key(70.0, A=0.5, P=0.9)
    assert key(70.0, P=0.6) < key(70.0, N=0.9)
    assert key(70.0, Q=0.9, E=0.9) == key(70.0)
    assert key(None) > key(0.0)
    assert key(None) == key(None, A=1.0)


def test_points_of_the_parts_add_up_to_the_score() -> None:
    composed = TRACK.compose(scored(spread(10)), PARAMS)
    points = TRACK.points(composed.languages, PARAMS)
    assert list(points) == list(LETTERS)
    assert sum(points.values()) == pytest.approx(composed.score, abs=1e-9)
    assert TRACK.points({"en": composed.languages["en"]}, PARAMS) == {}


@given(
    st.lists(st.lists(st.integers(1, 5), min_size=5, max_size=5), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_neither_order_nor_names_of_utterances_change_a_digit(rows: Any, random: Any) -> None:
    names = [f"{language}{at}" for language in ("en", "zh") for at in range(len(rows))]
    marks = {name: [rows[at % len(rows)]] for at, name in enumerate(names)}
    shuffled = list(marks)
    random.shuffle(shuffled)
    first = TRACK.compose(scored(marks), PARAMS)
    assert TRACK.compose(scored({name: marks[name] for name in shuffled}), PARAMS) == first
    assert first.languages["en"]["score"] == first.languages["zh"]["score"] == first.score


def test_the_demos_texts_are_references_of_the_track() -> None:
    found = TRACK.references(TEXTS.read_bytes(), PARAMS)
    assert found.counts == {"en": 24, "zh": 24}
    said = " ".join(found.text_of.values())
    assert all(said.count(f"[{label}]") >= 4 for label in PARAMS.labels)


def test_every_word_of_the_page_is_made_by_the_running_code() -> None:
    for params in (
        PARAMS,
        TRACK.params({}),
        TRACK.params({"judge": {**JUDGE, "is_stand_in": True}}),
    ):
        sections = TRACK.methodology(params)
        assert all(isinstance(section.title, Phrase) for section in sections)
        assert all(isinstance(text, Phrase) for section in sections for text in section.paragraphs)
    shown = {str(section.title): section for section in TRACK.methodology(PARAMS)}
    assert shown["Score"].examples[0][1] == "77.61875"
    assert shown["Final ranking"].examples == (("72.94 ; 48.04", "55.51"),)
    assert ("2.5", "0.375") in shown["Means and shares"].examples
    assert "Judge M" in str(shown["Judge"].paragraphs[0])


def test_a_judges_faults_are_told_below_judge() -> None:
    from grading.scoring.types import ParamsInvalid

    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"judge": {"model": "m", "replicates": 0}, "weights": 1})
    paths = [fault.path for fault in refused.value.faults]
    assert paths[0] == "weights"
    assert {"judge.base_url", "judge.label", "judge.replicates"} <= set(paths)
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"judge": ["m"]})
    assert refused.value.faults[0].path == "judge"
