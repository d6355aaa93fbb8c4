"""A judge that the server asks, in the settings of `llm`: what it is, what it is told, which marks count."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from grading.scoring.evaluate import evaluate
from grading.scoring.recipe import digest
from grading.scoring.tracks import nvv_t2_params
from grading.scoring.tracks.base import Sent
from grading.scoring.tracks.llm import TRACK
from grading.scoring.tracks.llm_compose import JUDGE_MARKS_MISSING
from grading.scoring.tracks.llm_judge_prompt import (
    MarkInvalid,
    MarkOffScale,
    of_definition,
    prompt_sha256,
    read_mark,
)
from grading.scoring.tracks.nvv_t2_judge import cache_key, read_definition
from grading.scoring.tracks.nvv_t2_marks import MarksInvalid
from grading.scoring.types import ParamsInvalid
from tests.scoring.tracks.test_nvv_t2_judge import LEAST, WHOLE

SCALE = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
PRICE = {"currency": "EUR", "as_of": "2026-11-01", "input_per_million": 2}
FULL = LEAST | {"price": PRICE, "budget": {"calls": 9, "cost": 2}, "canaries": {"set": "x-1"}}
PARAMS = TRACK.params({"scale": SCALE, "judge": LEAST})


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def given(*answers: str) -> tuple[Any, dict[str, Any]]:
    """Return references of items q0, q1 …, and rows with these answers and the right field."""
    ids = [f"q{n}" for n in range(len(answers))]
    wanted = [
        {"utt_id": i, "language": "yue", "prompt": "p", "answer": "w", "fields": {"x": 1}}
        for i in ids
    ]
    rows = [
        {"utt_id": i, "answer": answer, "fields": {"x": 1}}
        for i, answer in zip(ids, answers, strict=True)
    ]
    references = TRACK.references(lines(*wanted), PARAMS)
    checked = TRACK.check_against(
        lines(*rows), references=references, params=PARAMS, limits=TRACK.limits({})
    )
    assert checked.report.accepted
    return references, dict(checked.predictions)


def test_digests_and_keys_of_what_there_was_are_what_they_were():
    """Worked out by the version before a judge of words was known: scores and paid answers hang on them."""
    kept = [
        (
            LEAST,
            "f669ef1af24bd3a06efc7bfe146b992a35fc89f1795cb4eec158f658e4f1435d",
            "538b1da0b817efc3bf959c649f842fc9045ce551cbfab0597d1bff1496d40f99",
            "e9a72d9248117a86f3a7d67b350a161d6d11f99b64277bf003a4f4042e64ed39",
        ),
        (
            WHOLE,
            "398ab2dfbb631ec7741f667097d6764234ba4a8d6da9433d1b00c3df5a25d606",
            "5a27d6ebce22452bdb293d4d77834bfd311bcea61060c8c486df873e8267b633",
            "9e9a64a3b5d5c02e1506e3a14d8e4f63692d0a9f0ebd1a8c41fdc380825dcda4",
        ),
    ]
    for raw, whole, protocol, key in kept:
        found = read_definition(raw)
        asked = {"endpoint": "e", "audio_sha256": "a", "text_sha256": "t"}
        assert (found.digest, found.protocol_digest) == (whole, protocol)
        assert cache_key(found, **asked, profile=found.profiles[0], replicate=0) == key
    spoken = nvv_t2_params.params_json(nvv_t2_params.read_params({"judge": WHOLE}))
    in_rows = {"scale": SCALE, "marks_in_rows": True, "replicates": 3, "judge": "J"}
    recipes = [
        ("nvv-t2", spoken, "14533dfe921775db6de254a40d044e02de2822e77b1a47c6ae10d22aaa81364b"),
        ("llm", {}, "d25ee33ce2057e8e435a80533cb96894c769bc49d6e7e52c726fb9539146769f"),
        ("llm", in_rows, "f2b8e9da94ca0ed28c786c9762c7ed09cd827037cffbc12ae4d2ceadbdbbdda0"),
    ]
    for track, params, wanted in recipes:
        told = TRACK.params_json(TRACK.params(params)) if track == "llm" else params
        found = digest(track=track, version="1.0.0", params=told, reference_sha256="r")
        assert found == wanted
    assert prompt_sha256(PARAMS.scale) == (
        "b3758f69256d7def664bf34bdcd0030b8903b4715ebdc051b21420ce5b590e95"
    )


def test_a_definition_comes_back_from_its_canonical_form():
    for raw in (LEAST, FULL):
        params = TRACK.params({"scale": SCALE, "judge": raw})
        told = json.loads(json.dumps(TRACK.params_json(params)))
        assert TRACK.params(told) == params
        assert told["judge"]["medium"] == "words"
        assert told["replicates"] == told["judge"]["replicates"] == 3
        assert not {"profiles", "audio_tokens"} & set(told["judge"])
    assert PARAMS.definition.prompt_sha256 == of_definition(PARAMS.scale).sha256
    assert TRACK.params_json(TRACK.params({"scale": SCALE, "judge": "J"}))["judge"] == "J"


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"scale": None}, "scale"),
        ({"marks_in_rows": True}, "marks_in_rows"),
        ({"replicates": 2}, "replicates"),
        ({"judge": {**LEAST, "profiles": [{"name": "x"}]}}, "judge.profiles"),
        ({"judge": {**LEAST, "audio_tokens": "required"}}, "judge.audio_tokens"),
        ({"judge": {**LEAST, "medium": "sounds"}}, "judge.medium"),
        ({"judge": {**LEAST, "prompt": {"language": "en"}}}, "judge.prompt.language"),
        ({"judge": {**LEAST, "prompt": {"sha256": "0" * 64}}}, "judge.prompt.sha256"),
        ({"judge": {**LEAST, "budget": {"audio_minutes": 1}}}, "judge.budget.audio_minutes"),
        ({"judge": {**LEAST, "price": {**PRICE, "audio_minute": 1}}}, "judge.price.audio_minute"),
        ({"judge": {"model": "m"}}, "judge.base_url"),
        ({"judge": 7}, "judge"),
    ],
)
def test_a_setting_that_is_none_is_told_by_its_path(changed: dict[str, Any], path: str):
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"scale": SCALE, "judge": LEAST, **changed})
    assert path in {fault.path for fault in refused.value.faults}


def test_another_scale_is_another_prompt_and_shares_no_answer():
    other = TRACK.params({"scale": {**SCALE, "highest": 10}, "judge": LEAST})
    keys = {
        cache_key(
            one,
            endpoint="e",
            audio_sha256="a",
            text_sha256="t",
            profile=one.profiles[0],
            replicate=0,
        )
        for one in (PARAMS.definition, other.definition, read_definition(LEAST))
    }
    assert len(keys) == 3


def test_only_a_defined_judge_lets_an_evaluation_wait():
    assert TRACK.is_marked(PARAMS)
    assert not TRACK.is_marked(TRACK.params({}))
    assert not TRACK.is_marked(TRACK.params({"scale": SCALE, "marks_in_rows": True, "judge": "J"}))


def test_a_question_holds_what_was_asked_wanted_and_answered_and_no_id():
    references, rows = given("a", "b")
    asked = TRACK.questions(references, rows, PARAMS)
    assert json.loads(asked["q1"]) == {"asked": "p", "wanted": "w", "answer": "b"}
    assert "q1" not in asked["q1"]


def test_medians_of_the_marks_make_half_of_the_score():
    references, rows = given("a", "b")
    marks = {"q0": [[5], [3.5], [4]], "q1": [[1.25], [1], [2]]}
    sent = {i: Sent(row, marks[i]) for i, row in rows.items()}
    found = evaluate(track=TRACK, params=PARAMS, references=references, given=sent)
    # medians 4 and 1.25, mean 2.625, (2.625 - 1) / 4 = 0.40625; F1 = 1
    assert found.score == 100 * (0.5 * 0.40625 + 0.5)
    assert found.languages["yue"]["mean_mark"] == 2.625


@pytest.mark.parametrize("marks", [None, [], [[4], [4]], [[4]] * 4])
def test_fewer_or_more_marks_than_replicates_withhold_the_score(marks: Any):
    references, rows = given("a")
    tallies = TRACK.score(references, {"q0": Sent(rows["q0"], marks)}, PARAMS)
    found = TRACK.compose(tallies, PARAMS)
    assert (found.score, found.withheld_reason) == (None, JUDGE_MARKS_MISSING)


@pytest.mark.parametrize("mark", [[6], [0], [True], ["4"], [4, 4], [], [3.001], [float("nan")]])
def test_what_is_no_mark_of_the_scale_is_refused(mark: list[Any]):
    references, rows = given("a")
    with pytest.raises(MarksInvalid):
        TRACK.score(references, {"q0": Sent(rows["q0"], [mark] * 3)}, PARAMS)


def test_the_page_tells_of_the_judge_and_of_its_prompt():
    said = "\n".join(
        line
        for one in TRACK.methodology(PARAMS)
        for line in (*(str(part) for part in one.paragraphs), one.formula)
    )
    for part in ("M 1", PARAMS.definition.prompt_sha256, "give the judge orders", "You judge one"):
        assert part in said
    in_rows = TRACK.params({"scale": SCALE, "marks_in_rows": True})
    assert "give the judge orders" not in str(
        [[str(p) for p in one.paragraphs] for one in TRACK.methodology(in_rows)]
    )


def test_a_tolerance_may_be_as_wide_as_a_scale():
    wide = {**LEAST, "canaries": {"set": "x", "tolerance": 10}}
    params = TRACK.params({"scale": {**SCALE, "highest": 100}, "judge": wide})
    assert params.definition.canaries.tolerance == Fraction(10)
    with pytest.raises(ParamsInvalid):
        nvv_t2_params.read_params({"judge": wide})


@pytest.mark.parametrize(
    ("mark", "refusal"),
    [
        ("1" + "0" * 350, MarkOffScale),
        ("-1" + "0" * 350, MarkOffScale),
        ("1" + "0" * 5000, MarkInvalid),
        ("1e999", MarkInvalid),
        ("NaN", MarkInvalid),
        ("-Infinity", MarkInvalid),
        ("true", MarkInvalid),
    ],
)
def test_a_mark_that_no_number_of_a_machine_holds_is_refused(
    mark: str, refusal: type[MarkInvalid]
) -> None:
    with pytest.raises(MarkInvalid) as refused:
        read_mark(f'{{"reason": "x", "mark": {mark}}}', PARAMS.scale)
    assert type(refused.value) is refusal
