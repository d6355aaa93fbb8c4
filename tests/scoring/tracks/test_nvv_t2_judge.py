"""A judge's definition, its prompt, and what of an answer counts."""

from __future__ import annotations

import copy
import json
import re
from datetime import date
from fractions import Fraction

import pytest

from grading.scoring.tracks import nvv_t2_judge_prompt as prompts
from grading.scoring.tracks.nvv_t2_judge import (
    JudgeDefinition,
    Profile,
    cache_key,
    definition_json,
    read_definition,
)
from grading.scoring.tracks.nvv_t2_judge_answer import (
    AnswerMalformed,
    MarkOutOfRange,
    is_tagged,
    read_answer,
)
from grading.scoring.tracks.nvv_t2_judge_reader import address_fault
from grading.scoring.types import ParamsInvalid

LEAST = {"model": "m", "base_url": "https://judge.example/v1", "label": "M 1"}
WHOLE = LEAST | {
    "temperature": "0.25",
    "max_tokens": 500,
    "timeout_seconds": 30,
    "profiles": [{"name": "neutral"}, {"name": "strict", "instruction": "Be strict."}],
    "replicates": 2,
    "seeds": [7, 8],
    "prompt": {"language": "en"},
    "audio_tokens": "if-reported",
    "price": {
        "currency": "EUR",
        "as_of": date(2026, 11, 1),
        "input_per_million": 2.5,
        "audio_per_million": "40",
        "output_per_million": 10,
    },
    "budget": {"calls": 9, "audio_minutes": 1.5, "cost": "3.25"},
    "limits": {"calls_per_minute": 30, "concurrency": 2},
    "canaries": {"set": "x-1", "every": 50, "tolerance": 0.5},
}
ANSWER = {
    "heard": "A laugh, then speech.",
    "vocalization": "clear",
    "issues": [{"kind": "noise", "severity": "minor"}],
    "marks": {name: {"reason": "because", "mark": 4} for name in "APNQE"},
}


def faults_of(raw) -> set[str]:
    with pytest.raises(ParamsInvalid) as refused:
        read_definition(raw)
    return {fault.path for fault in refused.value.faults}


@pytest.mark.parametrize("raw", [LEAST, WHOLE])
def test_the_canonical_form_is_read_back_as_the_same_definition(raw):
    found = read_definition(raw)
    canonical = json.loads(json.dumps(definition_json(found)))
    assert read_definition(canonical) == found
    assert definition_json(read_definition(canonical)) == canonical
    assert read_definition(canonical).digest == found.digest


def test_what_is_not_given_has_the_protocols_value():
    found = read_definition(LEAST)
    assert (found.replicates, found.seeds, found.temperature) == (3, (1, 2, 3), 0)
    assert found.profiles == (Profile("neutral", ""),)
    assert not found.is_stand_in
    assert "key" not in json.dumps(definition_json(found))


def test_every_fault_is_named_with_its_path():
    assert faults_of(
        {
            "model": "",
            "label": "x" * 81,
            "base_url": "https://user:secret@judge.example/v1?key=1",
            "is_stand_in": "yes",
            "temperature": float("nan"),
            "replicates": 2.0,
            "seeds": [1, 1],
            "profiles": [{"name": "a b"}, {"name": "c", "weight": 2}],
            "prompt": {"version": "0", "sha256": "f" * 64},
            "price": {"currency": "EUR", "as_of": "yesterday", "audio_minute": -1},
            "budget": {"calls": 0, "cost": "1e400"},
            "limits": {"concurrency": 65},
            "canaries": {"every": 0},
            "api_key": "sk-1",
        }
    ) == {
        "model", "label", "base_url", "is_stand_in", "temperature", "replicates", "seeds",
        "profiles[0].name", "profiles[1].weight", "prompt.version", "prompt.sha256", "price.as_of",
        "price.audio_minute", "budget.calls", "budget.cost", "limits.concurrency", "canaries.set",
        "canaries.every", "api_key",
    }  # fmt: skip


@pytest.mark.parametrize("raw", [None, [], "x", 3])
def test_what_is_no_definition_is_one_fault_and_no_crash(raw):
    assert "judge" in faults_of(raw)


@pytest.mark.parametrize(
    "address",
    ["ftp://x/v1", "https:///v1", "https://x:0/v1", "https://x/#a", "https://x y/v1", "https://é/v1",
     "https://a@b/v1", "http://[::1", "judge.example/v1"],
)  # fmt: skip
def test_an_address_with_more_than_scheme_host_and_path_is_refused(address):
    assert address_fault(address)


def test_a_cost_without_a_price_and_a_recording_without_its_hash_are_faults():
    assert faults_of(LEAST | {"budget": {"cost": 1}}) == {"budget.cost"}
    recorded = {"kind": "recorded", "model": "m", "label": "L"}
    assert faults_of(recorded) == {"recording_sha256"}
    assert faults_of(LEAST | {"recording_sha256": "0" * 64}) == {"recording_sha256"}
    assert faults_of(recorded | LEAST | {"recording_sha256": "0" * 64}) == {"base_url"}
    assert read_definition(recorded | {"recording_sha256": "0" * 64}).is_recorded


def key_of(definition: JudgeDefinition, **changes) -> str:
    given = {"endpoint": "e", "audio_sha256": "a", "text_sha256": "t"}
    given |= {"profile": definition.profiles[0], "replicate": 0}
    return cache_key(definition, **given | changes)


