"""Files of measurements and of scores by arm: every problem of a file, and no file that stops the reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.messages import render
from grading.scoring.tracks import latency, voice_agent
from grading.scoring.tracks.base import Checked
from grading.scoring.types import Limits

Row = dict[str, Any]

PROVENANCE: Row = {
    "provider": "Acme",
    "model": "ears",
    "version": "3.1",
    "route": "direct",
    "region": "asia-east2",
    "rtt_ms": 12.5,
    "machine": "L4",
    "date": "2026-11-20",
}
HEAD: Row = {"provenance": PROVENANCE}
RTF: Row = {"utt_id": "a", "leg": "stt", "mode": "batch", "measure": "rtf", "value_ms": 1_000}
END: Row = {
    "utt_id": "a",
    "leg": "stt",
    "mode": "streaming",
    "measure": "endpoint",
    "outcome": "final",
    "value_ms": 640,
}
RUN: Row = RTF | {"measure": "finalization", "run": 1}
VOICE: Row = {"utt_id": "b", "leg": "tts", "measure": "rtf", "value_ms": 5, "audio_ms": 10}
IDS = {"a": "en", "b": "en"}


def checked(*rows: Row | str, ids: Any = None) -> Checked:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return latency.TRACK.check(
        "\n".join(lines).encode(),
        ids=IDS if ids is None else ids,
        params=latency.TRACK.params({}),
        limits=Limits(),
    )


def problems(*rows: Row | str) -> list[tuple[str, int | None, object]]:
    found = checked(*rows).report.problems
    assert all(
        "{" not in render(one).replace("{&quot;", "") or "A row" in render(one) for one in found
    )
    return [
        (one.code, one.line, one.params.get("field")) for one in found if one.severity == "error"
    ]


def without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def test_a_whole_file_is_accepted_and_kept_in_nanoseconds() -> None:
    found = checked(HEAD, RTF | {"value_ms": 0.0000015}, END, VOICE | {"value_ms": 1.2345678})
    assert found.report.accepted
    rtf, end = found.predictions["a"]
    assert (rtf.value, end.value) == (2, 640_000_000)  # 1.5 ns: half to even
    (voice,) = found.predictions["b"]
    assert (voice.value, voice.audio) == (1_234_568, 10_000_000)
    assert [one.rtt_ms for one in found.predictions[""]] == ["12.5"]


@pytest.mark.parametrize("name", sorted(PROVENANCE))
def test_each_missing_field_of_the_provenance_is_a_problem(name: str) -> None:
    place = f"provenance.{name}"
    assert problems({"provenance": without(PROVENANCE, name)}, RTF) == [
        ("MISSING_REQUIRED_FIELD", 1, place)
    ]
    for blank in (None, " \t"):
        expected = "INVALID_FIELD_TYPE" if blank and name == "rtt_ms" else "BLANK_PROVENANCE"
        expected = "NO_DAY" if blank and name == "date" else expected
        assert problems({"provenance": PROVENANCE | {name: blank}}, RTF) == [(expected, 1, place)]


def test_everything_that_is_missing_is_listed_at_once() -> None:
    found = problems({"provenance": {}}, RTF | {"value_ms": -1}, without(END, "outcome"))
    assert len(found) == len(PROVENANCE) + 2
    assert {line for _, line, _ in found} == {1, 2, 3}


@pytest.mark.parametrize(
    ("more", "code", "field"),
    [
        ({"rtt_ms": -1}, "NUMBER_OUT_OF_RANGE", "rtt_ms"),
        ({"rtt_ms": 60_001}, "NUMBER_OUT_OF_RANGE", "rtt_ms"),
        ({"rtt_ms": "12"}, "INVALID_FIELD_TYPE", "rtt_ms"),
        ({"rtt_ms": True}, "INVALID_FIELD_TYPE", "rtt_ms"),
        ({"date": "2026-02-30"}, "NO_DAY", "date"),
        ({"date": "20261120"}, "NO_DAY", "date"),
        ({"date": "2026-W47-5"}, "NO_DAY", "date"),
        ({"date": 20_261_120}, "INVALID_FIELD_TYPE", "date"),
        ({"corrects": "soon"}, "NO_DAY", "corrects"),
        ({"corrects": "2026-11-21"}, "CORRECTS_WHAT_CAME_LATER", "corrects"),
        ({"part": "stt"}, "UNKNOWN_CHOICE", "part"),
        ({"model": "m" * 201}, "TEXT_TOO_LONG", "model"),
        ({"model": "m\0"}, "UNUSABLE_CHARACTER", "model"),
        ({"model": 3}, "INVALID_FIELD_TYPE", "model"),
        ({"model": "m\x07"}, "UNSEEN_CHARACTER", "model"),
        ({"machine": "L4 \u202etxet"}, "UNSEEN_CHARACTER", "machine"),
    ],
)
def test_provenance_that_says_nothing(more: Row, code: str, field: str) -> None:
    assert problems({"provenance": PROVENANCE | more}, RTF) == [(code, 1, f"provenance.{field}")]


def test_a_correction_of_the_same_day_is_one() -> None:
    same = {"provenance": PROVENANCE | {"corrects": "2026-11-20"}}
    assert checked(same, RTF).predictions[""][0].corrects == "2026-11-20"


def test_measurements_need_a_provenance_that_covers_them() -> None:
    voice = {"provenance": PROVENANCE | {"part": "tts"}}
    assert problems(RTF) == [("MISSING_PROVENANCE", None, None)]
    assert checked(voice, RTF).report.problems[0].params == {"reason": "part", "part": "batch"}
    assert problems(voice, VOICE) == []
    assert problems(voice, HEAD, RTF, VOICE) == []
    assert problems(HEAD, RTF, HEAD) == [("DUPLICATE_PROVENANCE", 3, "provenance")]
    assert problems({"provenance": 3}, RTF) == [("INVALID_FIELD_TYPE", 1, "provenance")]
    assert problems({"provenance": None}, RTF) == [("INVALID_FIELD_TYPE", 1, "provenance")]


BAD = (-0.0001, 21_600_001, 1e308, 10**300)


@pytest.mark.parametrize("value", BAD)
def test_numbers_out_of_range(value: float) -> None:
    wanted = [("NUMBER_OUT_OF_RANGE", 2, "value_ms")]
    for row in (RTF, END, RUN | {"run": 0}, RUN):
        assert problems(HEAD, row | {"value_ms": value}) == wanted
    assert problems(HEAD, VOICE | {"audio_ms": value}) == [("NUMBER_OUT_OF_RANGE", 2, "audio_ms")]
    heard = VOICE | {"measure": "ttfa", "perceived_ms": value}
    assert problems(HEAD, heard) == [("NUMBER_OUT_OF_RANGE", 2, "perceived_ms")]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_number(number: str) -> None:
    line = json.dumps(RTF).replace("1000", number)
    assert [code for code, _, _ in problems(HEAD, line, END)] == ["INVALID_JSON"]


def test_a_number_too_large_for_a_float_is_refused() -> None:
    line = json.dumps(RTF).replace("1000", "1e999")
    assert problems(HEAD, line) == [("NUMBER_OUT_OF_RANGE", 2, "value_ms")]


@pytest.mark.parametrize(
    ("row", "code", "field"),
    [
        (without(RTF, "leg"), "MISSING_REQUIRED_FIELD", "leg"),
        (without(RTF, "mode"), "MISSING_REQUIRED_FIELD", "mode"),
        (without(RTF, "measure"), "MISSING_REQUIRED_FIELD", "measure"),
        (without(RTF, "value_ms"), "MISSING_REQUIRED_FIELD", "value_ms"),
        (RTF | {"leg": None}, "INVALID_FIELD_TYPE", "leg"),
        (RTF | {"measure": None}, "INVALID_FIELD_TYPE", "measure"),
        (RTF | {"value_ms": None}, "INVALID_FIELD_TYPE", "value_ms"),
        (RTF | {"value_ms": False}, "INVALID_FIELD_TYPE", "value_ms"),
        (RTF | {"value_ms": [1]}, "INVALID_FIELD_TYPE", "value_ms"),
        (RTF | {"leg": "asr"}, "UNKNOWN_CHOICE", "leg"),
        (RTF | {"mode": "live"}, "UNKNOWN_CHOICE", "mode"),
        (RTF | {"measure": "ttfa"}, "UNKNOWN_CHOICE", "measure"),
        (RTF | {"measure": "endpoint"}, "UNKNOWN_CHOICE", "measure"),  # of batch there is none
        (VOICE | {"mode": "batch"}, "MODE_WITHOUT_RECOGNITION", "mode"),
        (VOICE | {"leg": "llm"}, "UNKNOWN_CHOICE", "measure"),
        (without(VOICE, "audio_ms"), "MISSING_REQUIRED_FIELD", "audio_ms"),
        (VOICE | {"audio_ms": 0}, "NUMBER_OUT_OF_RANGE", "audio_ms"),
        (without(RUN, "run"), "MISSING_REQUIRED_FIELD", "run"),
        (without(RUN, "value_ms"), "MISSING_REQUIRED_FIELD", "value_ms"),
        (RUN | {"run": 1.5}, "NO_WHOLE_NUMBER", "run"),
        (RUN | {"run": -1}, "NO_WHOLE_NUMBER", "run"),
        (RUN | {"run": None}, "INVALID_FIELD_TYPE", "run"),
        (END | {"outcome": "late"}, "UNKNOWN_CHOICE", "outcome"),
        (without(END, "outcome"), "MISSING_REQUIRED_FIELD", "outcome"),
        (without(END, "value_ms"), "MISSING_REQUIRED_FIELD", "value_ms"),
        (END | {"outcome": "no_endpoint"}, "TIME_OF_NO_ENDPOINT", "value_ms"),
    ],
)
def test_rows_that_measure_nothing(row: Row, code: str, field: str) -> None:
    assert problems(HEAD, row) == [(code, 2, field)]


def test_rows_that_may_lack_a_time() -> None:
    rows = [RUN | {"run": 0, "value_ms": None}, without(END, "value_ms") | {"outcome": "flush"}]
    silent = without(END, "value_ms") | {"utt_id": "b", "outcome": "no_endpoint"}
    found = checked(HEAD, *rows, silent)
    assert found.report.accepted
    assert [row.value for row in found.predictions["a"]] == [None, None]


def test_what_stands_twice() -> None:
    assert problems(HEAD, RTF, RTF) == [("DUPLICATE_MEASUREMENT", 3, "measure")]
    assert problems(HEAD, RTF, RTF | {"mode": "streaming"}) == []
    twice = RUN | {"utt_id": "b"}
    assert problems(HEAD, RUN, twice) == [("DUPLICATE_RUN", 3, "run")]
    assert problems(HEAD, RUN, twice | {"run": 2}, twice | {"mode": "streaming"}) == []


def test_files_of_nothing() -> None:
    assert problems(HEAD, {"provenance": 1}) == [
        ("NO_MEASUREMENTS", None, None),
        ("INVALID_FIELD_TYPE", 2, "provenance"),
    ]
    other = checked(HEAD, RTF | {"utt_id": "x"})
    assert {one.code for one in other.report.problems} == {"NO_MEASUREMENTS", "UNKNOWN_SAMPLES"}
    assert problems("") == [("EMPTY_FILE", None, None)]
    assert problems("[]") == [("EMPTY_FILE", None, None)]
    assert problems(HEAD, "[1]") == [
        ("NO_MEASUREMENTS", None, None), ("WRONG_SHAPE", 2, None)
    ]  # fmt: skip


def test_utterances_without_measurements_are_told_and_do_not_refuse() -> None:
    found = checked(HEAD, RTF)
    assert found.report.accepted
    (warning,) = found.report.problems
    assert (warning.code, warning.params["ids"]) == ("UTTERANCES_NOT_MEASURED", ["b"])


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=4,
)


@settings(max_examples=60)
@given(st.sampled_from([RTF, END, RUN, VOICE, HEAD, PROVENANCE]), st.data())
def test_no_value_of_a_field_stops_the_reader(row: Row, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(sorted({*row, "utt_id", "perceived_ms", "corrects"})))
    changed = row | {field: data.draw(ANYTHING)}
    changed = {"provenance": changed} if "model" in row else changed
    found = checked(HEAD, json.dumps(changed), RTF)
    for problem in found.report.problems:
        render(problem)


def test_scores_of_arms_are_read_alike() -> None:
    params = voice_agent.TRACK.params({"subtasks": {"chat": "gpt_1to5"}})
    row = {"utt_id": "a", "subtask": "chat", "arm": "text", "score": 4}

    def codes(*rows: Row | str) -> list[str]:
        lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
        found = voice_agent.TRACK.check(
            "\n".join(lines).encode(), ids={"a": "en"}, params=params, limits=Limits()
        )
        return [one.code for one in found.report.problems]

    assert codes(row, row | {"arm": "audio", "score": 4.3333333333333333}) == []
    assert codes(row) == ["SCORES_MISSING"]
    assert codes(row, row | {"arm": "audio", "score": None}) == ["SCORES_MISSING"]
    assert codes(row, row) == ["DUPLICATE_ARM", "SCORES_MISSING"]
    assert codes(row | {"score": 0.99})[0] == "NUMBER_OUT_OF_RANGE"
    assert codes(row | {"score": "4"})[0] == "INVALID_FIELD_TYPE"
    assert codes(without(row, "score"))[0] == "MISSING_REQUIRED_FIELD"
    assert codes(without(row, "arm"))[0] == "MISSING_REQUIRED_FIELD"
    assert codes(row | {"subtask": None})[0] == "INVALID_FIELD_TYPE"
    assert codes(row | {"utt_id": "x"}) == ["NO_SCORES", "UNKNOWN_SAMPLES"]
    assert codes(json.dumps(row).replace("4", "NaN"))[-1] == "INVALID_JSON"
    assert codes("") == ["EMPTY_FILE"]
