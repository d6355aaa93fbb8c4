"""Submissions that are refused: every kind of fault, with its code, its place and its words."""

from __future__ import annotations

import json

import pytest

from grading.scoring.types import Severity
from tests.scoring.formats.challenge import (
    BOM,
    GOOD,
    PRETTY_MAP,
    ROWS,
    TEXTS,
    check,
    codes,
    lines,
    sentences,
    with_text,
)

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