def test_an_answer_is_kept_under_what_was_asked_and_nothing_else():
    first = read_definition(LEAST)
    asked_alike = [{"label": "other"}, {"replicates": 5}, {"budget": {"calls": 1}}]
    asked_alike += [{"price": WHOLE["price"]}, {"canaries": {"set": "x"}}, {"limits": {}}]
    for changes in asked_alike:
        assert key_of(read_definition(LEAST | changes)) == key_of(first)
    different = [{"model": "n"}, {"temperature": 1}, {"max_tokens": 99}, {"seeds": [9, 8, 7]}]
    different += [{"base_url": "https://b.example/v1"}, {"is_stand_in": True}]
    different += [{"profiles": [{"name": "neutral", "instruction": "x"}]}]
    keys = {key_of(read_definition(LEAST | changes)) for changes in different}
    keys |= {
        key_of(first, **{name: "other"}) for name in ("endpoint", "audio_sha256", "text_sha256")
    }
    keys |= {key_of(first, replicate=1), key_of(first)}
    assert len(keys) == len(different) + 5


def test_a_cost_is_exact_and_rounded_up():
    price = read_definition(WHOLE).price
    assert price.micro(text=3, audio=2, output=1, audio_ms=500) == 98  # 7.5 + 80 + 10 = 97.5
    assert read_definition(WHOLE).budget.cost == Fraction("3.25")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_says_every_level_and_the_form_and_asks_for_evidence_first(language):
    told = prompts.instructions(language, "Be strict.")
    for name in "APNQE":
        part = told.split(f"\n{name}")[1].split("\n\n")[0]
        levels = [int(level) for level in re.findall(r"\b(\d)[:：]", part)]
        assert levels == list(range(0 if name in "AP" else 1, 6))
    form = told[told.index('{"heard"') :]
    assert form.index("heard") < form.index("issues") < form.index("marks")
    assert told.endswith("Be strict.")
    assert prompts.question(language, "x [laugh]").endswith("\nx [laugh]")


def test_the_schema_asks_for_evidence_before_marks_and_lets_nothing_else_in():
    schema = prompts.answer_schema()
    assert list(schema["properties"]) == ["heard", "vocalization", "issues", "marks"]
    stack = [schema]
    while stack:
        part = stack.pop()
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            stack += part["properties"].values()
        stack += [part["items"]] if "items" in part else []


def test_an_answer_with_five_marks_in_range_counts():
    found = read_answer(json.dumps(ANSWER))
    assert (found.marks, found.is_absent) == (dict.fromkeys("APNQE", 4.0), False)
    around = f"Here it is:\n```json\n{json.dumps(ANSWER, indent=2)}\n```\nGood luck."
    assert read_answer(around) == found


def test_only_the_structured_field_says_that_nothing_was_heard():
    words = copy.deepcopy(ANSWER)
    words["heard"] = "absent, no vocalization, 没有, A = 0"
    words["marks"]["A"]["reason"] = "it is missing: no noticeable issues, hum"
    assert not read_answer(json.dumps(words)).is_absent
    assert read_answer(json.dumps(ANSWER | {"vocalization": "absent"})).is_absent


@pytest.mark.parametrize(
    "mark", [-1, 5.5, 6, 1e400, float("nan"), "4", None, True, [4], 3.141, 10**400]
)
@pytest.mark.parametrize("name", ["A", "N"])
def test_a_mark_that_is_none_makes_the_answer_none(name, mark):
    answer = copy.deepcopy(ANSWER)
    answer["marks"][name]["mark"] = mark
    with pytest.raises(MarkOutOfRange):
        read_answer(json.dumps(answer))


def test_zero_is_a_mark_of_the_vocalization_and_none_of_the_clip():
    answer = copy.deepcopy(ANSWER)
    answer["marks"]["A"]["mark"] = 0
    assert read_answer(json.dumps(answer)).marks["A"] == 0
    answer["marks"]["Q"]["mark"] = 0
    with pytest.raises(MarkOutOfRange):
        read_answer(json.dumps(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "", "no", "{", "[]", "null", '{"marks": ' + "[" * 90_000,
        json.dumps(ANSWER)[:-20],
        json.dumps(ANSWER | {"vocalization": "loud"}),
        json.dumps(ANSWER | {"issues": [{"kind": "hum", "severity": "minor"}]}),
        json.dumps(ANSWER | {"issues": [{"kind": "noise", "severity": 3}]}),
        json.dumps(ANSWER | {"issues": "none"}),
        json.dumps(ANSWER | {"heard": " "}),
        json.dumps(ANSWER | {"marks": {}}),
        json.dumps(ANSWER | {"marks": ANSWER["marks"] | {"X": {"reason": "", "mark": 1}}}),
        json.dumps(ANSWER | {"marks": dict.fromkeys("APNQE", 4)}),
        json.dumps(ANSWER | {"heard": "x" * 100_001}),
    ],
)  # fmt: skip
def test_an_answer_in_another_form_is_none_and_its_faults_repeat_nothing_of_it(answer):
    with pytest.raises(AnswerMalformed) as refused:
        read_answer(answer)
    assert refused.value.faults
    assert "hum" not in str(refused.value)


def test_only_a_text_with_right_tags_may_be_judged():
    labels = frozenset({"laugh", "hum"})
    assert is_tagged("Well [Laugh] no", labels)
    for text in ("Well", "Well [giggle] no", "Well [laugh] [", "[ ]", ""):
        assert not is_tagged(text, labels)


def test_an_answer_that_gives_a_mark_twice_gives_none():
    text = json.dumps(ANSWER)
    twice = text.replace('"mark": 4', '"mark": 4, "mark": 5', 1)
    with pytest.raises(AnswerMalformed):
        read_answer(twice)
    with pytest.raises(AnswerMalformed):
        read_answer(text[:-1] + ', "marks": ' + json.dumps(ANSWER["marks"]) + "}")
