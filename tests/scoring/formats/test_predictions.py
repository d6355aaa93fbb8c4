"""Submissions of every kind: what is accepted, what is refused, where and in which words."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.types import Limits, Severity
from tests.scoring.formats.challenge import (
    GOOD,
    IDS,
    LABELS,
    TEXTS,
    check,
    codes,
    good_rows,
    lines,
    sentences,
    with_text,
)

BOM = b"\xef\xbb\xbf"
ROWS = good_rows()
PRETTY_MAP = json.dumps(TEXTS, indent=2, ensure_ascii=False).encode()

SAME_READING = {
    "JSON Lines": (GOOD, "jsonl"),
    "escaped JSON Lines": (lines(*ROWS), "jsonl"),
    "no last line end": (GOOD.rstrip(), "jsonl"),
    "CRLF": (GOOD.replace(b"\n", b"\r\n"), "jsonl"),
    "lone CR": (GOOD.replace(b"\n", b"\r"), "jsonl"),
    "blank lines": (b"\n \n\t\r\n" + GOOD.replace(b"\n", b"\n\n  \n"), "jsonl"),
    "blanks around rows": (b"".join(b"  %b \t\n" % row for row in GOOD.splitlines()), "jsonl"),
    "a list on one line": (json.dumps(ROWS).encode(), "list"),
    "a list over many lines": (json.dumps(ROWS, indent=4).encode(), "list"),
    "a list, a row a line": (
        b"[\n" + b",\n".join(json.dumps(row).encode() for row in ROWS) + b"\n]",
        "list",
    ),
    "a map on one line": (json.dumps(TEXTS).encode(), "map"),
    "a map over many lines": (PRETTY_MAP, "map"),
    "other fields": (
        lines(*({**row, "score": 1e9, "x": [{"y": None}], "text": "[giggle]"} for row in ROWS)),
        "jsonl",
    ),
    "1e400 in an ignored field": (GOOD.replace(b"{", b'{"confidence": 1e400, '), "jsonl"),
    "a number of 400 digits": (GOOD.replace(b"{", b'{"n": %b, ' % (b"7" * 400)), "jsonl"),
    "nesting of 32": (
        GOOD.replace(b"{", b'{"x": %b1%b, ' % (b"[" * 31, b"]" * 31)),
        "jsonl",
    ),
    "brackets in ignored text": (GOOD.replace(b"{", b'{"x": "%b", ' % (b"[{" * 99)), "jsonl"),
    "blanks around ids": (
        lines(*({**row, "utt_id": f"\t{row['utt_id']} "} for row in ROWS)),
        "jsonl",
    ),
    "a language that agrees": (
        lines(*({**row, "language": f" {IDS[str(row['utt_id'])]} ".upper()} for row in ROWS)),
        "jsonl",
    ),
}


@pytest.mark.parametrize("kind", SAME_READING)
def test_every_accepted_reading_gives_the_same_predictions(kind: str) -> None:
    data, reading = SAME_READING[kind]
    checked = check(data)
    assert checked.report.accepted, sentences(checked)
    assert checked.report.reading == reading
    assert checked.report.rows == len(TEXTS)
    assert checked.predictions == TEXTS


def test_one_object_is_one_row_over_one_line_or_several() -> None:
    ids = {"utt_0001": "en"}
    for indent in (None, 2):
        data = json.dumps(ROWS[0], indent=indent).encode()
        checked = check(data, ids=ids)
        assert checked.predictions == {"utt_0001": TEXTS["utt_0001"]}


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\u000b", "\u000c", "\u001e"])
def test_only_lf_crlf_and_cr_end_a_line(mark: str) -> None:
    text = f"you should have{mark}seen his face"
    raw = json.dumps({"utt_id": "utt_0002", "text_with_nvvs": text}, ensure_ascii=ord(mark) < 32)
    rows = [raw.encode() if row["utt_id"] == "utt_0002" else row for row in ROWS]
    checked = check(lines(*rows))
    assert checked.report.accepted, sentences(checked)
    assert checked.predictions["utt_0002"] == text


@pytest.mark.parametrize(
    ("data", "count"),
    [(BOM + GOOD, 1), (b"".join(BOM + row + b"\n" for row in GOOD.splitlines()), 4)],
)
def test_byte_order_marks_are_dropped_with_a_warning(data: bytes, count: int) -> None:
    checked = check(data)
    assert checked.predictions == TEXTS
    assert codes(checked) == ["BYTE_ORDER_MARK"] * count


# kind: (data, code, line, utt_id, words)
REFUSED: dict[str, tuple[bytes, str, int | None, str | None, list[str]]] = {
    "nothing": (b"", "EMPTY_FILE", None, None, ["empty"]),
    "blank lines": (b"\n\r\n  \t\n\r", "EMPTY_FILE", None, None, ["empty"]),
    "a byte order mark alone": (BOM, "EMPTY_FILE", None, None, ["empty"]),
    "an empty list": (b" [ ]\n", "EMPTY_FILE", None, None, ["empty", "missing"]),
    "an empty map": (b"{}", "EMPTY_FILE", None, None, ["empty", "missing"]),
    "a row cut short": (
        GOOD.replace(b' face"}', b""),
        "INVALID_JSON",
        2,
        "utt_0002",
        ["line 2", "column"],
    ),
    "objects glued": (GOOD.replace(b"}\n{", b"}{"), "INVALID_JSON", 1, "utt_0001", ["column 81"]),
    "objects over many lines": (
        "\n".join(json.dumps(row, indent=1) for row in ROWS).encode(),
        "INVALID_JSON",
        5,
        None,
        ["line of its own"],
    ),
    "a list glued to a list": (
        b"[%b][%b]" % (GOOD.splitlines()[0], GOOD.splitlines()[1]),
        "INVALID_JSON",
        1,
        None,
        ["follows the end"],
    ),
    "a comma after the last row": (
        b"[\n" + b",\n".join(GOOD.splitlines()) + b",\n]",
        "INVALID_JSON",
        5,
        None,
        ["comma"],
    ),
    "a comma after the last field": (
        GOOD.replace(b'face"}', b'face",}'),
        "INVALID_JSON",
        2,
        "utt_0002",
        ["comma"],
    ),
    "a missing comma between rows": (
        b"[" + GOOD.replace(b"\n", b"") + b"]",
        "INVALID_JSON",
        1,
        None,
        ["comma"],
    ),
    "a list cut short": (b"[" + GOOD.splitlines()[0], "INVALID_JSON", 1, None, ["cut short"]),
    "single quotes": (repr(ROWS).encode(), "INVALID_JSON", 1, "utt_0001", ["quote"]),
    "single quotes, a row a line": (
        "\n".join(map(repr, ROWS)).encode(),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["quote"],
    ),
    "True and None": (
        GOOD.replace(b"{", b'{"x": None, '),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["value"],
    ),
    "NaN": (
        GOOD.replace(b"{", b'{"c": NaN, ', 1),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["NaN", "column 7"],
    ),
    "minus infinity": (
        GOOD.replace(b"{", b'{"c": [-Infinity], ', 1),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["-Infinity"],
    ),
    "a comment": (b"// mine\n" + GOOD, "INVALID_JSON", 1, None, ["line 1"]),
    "CSV": (b"utt_id,text\nutt_0001,hello\n", "INVALID_JSON", 1, None, ["line 1"]),
    "a bad escape": (
        GOOD.replace(b"we missed", b"we \\missed"),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["backslash"],
    ),
    "a raw tab in a string": (
        GOOD.replace(b"we missed", b"we\tmissed"),
        "INVALID_JSON",
        1,
        "utt_0001",
        ["control"],
    ),
    "a raw NUL in a text": (
        GOOD.replace(b"we missed", b"we\0missed"),
        "INVALID_ENCODING",
        1,
        "utt_0001",
        ["byte 44"],
    ),
    "an escaped NUL in a text": (
        with_text("a\0b"),
        "INVALID_ENCODING",
        2,
        "utt_0002",
        ["NUL", "byte"],
    ),
    "Latin-1": (
        GOOD.decode().encode("latin-1", "ignore"),
        "INVALID_ENCODING",
        4,
        "utt_0004",
        ["utf-8", "byte"],
    ),
    "GBK": (
        GOOD.decode().replace("é", "e").encode("gbk"),
        "INVALID_ENCODING",
        3,
        "utt_0003",
        ["utf-8"],
    ),
    "UTF-16": (
        GOOD.decode().encode("utf-16"),
        "INVALID_ENCODING",
        1,
        None,
        ["UTF-16", "utf-8", "encoding"],
    ),
    "UTF-16 without a mark": (
        GOOD.decode().encode("utf-16-le"),
        "INVALID_ENCODING",
        1,
        None,
        ["UTF-16"],
    ),
    "UTF-32": (GOOD.decode().encode("utf-32"), "INVALID_ENCODING", 1, None, ["UTF-32"]),
    "a surrogate in bytes": (
        GOOD.replace(b"caf\xc3\xa9", b"caf\xed\xa0\x80"),
        "INVALID_ENCODING",
        4,
        "utt_0004",
        ["byte"],
    ),
    "a lone high surrogate": (
        with_text("a \ud83d b"),
        "INVALID_ENCODING",
        2,
        "utt_0002",
        ["\\ud83d"],
    ),
    "a lone low surrogate": (with_text("\ude00"), "INVALID_ENCODING", 2, "utt_0002", ["\\ude00"]),
    "surrogates the wrong way round": (
        with_text("\ude00\ud83d"),
        "INVALID_ENCODING",
        2,
        "utt_0002",
        ["\\ude00"],
    ),
    "a surrogate in a key": (
        lines(*ROWS[:3], {**ROWS[3], "\udfff": 1}),
        "INVALID_ENCODING",
        4,
        "utt_0004",
        ["\\udfff"],
    ),
    "a surrogate in an ignored field": (
        lines({**ROWS[0], "x": [{"y": "\udc80"}]}, *ROWS[1:]),
        "INVALID_ENCODING",
        1,
        "utt_0001",
        ["\\udc80"],
    ),
    "a surrogate in an id": (
        lines(*ROWS, {"utt_id": "utt_\udc80", "text_with_nvvs": "x"}),
        "INVALID_ENCODING",
        5,
        "utt_\\udc80",
        ["utt_"],
    ),
    "the same key twice": (
        GOOD.replace(b"}", b', "utt_id": "utt_0001"}', 1),
        "DUPLICATE_JSON_KEY",
        1,
        "utt_0001",
        ["utt_id", "twice"],
    ),
    "the same key twice, deep inside": (
        GOOD.replace(b"{", b'{"x": [{"a": 1, "a": 2}], ', 1),
        "DUPLICATE_JSON_KEY",
        1,
        "utt_0001",
        ["twice"],
    ),
    "the same id twice": (
        lines(*ROWS, ROWS[1]),
        "DUPLICATE_UTT_ID",
        5,
        "utt_0002",
        ["twice", "line 2"],
    ),
    "the same id twice after trimming": (
        lines(*ROWS, {**ROWS[1], "utt_id": "utt_0002\u3000"}),
        "DUPLICATE_UTT_ID",
        5,
        "utt_0002",
        ["duplicate", "line 2"],
    ),
    "the same unknown id twice": (
        lines(*ROWS, *2 * [{"utt_id": "z", "text_with_nvvs": ""}]),
        "DUPLICATE_UTT_ID",
        6,
        "z",
        ["line 5"],
    ),
    "the same id twice in a map": (
        PRETTY_MAP.replace(b"utt_0003", b"utt_0001"),
        "DUPLICATE_UTT_ID",
        4,
        "utt_0001",
        ["line 2", "twice"],
    ),
    "a row that is a string": (lines(*ROWS, "x"), "WRONG_SHAPE", 5, None, ["object", "string"]),
    "a row that is a list": (lines(*ROWS, []), "WRONG_SHAPE", 5, None, ["list", "utt_id"]),
    "a row that is a number": (lines(*ROWS, 7), "WRONG_SHAPE", 5, None, ["number"]),
    "a row that is null": (lines(*ROWS, None), "WRONG_SHAPE", 5, None, ["null"]),
    "a list in a list": (json.dumps([ROWS]).encode(), "WRONG_SHAPE", 1, None, ["list", "object"]),
    "a list of texts": (
        json.dumps(list(TEXTS.values()), indent=0).encode(),
        "WRONG_SHAPE",
        2,
        None,
        ["object"],
    ),
    "a wrapped list": (
        json.dumps({"version": 1, "predictions": ROWS}).encode(),
        "WRONG_SHAPE",
        1,
        None,
        ["list", "predictions"],
    ),
    "a wrapped list with a name": (
        json.dumps({"model": "x", "data": ROWS}, indent=2).encode(),
        "WRONG_SHAPE",
        1,
        None,
        ["list", "data"],
    ),
    "a map of objects": (
        json.dumps({i: {"text_with_nvvs": t} for i, t in TEXTS.items()}).encode(),
        "WRONG_SHAPE",
        1,
        None,
        ["list", "utt_id"],
    ),
    "no id": (
        lines({"text_with_nvvs": "x"}, *ROWS),
        "MISSING_REQUIRED_FIELD",
        1,
        None,
        ["utt_id", "line 1"],
    ),
    "an id that is a number": (
        lines({**ROWS[0], "utt_id": 1}, *ROWS),
        "INVALID_FIELD_TYPE",
        1,
        None,
        ["utt_id", "string", "number"],
    ),
    "an id that is null": (
        lines({**ROWS[0], "utt_id": None}, *ROWS),
        "INVALID_FIELD_TYPE",
        1,
        None,
        ["null"],
    ),
    "a blank id": (
        lines({**ROWS[0], "utt_id": " \u3000"}, *ROWS),
        "EMPTY_REQUIRED_FIELD",
        1,
        None,
        ["utt_id", "blank"],
    ),
    "a path as an id": (
        lines(*ROWS, {"utt_id": "../../x", "text_with_nvvs": ""}),
        "INVALID_UTT_ID",
        5,
        "../../x",
        ["utt_id"],
    ),
    "a backslash in an id": (
        lines(*ROWS, {"utt_id": "a\\b", "text_with_nvvs": ""}),
        "INVALID_UTT_ID",
        5,
        "a\\b",
        ["slash"],
    ),
    "a control character in an id": (
        lines(*ROWS, {"utt_id": "a\x1b[31m", "text_with_nvvs": ""}),
        "INVALID_UTT_ID",
        5,
        "a\\u001b[31m",
        ["control"],
    ),
    "NUL in an id": (
        lines(*ROWS, {"utt_id": "utt_0002\0", "text_with_nvvs": ""}),
        "INVALID_UTT_ID",
        5,
        "utt_0002\\u0000",
        ["utt_0002"],
    ),
    "an endless id": (
        lines(*ROWS, {"utt_id": "u" * 201, "text_with_nvvs": ""}),
        "INVALID_UTT_ID",
        5,
        None,
        ["long", "200"],
    ),
    "a misspelt key": (
        GOOD.replace(b"text_with_nvvs", b"text_with_nvv"),
        "MISSING_REQUIRED_FIELD",
        1,
        "utt_0001",
        ["text_with_nvvs", "text_with_nvv"],
    ),
    "no text": (
        lines({"utt_id": "utt_0001"}, *ROWS[1:]),
        "MISSING_REQUIRED_FIELD",
        1,
        "utt_0001",
        ["text_with_nvvs"],
    ),
    "a text that is null": (with_text(None), "INVALID_FIELD_TYPE", 2, "utt_0002", ["null"]),
    "a text that is a number": (with_text(3), "INVALID_FIELD_TYPE", 2, "utt_0002", ["number"]),
    "a text that is NaN's like": (
        with_text(None).replace(b"null", b"1e400"),
        "INVALID_FIELD_TYPE",
        2,
        "utt_0002",
        ["number"],
    ),
    "a text that is a list": (with_text(["x"]), "INVALID_FIELD_TYPE", 2, "utt_0002", ["string"]),
    "a text that is an object": (with_text({}), "INVALID_FIELD_TYPE", 2, "utt_0002", ["string"]),
    "a wrong type in an unknown row": (
        lines(*ROWS, {"utt_id": "z", "text_with_nvvs": 1}),
        "INVALID_FIELD_TYPE",
        5,
        "z",
        ["string"],
    ),
    "a null in a map": (
        PRETTY_MAP.replace(json.dumps(TEXTS["utt_0002"]).encode(), b"null"),
        "INVALID_FIELD_TYPE",
        3,
        "utt_0002",
        ["null"],
    ),
    "nesting of 33": (
        GOOD.replace(b"{", b'{"x": %b1%b, ' % (b"[" * 32, b"]" * 32), 1),
        "JSON_TOO_DEEP",
        1,
        "utt_0001",
        ["32", "nest"],
    ),
    "a number of 401 digits": (
        GOOD.replace(b"{", b'{"n": -%b, ' % (b"7" * 401), 1),
        "NUMBER_TOO_LARGE",
        1,
        "utt_0001",
        ["400"],
    ),
    "a fraction of 500 digits": (
        GOOD.replace(b"{", b'{"n": 0.%be-3, ' % (b"7" * 500), 1),
        "NUMBER_TOO_LARGE",
        1,
        "utt_0001",
        ["400"],
    ),
    "an utterance missing": (lines(*ROWS[:3]), "MISSING_SAMPLES", None, "utt_0004", ["utt_0004"]),
    "every text blank": (
        lines(*({**row, "text_with_nvvs": " \u3000"} for row in ROWS)),
        "EMPTY_PREDICTIONS",
        None,
        None,
        ["blank"],
    ),
    "a text too long": (with_text("ha " * 667), "TEXT_TOO_LONG", 2, "utt_0002", ["long", "2001"]),
    "a long run of marks": (
        with_text("e" + "\u0301" * 200_000),
        "TEXT_TOO_LONG",
        2,
        "utt_0002",
        ["long"],
    ),
    "too many tags": (with_text("[laugh]" * 101), "TOO_MANY_TAGS", 2, "utt_0002", ["101", "100"]),
    "an unknown tag": (
        with_text("[chuckle] x"),
        "UNSUPPORTED_NVV_TAG",
        2,
        "utt_0002",
        ["[chuckle]", "did you mean [laugh]"],
    ),
    "an unknown tag with a Cyrillic letter": (
        with_text("[sigh] and [\u0455igh]"),
        "UNSUPPORTED_NVV_TAG",
        2,
        "utt_0002",
        ["U+0455", "character 12"],
    ),
    "an empty tag": (with_text("a [ \u3000] b"), "EMPTY_NVV_TAG", 2, "utt_0002", ["empty"]),
    "a bracket left open": (
        with_text("a [laugh b"),
        "MALFORMED_NVV_TAG",
        2,
        "utt_0002",
        ["bracket"],
    ),
    "a bracket in a tag": (with_text("[[laugh]]"), "MALFORMED_NVV_TAG", 2, "utt_0002", ["bracket"]),
    "many open brackets": (
        with_text("[" * 60_000),
        "MALFORMED_NVV_TAG",
        2,
        "utt_0002",
        ["bracket"],
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_fault_is_refused_with_its_code_and_place(kind: str) -> None:
    data, code, line, utt_id, words = REFUSED[kind]
    checked = check(data)
    assert not checked.report.accepted
    assert checked.predictions == {}
    found = [problem for problem in checked.report.problems if problem.code == code]
    assert found, codes(checked)
    assert found[0].severity is Severity.ERROR
    assert found[0].line == line
    assert utt_id is None or found[0].utt_id == utt_id
    for word in words:
        assert word.lower() in sentences(checked).lower()


@pytest.mark.parametrize("kind", REFUSED)
def test_a_report_can_be_stored_and_sent(kind: str) -> None:
    checked = check(REFUSED[kind][0])
    for problem in checked.report.problems:
        kept = json.dumps(
            [problem.line, problem.member, problem.utt_id, problem.params],
            ensure_ascii=False,
            allow_nan=False,
        )
        assert "\\u0000" not in kept.replace("\\\\u0000", "")
        kept.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "EMPTY_TEXT"),
        (" \u3000\n", "EMPTY_TEXT"),
        ("...", "TEXT_WITHOUT_UNITS"),
        ("☺ — ！", "TEXT_WITHOUT_UNITS"),
        ("(laugh) ok", "LOOKS_LIKE_TAG"),
        ("ok 【笑声】", "LOOKS_LIKE_TAG"),
        ("<sigh> ok", "LOOKS_LIKE_TAG"),
        ("［cough］ ok", "LOOKS_LIKE_TAG"),
        ("（giggle） ok", "LOOKS_LIKE_TAG"),
    ],
)
def test_a_warning_does_not_reject(text: str, code: str) -> None:
    checked = check(with_text(text))
    assert checked.report.accepted
    assert codes(checked) == [code]
    assert checked.report.problems[0].severity is Severity.WARNING
    assert checked.report.problems[0].line == 2
    assert checked.predictions["utt_0002"] == text


@pytest.mark.parametrize("text", ["[laugh]", "[laugh] [sigh]", "(not here) ok", "<b>ok</b>", "1"])
def test_a_right_text_gets_no_word(text: str) -> None:
    assert codes(check(with_text(text))) == []


def test_a_language_that_disagrees_is_a_warning() -> None:
    checked = check(lines({**ROWS[0], "language": "zh"}, *ROWS[1:]))
    assert checked.report.accepted
    assert codes(checked) == ["LANGUAGE_MISMATCH"]


def test_rows_with_unknown_ids_are_ignored_with_a_warning() -> None:
    others = [{"utt_id": f"x{n}", "text_with_nvvs": "[giggle] [" + "a" * 3000} for n in range(30)]
    checked = check(lines(*ROWS, *others))
    assert checked.report.accepted
    assert codes(checked) == ["UNKNOWN_SAMPLES"]
    assert checked.predictions == TEXTS
    params = checked.report.problems[0].params
    assert params["count"] == 30
    assert params["ids"] == [f"x{n}" for n in range(20)]


@pytest.mark.parametrize(
    ("written", "differs"),
    [
        ("UTT_0001", "case"),
        ("utt _0001", "spaces"),
        ("utt_0001.wav", "ending"),
        ("ｕｔｔ_0001", "form"),
    ],
)
def test_an_id_that_is_nearly_right_is_hinted_at(written: str, differs: str) -> None:
    checked = check(lines({**ROWS[0], "utt_id": written}, *ROWS[1:]))
    assert codes(checked) == ["MISSING_SAMPLES", "UNKNOWN_SAMPLES"]
    hint = {"found": written, "meant": "utt_0001", "differs": differs}
    assert checked.report.problems[1].params["hints"] == [hint]
    assert f'"{written}" is "utt_0001"' in sentences(checked)


def test_missing_utterances_are_named_up_to_twenty() -> None:
    ids = {f"u{n:03d}": "en" for n in range(50)}
    checked = check(lines({"utt_id": "u049", "text_with_nvvs": "x"}), ids=ids)
    params = checked.report.problems[0].params
    assert (params["count"], params["of"]) == (49, 50)
    assert params["ids"] == [f"u{n:03d}" for n in range(20)]


def test_traditional_characters_are_told_above_five_percent() -> None:
    ids = {"a": "zh", "b": "zh"}
    few = lines(
        {"utt_id": "a", "text_with_nvvs": "我们" * 10}, {"utt_id": "b", "text_with_nvvs": "們"}
    )
    many = lines({"utt_id": "a", "text_with_nvvs": "我們"}, {"utt_id": "b", "text_with_nvvs": "笑"})
    assert codes(check(few, ids=ids)) == []
    checked = check(many, ids=ids)
    assert checked.report.accepted
    assert codes(checked) == ["TRADITIONAL_CHARACTERS"]
    assert "們" in sentences(checked)
    english = dict.fromkeys(ids, "en")
    assert codes(check(many, ids=english)) == []


def test_a_manifest_without_languages_is_enough() -> None:
    checked = check(GOOD, ids=dict.fromkeys(IDS))
    assert checked.predictions == TEXTS
    assert codes(checked) == []


def test_every_problem_is_found_and_not_only_the_first() -> None:
    data = lines(
        {"utt_id": "utt_0001", "text_with_nvvs": "[giggle] and [chuckle] and [giggle]"},
        b"{broken",
        {"utt_id": "utt_0002", "text_with_nvvs": None},
        {"utt_id": "utt_0003", "text_with_nvvs": "[", "a": 1},
        {"utt_id": "utt_0003", "text_with_nvvs": "[]"},
        "x",
    )
    checked = check(data)
    assert codes(checked) == [
        "UNSUPPORTED_NVV_TAG",
        "UNSUPPORTED_NVV_TAG",
        "INVALID_JSON",
        "INVALID_FIELD_TYPE",
        "MALFORMED_NVV_TAG",
        "DUPLICATE_UTT_ID",
        "EMPTY_NVV_TAG",
        "WRONG_SHAPE",
        "MISSING_SAMPLES",
    ]
    assert [p.line for p in checked.report.problems] == [1, 1, 2, 3, 4, 5, 5, 6, None]
    assert checked.report.problems[0].params["count"] == 2
    assert "2 rows could not be read or have no utt_id: mend those first" in sentences(checked)


def test_rows_that_cannot_be_read_come_before_the_utterances_that_they_leave_missing() -> None:
    ids = {f"u{n:04d}": "en" for n in range(400)}
    checked = check(lines(*[{"id": i, "text_with_nvvs": "x"} for i in ids]), ids=ids)
    report = checked.report
    assert [problem.code for problem in report.problems] == [
        *["MISSING_REQUIRED_FIELD"] * 99,
        "MISSING_SAMPLES",
    ]
    assert [(one.code, one.count) for one in report.counts] == [
        ("MISSING_REQUIRED_FIELD", 400),
        ("MISSING_SAMPLES", 1),
    ]
    whole = check(lines({"utt_id": "u0001", "text_with_nvvs": "[x]"}), ids=ids)
    assert codes(whole) == ["MISSING_SAMPLES", "UNSUPPORTED_NVV_TAG"]


@pytest.mark.parametrize("opened", ["【laugh】", "（laugh）", "<laugh>"])
def test_a_file_whose_tags_are_all_in_other_brackets_is_warned_of(opened: str) -> None:
    ids = {"a": "zh", "b": "zh"}
    rows = [{"utt_id": i, "text_with_nvvs": f"{opened} 好"} for i in ids]
    checked = check(lines(*rows), ids=ids)
    assert checked.report.accepted
    assert codes(checked)[0] == "NO_TAGS_READ"
    assert "the score will be near zero" in sentences(checked)
    rows[0]["text_with_nvvs"] += "[laugh]"
    assert "NO_TAGS_READ" not in codes(check(lines(*rows), ids=ids))


def test_one_broken_row_does_not_hide_the_next_in_a_list() -> None:
    rows = [json.dumps(row) for row in ROWS]
    rows[1] = rows[1].replace('"text_with_nvvs":', '"text_with_nvvs"')
    rows[3] = rows[3].replace("please", "[please]")
    checked = check(("[\n" + ",\n".join(rows) + "\n]").encode())
    assert codes(checked) == ["INVALID_JSON", "UNSUPPORTED_NVV_TAG"]
    assert [p.line for p in checked.report.problems] == [3, 5]
    assert checked.report.problems[0].utt_id == "utt_0002"


def test_the_line_of_an_element_is_where_it_starts() -> None:
    data = json.dumps([*ROWS[:3], {**ROWS[3], "text_with_nvvs": "[x]"}], indent=2).encode()
    checked = check(data)
    assert checked.report.problems[0].line == 14
    crlf = check(data.replace(b"\n", b"\r\n"))
    assert crlf.report.problems[0].line == 14
    assert check(data.replace(b"\n", b"\r")).report.problems[0].line == 14


def test_at_most_a_hundred_problems_are_listed_and_all_are_counted() -> None:
    ids = {f"u{n:04d}": "en" for n in range(400)}
    rows = [
        {"utt_id": i, "text_with_nvvs": "(laugh) [x]" if n % 2 else " "} for n, i in enumerate(ids)
    ]
    checked = check(lines(*rows[:-1]), ids=ids)
    report = checked.report
    assert len(report.problems) == 100
    assert report.total == 1 + 199 + 199 + 200
    assert report.errors == 1 + 199
    assert report.problems[0].code == "MISSING_SAMPLES"
    assert {one.code: one.count for one in report.counts} == {
        "MISSING_SAMPLES": 1,
        "UNSUPPORTED_NVV_TAG": 199,
        "EMPTY_TEXT": 200,
        "LOOKS_LIKE_TAG": 199,
    }
    assert [p.line for p in report.problems[1:]] == list(range(2, 200, 2))
    assert {p.severity for p in report.problems} == {Severity.ERROR}


def test_limits_are_settings() -> None:
    assert codes(check(GOOD, limits=Limits(file_bytes=len(GOOD) - 1))) == ["FILE_TOO_LARGE"]
    assert codes(check(GOOD, limits=Limits(rows=3))) == ["TOO_MANY_ROWS"]
    assert "TEXT_TOO_LONG" in codes(check(GOOD, limits=Limits(text_characters=30)))
    assert codes(check(with_text("[sigh][sigh]"), limits=Limits(tags=1))) == ["TOO_MANY_TAGS"]


def test_a_path_is_read_like_bytes(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(GOOD)
    assert check(path) == check(GOOD)
    assert codes(check(path, limits=Limits(file_bytes=10))) == ["FILE_TOO_LARGE"]


def test_progress_is_told_now_and_then_and_rises() -> None:
    calls: list[tuple[int, int]] = []
    ids = {f"u{n}": "en" for n in range(5000)}
    data = lines(*({"utt_id": i, "text_with_nvvs": "x"} for i in ids))
    check(data, ids=ids, progress=lambda done, total: calls.append((done, total)))
    assert 10 < len(calls) <= 100
    assert calls == sorted(calls)
    assert {total for _, total in calls} == {len(data)}


@given(st.integers(0, 2**32), st.sampled_from(["jsonl", "list", "map"]), st.integers(1, 4))
def test_changed_bytes_are_answered_and_never_raise(seed: int, form: str, changes: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    whole = {"jsonl": GOOD, "list": json.dumps(ROWS).encode(), "map": PRETTY_MAP}[form]
    data = bytearray(whole)
    for _ in range(changes):
        place = chance.randrange(len(data))
        data[place : place + chance.choice([0, 1])] = chance.choice(
            [
                b"\xff",
                b"{",
                b"}",
                b"[",
                b"]",
                b'"',
                b"\\",
                b"\n",
                b",",
                b":",
                b"\0",
                b"\\ud800",
                b"1",
            ]
        )
    checked = check(bytes(data))
    assert checked.report.accepted or checked.report.problems
    sentences(checked).encode("utf-8")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_answered_and_never_raises(value: Any) -> None:
    checked = check(json.dumps(value).encode())
    assert not checked.report.accepted
    assert checked.report.problems
    sentences(checked).encode("utf-8")


@given(st.text(max_size=200))
def test_any_text_is_accepted_or_has_a_problem_on_its_line(text: str) -> None:
    checked = check(with_text(text))
    if checked.report.accepted:
        assert checked.predictions["utt_0002"] == text
    else:
        assert {p.line for p in checked.report.problems} == {2}


MIB = 1 << 20
SIZE = MIB // 10
HOSTILE = {
    "open brackets": b"[" * SIZE,
    "open braces": b"{" * SIZE,
    "pairs of brackets": b"[]" * (SIZE // 2),
    "brackets on lines": b"[\n" * (SIZE // 2),
    "quotes": b'"' * SIZE,
    "escaped quotes": b'["' + b'\\"' * (SIZE // 2),
    "backslashes": b'["' + b"\\" * SIZE,
    "digits": b"1" * SIZE,
    "runs of 400 digits": b"[" + (b"1" * 400 + b",") * (SIZE // 401) + b"1]",
    "exponents": b'{"utt_id": "a", "x": ' + b"1e." * (SIZE // 3) + b"}",
    "nested objects": b'{"a":' * (SIZE // 5),
    "surrogates": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"\\ud800" * (SIZE // 6) + b'"}',
    "tags": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"[laugh]" * (SIZE // 7) + b'"}',
    "brackets in a text": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"[" * SIZE + b'"}',
    "marks": b'{"utt_id": "utt_0001", "text_with_nvvs": "'
    + "\u0301".encode() * (SIZE // 2)
    + b'"}',
    "keys": b"{" + b'"a": "", ' * (SIZE // 9) + b'"a": ""}',
    "bad rows on one line": b"[" + b"NaN," * (SIZE // 4) + b"1]",
    "rows without commas": b"[" + b'{"a": 1}' * (SIZE // 8) + b"]",
    "NUL": bytes(SIZE),
    "bad bytes on lines": b"\xff\n" * (SIZE // 2),
    "numbers on lines": b"1\n" * (SIZE // 2),
    "line ends": b"\r\n" * (SIZE // 2),
    "marks of byte order": BOM * (SIZE // 3),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_answered_in_linear_time(kind: str) -> None:
    start = time.process_time()
    assert not check(HOSTILE[kind]).report.accepted
    assert time.process_time() - start < 10  # quadratic work on 100 KiB would take minutes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["open brackets", "pairs of brackets", "marks", "digits", "tags"])
def test_a_hostile_file_at_the_size_limit_is_answered_in_seconds(kind: str) -> None:
    data = HOSTILE[kind] * 200
    start = time.process_time()
    assert not check(data[: 20 * MIB]).report.accepted
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    "data", [b"[" * 5000, b"[" * 99 + b"]" * 99, b'{"a":' * 99, b'[{"a":' * 99]
)
def test_nesting_without_end_is_told_as_nesting(data: bytes) -> None:
    assert "JSON_TOO_DEEP" in codes(check(data))
    assert "nested deeper than 32" in sentences(check(data))


def test_a_long_text_of_tags_is_refused_for_both() -> None:
    checked = check(with_text("[laugh]" * 5000))
    assert codes(checked) == ["TEXT_TOO_LONG", "TOO_MANY_TAGS"]
    assert checked.report.problems[1].params["tags"] == 5000


def test_labels_are_the_competitions_own() -> None:
    assert "sigh" in LABELS
    assert codes(check(GOOD, labels=frozenset({"laugh"}))) == ["UNSUPPORTED_NVV_TAG"]
