"""Track `tts` through its whole object: what is measured, what is withheld, score, interval, order."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.messages import render
from grading.scoring.methodology import Phrase
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks import tts_compose
from grading.scoring.tracks.base import Checked, ClipsDiffer
from grading.scoring.tracks.pillars_tables import ItemReferences, ItemsIncomplete
from grading.scoring.tracks.tts import TRACK
from grading.scoring.tracks.tts_compose import PILLAR_WEIGHTS_NOT_SET, missing, not_set
from grading.scoring.tracks.tts_params import PARTS
from grading.scoring.tracks.tts_tallies import SpeechPillarTallies
from grading.scoring.types import Limits, ParamsInvalid, ReferencesInvalid

MOS = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
COMOS = {"lowest": -3, "highest": 3, "mapping": "above-lowest"}
SIM = {"lowest": -1, "highest": 1, "mapping": "of-highest"}
LISTENS = {"recognizer": "asr 1", "languages": {"yue": {"normalizer": "yue-1", "unit": "cer"}}}
SCALES = {"mos": MOS, "comos": COMOS, "similarity": SIM}
EVEN = dict.fromkeys(PARTS, "0.2")
RAW = {"weights": EVEN, "scales": SCALES, "loop_back": LISTENS, "raters_needed": 1}
PARAMS = TRACK.params(RAW)
TEXT = "今日天氣好"


def alone(part: str, **more: Any) -> Any:
    """Return parameters in which one part has all the weight."""
    return TRACK.params({**RAW, "weights": {name: int(name == part) for name in PARTS}, **more})


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def clip(number: int = 0, **changed: object) -> dict[str, object]:
    whole = {"transcript": TEXT, "mos": [4], "comos": [0], "similarity": 0.5, "repeated": False}
    return {"utt_id": f"c{number:02}", "failed": False, **whole, **changed}


def check(*rows: object, ids: str = "c00", params: Any = PARAMS) -> Checked:
    known = dict.fromkeys(ids.split(), "yue")
    return TRACK.check(lines(*rows), ids=known, params=params, limits=TRACK.limits({}))


def codes(checked: Checked) -> list[str]:
    return [problem.code for problem in checked.report.problems]


def references(count: int, params: Any = PARAMS) -> ItemReferences:
    rows = [{"utt_id": f"c{n:02}", "language": "yue", "text": TEXT} for n in range(count)]
    return TRACK.references(lines(*rows), params)


def measured(*rows: dict[str, object], params: Any = PARAMS) -> SpeechPillarTallies:
    wanted = references(len(rows), params)
    checked = check(*rows, ids=" ".join(wanted.ids), params=params)
    assert checked.report.accepted, codes(checked)
    return TRACK.score(wanted, checked.predictions, params)


def failed(number: int = 0) -> dict[str, object]:
    return {"utt_id": f"c{number:02}", "failed": True}


def spread(clips: int, seed: int) -> SpeechPillarTallies:
    """Return made-up measurements of some clips."""
    words = iter(np.random.PCG64(seed).random_raw(clips * 5).tolist())
    rows = []
    for number in range(clips):
        mos, comos, similarity, heard, odd = (int(next(words)) for _ in range(5))
        row = clip(number, mos=[mos % 5 + 1, 3], comos=[comos % 7 - 3])
        row |= {"similarity": similarity % 100 / 100, "transcript": TEXT[: heard % 6]}
        rows.append(failed(number) if odd % 9 == 0 else {**row, "repeated": odd % 5 == 0})
    return measured(*rows)


@pytest.mark.parametrize(
    ("part", "changed", "score"),
    [
        ("mos", {"mos": [4, 5]}, 87.5),
        ("mos", {"mos": [1]}, 0),
        ("comos", {"comos": [-3]}, 0),
        ("comos", {"comos": [1.5]}, 75),
        ("similarity", {"similarity": 0.123456}, 12.3456),
        ("similarity", {"similarity": -0.5}, 0),
        ("loop_back", {"transcript": "今日天氣差"}, 80),
        ("loop_back", {"transcript": "今日，天氣 好！"}, 100),
        ("loop_back", {"transcript": ""}, 0),
        ("loop_back", {"transcript": TEXT * 3}, 0),
        ("stability", {"repeated": True}, 0),
        ("stability", {}, 100),
    ],
)
def test_a_part_is_worth_what_its_scale_says(
    part: str, changed: dict[str, object], score: float
) -> None:
    params = alone(part)
    found = TRACK.compose(measured(clip(**changed), params=params), params)
    assert found.score == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("part", PARTS)
def test_a_clip_that_failed_is_worth_nothing_in_any_part(part: str) -> None:
    params = alone(part)
    whole, half = (
        TRACK.compose(measured(*rows, params=params), params).score
        for rows in ((clip(0), clip(1)), (clip(0), failed(1)))
    )
    assert whole is not None
    assert half == pytest.approx(whole / 2)
    assert TRACK.compose(measured(failed(), params=params), params).score == 0


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_was_not_measured_on_every_clip_withholds_the_score(part: str) -> None:
    field = {"loop_back": "transcript", "stability": "repeated"}.get(part, part)
    tallies = measured(clip(0), clip(1, **{field: None}))
    found = TRACK.compose(tallies, PARAMS)
    assert (found.score, found.withheld_reason) == (None, missing(part))
    (language,) = found.languages.values()
    assert language["reasons"] == {part: missing(part)}
    assert {name for name, share in language["shares"].items() if share is None} == {part}
    weighs_nothing = TRACK.params(
        {**RAW, "weights": {name: 0 if name == part else 0.25 for name in PARTS}}
    )
    assert TRACK.compose(tallies, weighs_nothing).score is not None
    assert {one.reason for one in TRACK.interval(tallies, PARAMS, seed=1).values()} == {
        missing(part)
    }
    assert TRACK.replicates(tallies, PARAMS, seed=1) is None
    assert TRACK.order_key(found, PARAMS) == (1,)


def test_without_weights_there_is_no_score_and_the_parts_are_shown() -> None:
    params = TRACK.params({name: value for name, value in RAW.items() if name != "weights"})
    found = TRACK.compose(measured(clip(), params=params), params)
    assert (found.score, found.withheld_reason) == (None, PILLAR_WEIGHTS_NOT_SET)
    assert (found.components["mos"], found.components["loop_back_error"]) == (4, 0)


@pytest.mark.parametrize("part", ["mos", "comos", "similarity"])
def test_a_part_without_a_scale_is_withheld(part: str) -> None:
    scales = {name: scale for name, scale in SCALES.items() if name != part}
    params = TRACK.params({**RAW, "scales": scales})
    found = TRACK.compose(measured(clip(**{part: None}), params=params), params)
    assert (found.score, found.withheld_reason) == (None, not_set(part))


def test_a_part_without_a_recognizer_is_withheld() -> None:
    params = TRACK.params({name: value for name, value in RAW.items() if name != "loop_back"})
    found = TRACK.compose(measured(clip(), params=params), params)
    assert (found.score, found.withheld_reason) == (None, "LOOP_BACK_NOT_SET")


def test_a_clip_counts_once_it_has_its_raters() -> None:
    params = alone("mos", raters_needed=3)
    for ratings, score in (([5, 4], None), ([5, 4, 3], 75.0)):
        found = TRACK.compose(measured(clip(mos=ratings), params=params), params)
        assert found.score == score


def test_the_mean_is_over_clips_of_means_over_ratings() -> None:
    params = alone("mos")
    found = TRACK.compose(measured(clip(0, mos=[5] * 9), clip(1, mos=[1]), params=params), params)
    assert (found.score, found.components["mos"]) == (50, 3)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({}, "MISSING_REQUIRED_FIELD"),
        ({"failed": None}, "INVALID_FIELD_TYPE"),
        ({"failed": 0}, "INVALID_FIELD_TYPE"),
        ({"failed": True, "transcript": ""}, "FAILED_CLIP_MEASURED"),
        ({"failed": False, "repeated": 1}, "INVALID_FIELD_TYPE"),
        ({"failed": False, "transcript": 1}, "INVALID_FIELD_TYPE"),
        ({"failed": False, "transcript": "a" * 20_001}, "TEXT_TOO_LONG"),
        ({"failed": False, "mos": 4}, "INVALID_FIELD_TYPE"),
        ({"failed": False, "mos": [0.5]}, "NUMBER_OUT_OF_RANGE"),
        ({"failed": False, "mos": [4.005]}, "NUMBER_OUT_OF_RANGE"),
        ({"failed": False, "comos": [3.5]}, "NUMBER_OUT_OF_RANGE"),
        ({"failed": False, "similarity": 1.1}, "NUMBER_OUT_OF_RANGE"),
        ({"failed": False, "similarity": [1]}, "INVALID_FIELD_TYPE"),
        ({"failed": False, "similarity": 0.1234567}, "NUMBER_OUT_OF_RANGE"),
    ],
)
def test_a_row_with_a_fault_is_refused_with_its_line_and_a_sentence(
    row: dict[str, object], code: str
) -> None:
    checked = check({"utt_id": "c00", **row})
    assert codes(checked) == [code]
    assert checked.report.problems[0].line == 1
    assert "{" not in render(checked.report.problems[0]).partition("A row looks")[0]


def test_a_measurement_without_a_scale_is_not_taken() -> None:
    params = TRACK.params({})
    assert codes(check(clip(), params=params)) == ["SCALE_NOT_SET"] * 3


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"weights": {"mos": 1}}, "weights.comos"),
        ({"weights": {**EVEN, "mos": 0.3}}, "weights"),
        ({"scales": {"mos": {"lowest": 1, "highest": 5}}}, "scales.mos.mapping"),
        ({"scales": {"mos": {**MOS, "lowest": 1.001}}}, "scales.mos"),
        ({"scales": {"pesq": MOS}}, "scales.pesq"),
        ({"loop_back": {"languages": {"yue": {"normalizer": "yue-1"}}}}, "loop_back.recognizer"),
        ({"loop_back": {"recognizer": "r"}}, "loop_back.languages.yue"),
        (
            {"loop_back": {"recognizer": "r", "languages": {"yue": {"normalizer": "x"}}}},
            "loop_back.languages.yue.normalizer",
        ),
        ({"raters_needed": 0}, "raters_needed"),
        ({"measured_by": {"mos": 3}}, "measured_by.mos"),
    ],
)
def test_a_setting_that_is_none_is_told_by_its_path(raw: dict[str, Any], path: str) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert path in {fault.path for fault in refused.value.faults}


def test_settings_come_back_from_their_canonical_form() -> None:
    for raw in ({}, RAW, {**RAW, "measured_by": {"mos": "40 people"}}):
        params = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(params)) == params


@pytest.mark.parametrize("text", ["", " ", "？！"])
def test_a_text_that_leaves_nothing_to_compare_is_refused(text: str) -> None:
    row = {"utt_id": "c00", "language": "yue", "text": text}
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(lines(row), PARAMS)
    (problem,) = refused.value.report.problems
    assert problem.code == "TEXT_TO_SPEAK_EMPTY"
    assert render(problem).startswith('Line 1, utterance "c00": The text is blank')


def test_tallies_are_the_same_bytes_again_and_nothing_else_is_read() -> None:
    tallies = spread(6, seed=1)
    data = tallies.to_bytes()
    assert TRACK.tallies(data) == tallies
    whole = json.loads(data)
    for name, value in (("failed", -1), ("edits", 0.5), ("mos_ratings", True), ("mos", "4")):
        broken = {**whole, name: [value, *whole[name][1:]]}
        with pytest.raises(TalliesInvalid):
            TRACK.tallies(json.dumps(broken).encode())


def test_a_replicate_of_every_clip_once_is_the_score() -> None:
    tallies = spread(9, seed=5)
    columns = tts_compose.strata(tallies, PARAMS)
    assert columns is not None
    sums = columns["yue"].sum(axis=1, keepdims=True)
    (replicated,) = tts_compose.score_of(PARAMS)(sums, 9).scores
    assert replicated == pytest.approx(TRACK.compose(tallies, PARAMS).score, abs=1e-6)


def test_the_interval_holds_the_score_and_follows_from_the_seed() -> None:
    tallies = spread(50, seed=2)
    found = TRACK.interval(tallies, PARAMS, seed=3, replicates=400)
    score, final = TRACK.compose(tallies, PARAMS).score, found["final"]
    assert score is not None
    assert final.low is not None
    assert final.high is not None
    assert final.low < score < final.high
    values = TRACK.replicates(tallies, PARAMS, seed=3, replicates=400)
    assert values is not None
    assert bootstrap.bounds(values) == (final.low, final.high)
    assert TRACK.interval(tallies, PARAMS, seed=4, replicates=400)["final"] != final


def test_systems_are_compared_on_the_same_clips() -> None:
    one, two, short = spread(30, seed=1), spread(30, seed=2), spread(29, seed=1)
    unheard = measured(*(clip(n, transcript=None) for n in range(30)))
    same, other, unknown = TRACK.paired(one, [one, two, unheard], PARAMS, seed=1, replicates=300)
    assert (same.delta, same.low, same.high) == (0, 0, 0)
    assert other.delta is not None
    assert other.low is not None
    assert other.high is not None
    assert other.low <= other.delta <= other.high
    assert (unknown.delta, unknown.low) == (None, None)
    with pytest.raises(ClipsDiffer):
        TRACK.paired(one, [short], PARAMS, seed=1)


def test_parts_add_up_to_the_score() -> None:
    found = TRACK.compose(spread(12, seed=3), PARAMS)
    points = TRACK.points(found.languages, PARAMS)
    assert set(points) == set(PARTS)
    assert sum(points.values()) == pytest.approx(found.score)


def test_each_language_has_its_own_rule_of_listening() -> None:
    listens = {
        "recognizer": "asr 1",
        "languages": {
            "en": {"normalizer": "fleurs-en-1", "unit": "wer"},
            "yue": {"normalizer": "yue-1", "unit": "cer"},
        },
    }
    params = alone("loop_back", languages=["yue", "en"], loop_back=listens)
    rows = [
        {"utt_id": "a", "language": "en", "text": "good morning all"},
        {"utt_id": "b", "language": "yue", "text": TEXT},
    ]
    sent = [
        {"utt_id": "a", "failed": False, "transcript": "Good morning."},
        {"utt_id": "b", "failed": False, "transcript": TEXT[:4]},
    ]
    wanted = TRACK.references(lines(*rows), params)
    given = check(*sent, ids="a b", params=params).predictions
    found = TRACK.compose(TRACK.score(wanted, given, params), params)
    assert found.score == pytest.approx(100 * (2 / 3 + 4 / 5) / 2)
    assert [view.key for view in TRACK.views(params)] == ["en", "yue"]


def test_rows_that_lack_clips_cannot_be_scored() -> None:
    with pytest.raises(ItemsIncomplete):
        TRACK.score(references(1), {}, PARAMS)


def test_it_is_a_track_of_the_registry_with_sentences_and_a_page() -> None:
    assert registry.get("tts") is TRACK
    for params in (PARAMS, TRACK.params({}), TRACK.params({**RAW, "measured_by": {"mos": "x"}})):
        sections = TRACK.methodology(params)
        texts = [text for one in sections for text in (one.title, *one.paragraphs)]
        assert all(isinstance(text, Phrase) for text in (*texts, *TRACK.sending(params)))
    assert {missing(part) for part in PARTS} < set(TRACK.reasons)
    sample, ids = TRACK.sample(["c00"], PARAMS).encode(), {"c00": "yue"}
    assert TRACK.check(sample, ids=ids, params=PARAMS, limits=Limits()).report.accepted
