"""Submissions that are read: in every form, with what is said of them and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grading.scoring.types import Limits, Severity
from tests.scoring.formats.challenge import (
    BOM,
    GOOD,
    IDS,
    LABELS,
    PRETTY_MAP,
    ROWS,
    TEXTS,
    check,
    codes,
    lines,
    sentences,
    with_text,
)

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


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        ("x" * 2000, "x"),
        ("\U0001f600" * 2000, "x"),
        ("[laugh]" * 100, "[laugh]"),
        ("[laugh]" * 100, "[ LAUGH ]"),
    ],
)
def test_a_text_may_be_as_long_as_the_limit(text: str, beyond: str) -> None:
    assert check(with_text(text)).report.accepted
    assert set(codes(check(with_text(text + beyond)))) <= {"TEXT_TOO_LONG", "TOO_MANY_TAGS"}
    assert not check(with_text(text + beyond)).report.accepted


def test_faulty_tags_count_as_tags() -> None:
    assert "TOO_MANY_TAGS" in codes(check(with_text("[laugh]" * 99 + "[x][y]")))


def test_an_id_may_have_200_characters() -> None:
    for length, code in ((200, "UNKNOWN_SAMPLES"), (201, "INVALID_UTT_ID")):
        row = {"utt_id": "\U0001f600" * length, "text_with_nvvs": ""}
        assert codes(check(lines(*ROWS, row))) == [code]


@pytest.mark.parametrize("sign", ["\x01", "\x7f", "\x80", "\x9f", "\u2028", "\u2029", "/", "\\"])
def test_a_sign_that_no_id_has_is_refused_in_known_and_unknown_ids(sign: str) -> None:
    for written in (f"z{sign}z", f"utt{sign}_0001"):
        checked = check(lines(*ROWS, {"utt_id": written, "text_with_nvvs": ""}))
        assert codes(checked) == ["INVALID_UTT_ID"]


def test_the_limits_are_those_of_the_protocol() -> None:
    mib = 1024 * 1024
    assert Limits() == Limits(
        file_bytes=20 * mib,
        unpacked_bytes=64 * mib,
        ratio=100,
        text_characters=2_000,
        tags=100,
        depth=32,
        digits=400,
        utt_id_characters=200,
        listed_problems=100,
    )


def test_a_language_of_null_is_none_and_gets_no_word() -> None:
    assert codes(check(lines({**ROWS[0], "language": None}, *ROWS[1:]))) == []


def test_five_percent_of_traditional_characters_get_no_word() -> None:
    ids = {"a": "zh"}
    for simplified, told in ((19, []), (18, ["TRADITIONAL_CHARACTERS"])):
        row = {"utt_id": "a", "text_with_nvvs": "们" * simplified + "們"}
        assert codes(check(lines(row), ids=ids)) == told


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


def test_labels_are_the_competitions_own() -> None:
    assert "sigh" in LABELS
    assert codes(check(GOOD, labels=frozenset({"laugh"}))) == ["UNSUPPORTED_NVV_TAG"]
