"""Track `llm` through its whole object: what is refused, what is withheld, score, interval, order."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.evaluate import evaluate
from grading.scoring.messages import render
from grading.scoring.methodology import Phrase
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks import llm_compose
from grading.scoring.tracks.base import Checked, ClipsDiffer
from grading.scoring.tracks.llm import TRACK
from grading.scoring.tracks.llm_compose import JUDGE_MARKS_MISSING, JUDGE_SCALE_NOT_SET
from grading.scoring.tracks.llm_judge_prompt import instructions, prompt_sha256
from grading.scoring.tracks.llm_tallies import LlmTallies
from grading.scoring.tracks.pillars_tables import ItemReferences, ItemsIncomplete
from grading.scoring.types import Limits, ParamsInvalid, ReferencesInvalid

SCALE = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
PARAMS = TRACK.params({"scale": SCALE, "marks_in_rows": True})


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def references(*fields: dict[str, Any], params: Any = PARAMS) -> ItemReferences:
    rows = [{"utt_id": f"q{n}", "language": "yue", "fields": one} for n, one in enumerate(fields)]
    return TRACK.references(lines(*rows), params)


def check(*rows: object, ids: str = "q0", params: Any = PARAMS) -> Checked:
    known = dict.fromkeys(ids.split(), "yue")
    return TRACK.check(lines(*rows), ids=known, params=params, limits=TRACK.limits({}))


def codes(checked: Checked) -> list[str]:
    return [problem.code for problem in checked.report.problems]


def row(**changed: object) -> dict[str, object]:
    return {"utt_id": "q0", "answer": "a", "fields": {"x": "1"}, "marks": [3], **changed}


def spread(items: int, seed: int) -> LlmTallies:
    """Return made-up tallies of some items."""
    words = np.random.PCG64(seed).random_raw(items * 3).tolist()
    wanted = [{"x": "1", "y": str(n)} for n in range(items)]
    found = {}
    for n in range(items):
        right, other, mark = (int(word % 5) for word in words[3 * n : 3 * n + 3])
        fields = {"x": "1" if right else "0", "y": str(n) if other > 1 else "no"}
        checked = check(row(utt_id=f"q{n}", fields=fields, marks=[mark + 1]), ids=f"q{n}")
        found.update(checked.predictions)
    return TRACK.score(references(*wanted), found, PARAMS)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"answer": None}, "INVALID_FIELD_TYPE"),
        ({"answer": 4}, "INVALID_FIELD_TYPE"),
        ({"answer": "\0"}, "UNUSABLE_CHARACTER"),
        ({"answer": "a" * 20_001}, "TEXT_TOO_LONG"),
        ({"fields": None}, "INVALID_FIELD_TYPE"),
        ({"fields": []}, "INVALID_FIELD_TYPE"),
        ({"fields": {"a": {"b": 1}}}, "INVALID_FIELD_TYPE"),
        ({"fields": {"a": [["b"]]}}, "INVALID_FIELD_TYPE"),
        ({"fields": {"a": 1e999}}, "INVALID_JSON"),
        ({"fields": {" ": 1}}, "INVALID_FIELD_NAME"),
        ({"fields": {"a" * 201: 1}}, "INVALID_FIELD_NAME"),
        ({"fields": {"A": 1, "a": 1}}, "DUPLICATE_FIELD_NAME"),
        ({"fields": {"a": "b" * 20_001}}, "TEXT_TOO_LONG"),
        ({"fields": {"a": ["b"] * 201}}, "TOO_MANY_VALUES"),
        ({"fields": {str(n): 1 for n in range(201)}}, "TOO_MANY_VALUES"),
        ({"marks": 3}, "INVALID_FIELD_TYPE"),
        ({"marks": [True]}, "INVALID_FIELD_TYPE"),
        ({"marks": [6]}, "NUMBER_OUT_OF_RANGE"),
        ({"marks": [0]}, "NUMBER_OUT_OF_RANGE"),
        ({"marks": [3.001]}, "NUMBER_OUT_OF_RANGE"),
        ({"marks": [3, 3]}, "TOO_MANY_VALUES"),
    ],
)
def test_a_row_with_a_fault_is_refused_with_its_line_and_a_sentence(
    changed: dict[str, object], code: str
) -> None:
    checked = check(row(**changed))
    assert codes(checked) == [code]
    (problem,) = checked.report.problems
    assert problem.line == 1
    assert "{" not in render(problem).replace("{}", "")
    assert checked.predictions == {}


def test_every_problem_of_a_file_is_listed() -> None:
    checked = check(
        {"utt_id": "q0", "fields": {}},
        {"utt_id": "q1", "answer": "a"},
        {"utt_id": "q1", "answer": "a", "fields": {"a": 1, "A": 2}, "marks": ["x"]},
        ids="q0 q1 q2",
    )
    assert codes(checked) == [
        "MISSING_SAMPLES",
        "MISSING_REQUIRED_FIELD",
        "MISSING_REQUIRED_FIELD",
        "DUPLICATE_UTT_ID",
        "DUPLICATE_FIELD_NAME",
        "INVALID_FIELD_TYPE",
    ]
    sentences = [render(problem) for problem in checked.report.problems]
    assert sentences[0] == 'Missing items (1 of 3): "q2". Send a row for each.'
    assert '"answer": "…"' in sentences[1]


def test_nobody_marks_themselves_unless_organizers_send_every_row() -> None:
    for raw in ({}, {"scale": SCALE}):
        params = TRACK.params(raw)
        assert codes(check(row(), params=params)) == ["MARKS_NOT_TAKEN"]
        assert check(row(marks=None), params=params).report.accepted
    assert check(row()).report.accepted


def test_marks_without_a_scale_are_no_setting() -> None:
    with pytest.raises(ParamsInvalid, match="scale: is missing"):
        TRACK.params({"marks_in_rows": True})


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"scale": {"lowest": 1, "highest": 5}}, "scale.mapping"),
        ({"scale": {**SCALE, "mapping": "x"}}, "scale.mapping"),
        ({"scale": {**SCALE, "highest": 1}}, "scale"),
        ({"scale": {"lowest": -1, "highest": 5, "mapping": "of-highest"}}, "scale"),
        ({"scale": {**SCALE, "lowest": 0.001}}, "scale"),
        ({"weights": {"judge": 0.5}}, "weights.extraction"),
        ({"weights": {"judge": 0.5, "extraction": 0.6}}, "weights"),
        ({"languages": []}, "languages"),
        ({"languages": ["yue", "yue"]}, "languages"),
        ({"languages": ["tlh"]}, "languages"),
        ({"replicates": 0}, "replicates"),
        ({"labels": []}, "labels"),
    ],
)
def test_a_setting_that_is_none_is_told_by_its_path(raw: dict[str, Any], path: str) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert path in {fault.path for fault in refused.value.faults}


def test_settings_come_back_from_their_canonical_form() -> None:
    for raw in ({}, {"scale": SCALE, "languages": ["zh", "en"], "replicates": 3, "judge": "J"}):
        params = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(params)) == params


def test_the_scale_decides_what_a_mark_is_worth() -> None:
    wanted, given = references({"x": "1"}), check(row(marks=[4])).predictions
    found = [
        TRACK.compose(TRACK.score(wanted, given, params), params).score
        for params in (
            TRACK.params({"scale": {**SCALE, "mapping": mapping}, "marks_in_rows": True})
            for mapping in ("above-lowest", "of-highest")
        )
    ]
    assert found == [100 * (0.5 * 0.75 + 0.5), 100 * (0.5 * 0.8 + 0.5)]


def test_a_missing_mark_withholds_the_score_and_tells_the_extraction() -> None:
    wanted = references({"x": "1"}, {"x": "1"})
    rows = (row(), row(utt_id="q1", marks=None))
    tallies = TRACK.score(wanted, check(*rows, ids="q0 q1").predictions, PARAMS)
    found = TRACK.compose(tallies, PARAMS)
    assert (found.score, found.withheld_reason) == (None, JUDGE_MARKS_MISSING)
    assert (found.components["judge"], found.components["f1"]) == (None, 1.0)
    assert TRACK.order_key(found, PARAMS) == (1,)
    assert TRACK.replicates(tallies, PARAMS, seed=1) is None
    intervals = TRACK.interval(tallies, PARAMS, seed=1)
    assert {one.reason for one in intervals.values()} == {JUDGE_MARKS_MISSING}


def test_without_a_scale_the_score_is_withheld_unless_the_judge_weighs_nothing() -> None:
    wanted, given = references({"x": "1"}), check(row(marks=None)).predictions
    for raw, score, reason in (
        ({}, None, JUDGE_SCALE_NOT_SET),
        ({"weights": {"judge": 0, "extraction": 1}}, 100.0, ""),
    ):
        params = TRACK.params(raw)
        found = TRACK.compose(TRACK.score(wanted, given, params), params)
        assert (found.score, found.withheld_reason) == (score, reason)


def test_a_language_without_any_field_on_either_side_has_f1_0() -> None:
    tallies = TRACK.score(references({}), check(row(fields={})).predictions, PARAMS)
    assert TRACK.compose(tallies, PARAMS).components["f1"] == 0


def test_tallies_are_the_same_bytes_again_and_nothing_else_is_read() -> None:
    tallies = spread(5, seed=1)
    data = tallies.to_bytes()
    assert TRACK.tallies(data) == tallies
    assert [one["mark"] for one in tallies.rows()] == [one.mark / 200 for one in tallies.items]
    whole = json.loads(data)
    for broken in (
        b"",
        b"[]",
        data + b" ",
        data.replace(b"llm-tallies/1", b"llm-tallies/2"),
        json.dumps({**whole, "tp": [*whole["tp"][1:], -1]}).encode(),
        json.dumps({**whole, "tp": whole["tp"][1:]}).encode(),
    ):
        with pytest.raises(TalliesInvalid):
            TRACK.tallies(broken)


def test_the_interval_holds_the_score_and_follows_from_the_seed() -> None:
    tallies = spread(60, seed=2)
    score = TRACK.compose(tallies, PARAMS).score
    found = TRACK.interval(tallies, PARAMS, seed=3, replicates=500)
    final = found["final"]
    assert score is not None
    assert final.low is not None
    assert final.high is not None
    assert final.low < score < final.high
    assert found["yue"] == final
    assert TRACK.interval(tallies, PARAMS, seed=3, replicates=500) == found
    assert TRACK.interval(tallies, PARAMS, seed=4, replicates=500) != found


def test_the_replicates_are_those_of_the_interval() -> None:
    tallies = spread(30, seed=2)
    values = TRACK.replicates(tallies, PARAMS, seed=3, replicates=500)
    final = TRACK.interval(tallies, PARAMS, seed=3, replicates=500)["final"]
    assert values is not None
    assert bootstrap.bounds(values) == (final.low, final.high)


def test_a_replicate_of_every_item_once_is_the_score() -> None:
    tallies = spread(7, seed=5)
    columns = llm_compose.strata(tallies, PARAMS)
    assert columns is not None
    sums = columns["yue"].sum(axis=1, keepdims=True)
    (replicated,) = llm_compose.score_of(PARAMS)(sums, 7).scores
    assert replicated == pytest.approx(TRACK.compose(tallies, PARAMS).score, abs=1e-9)


def test_one_item_has_no_interval() -> None:
    found = TRACK.interval(spread(1, seed=1), PARAMS, seed=1)
    assert found["yue"].reason == bootstrap.FEWER_THAN_TWO_CLIPS
    assert found["final"].reason == bootstrap.LANGUAGE_WITHOUT_INTERVAL


def test_systems_are_compared_on_the_same_items() -> None:
    systems = [spread(40, seed=seed) for seed in (1, 2)]
    same, other = TRACK.paired(systems[0], systems, PARAMS, seed=1, replicates=500)
    assert (same.delta, same.low, same.high, same.p_value) == (0, 0, 0, 1)
    scores = [TRACK.compose(one, PARAMS).score or 0 for one in systems]
    assert other.delta == pytest.approx(scores[1] - scores[0])
    assert other.low is not None
    assert other.high is not None
    assert other.low <= other.delta <= other.high
    with pytest.raises(ClipsDiffer):
        TRACK.paired(systems[0], [spread(39, seed=1)], PARAMS, seed=1)


def test_rows_that_lack_items_cannot_be_scored() -> None:
    with pytest.raises(ItemsIncomplete):
        TRACK.score(references({"x": "1"}), {}, PARAMS)


def test_references_are_refused_as_a_whole_without_saying_what_they_hold() -> None:
    data = lines(
        {"utt_id": "q0", "language": "zh", "fields": {"secret": "tell"}},
        {"utt_id": "q1", "language": "yue", "fields": {"secret": 1, "Secret": 2}},
        {"utt_id": "q2", "language": "yue"},
    )
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(data, PARAMS)
    found = [problem.code for problem in refused.value.report.problems]
    assert found == ["INVALID_LANGUAGE", "DUPLICATE_FIELD_NAME", "MISSING_REQUIRED_FIELD"]
    assert "tell" not in " ".join(map(render, refused.value.report.problems))


def test_the_digest_of_references_follows_their_content_alone() -> None:
    rows = [{"utt_id": f"q{n}", "language": "yue", "fields": {"x": n}} for n in range(3)]
    one, two = (TRACK.references(lines(*order), PARAMS) for order in (rows, rows[::-1]))
    other = TRACK.references(lines(*rows[:2], {**rows[2], "prompt": "?"}), PARAMS)
    assert one.sha256 == two.sha256 != other.sha256
    assert dict(one.counts) == {"yue": 3}


def test_several_languages_are_averaged_and_each_must_occur() -> None:
    params = TRACK.params({"languages": ["zh", "yue"], "weights": {"judge": 0, "extraction": 1}})
    rows = [
        {"utt_id": "a", "language": "yue", "fields": {"x": 1}},
        {"utt_id": "b", "language": "zh", "fields": {"x": 1, "y": 2}},
    ]
    wanted = TRACK.references(lines(*rows), params)
    sent = [
        {"utt_id": "a", "answer": "", "fields": {"x": 1}},
        {"utt_id": "b", "answer": "", "fields": {"x": 1}},
    ]
    given = check(*sent, ids="a b", params=params).predictions
    found = evaluate(track=TRACK, params=params, references=wanted, given=given)
    assert found.score == float(round(100 * (1 + Fraction(2, 3)) / 2, 12))
    assert [view.key for view in TRACK.views(params)] == ["yue", "zh"]
    with pytest.raises(ReferencesInvalid):
        TRACK.references(lines(rows[0]), params)


def test_it_is_a_track_of_the_registry_with_sentences_and_a_page() -> None:
    assert registry.get("llm") is TRACK
    assert TRACK.columns[0].key == "score"
    for params in (PARAMS, TRACK.params({})):
        sections = TRACK.methodology(params)
        texts = [text for one in sections for text in (one.title, *one.paragraphs)]
        assert all(isinstance(text, Phrase) for text in (*texts, *TRACK.sending(params)))
    told = next(one for one in TRACK.methodology(PARAMS) if one.title == "What the judge is told")
    assert prompt_sha256(PARAMS.scale) in told.paragraphs[0]
    assert told.formula == instructions(PARAMS.scale)
    assert "from 1 to 5; 1 is the worst, 5 the best" in told.formula
    assert {JUDGE_SCALE_NOT_SET, JUDGE_MARKS_MISSING} < set(TRACK.reasons)
    sample = TRACK.sample(["q0"], PARAMS).encode()
    assert TRACK.check(sample, ids={"q0": "yue"}, params=PARAMS, limits=Limits()).report.accepted
