"""Files that are cut, joined or written otherwise than they should be: a code and a place for each."""

from __future__ import annotations

import json

import pytest

from grading.scoring.messages import render
from tests.scoring.formats.challenge import GOOD, PRETTY_MAP, ROWS, TEXTS, check, codes, sentences
from tests.scoring.formats.zips import DEFLATED, Part, make_zip

WHOLE = {
    "lines": GOOD,
    "list": json.dumps(ROWS).encode(),
    "map": PRETTY_MAP,
    "zip": make_zip(Part("p.jsonl", GOOD, method=DEFLATED)),
    "zip with a data descriptor": make_zip(Part("p.jsonl", GOOD, DEFLATED, descriptor=True)),
}
OF_CUT_FILES = {
    "EMPTY_FILE",
    "INVALID_JSON",
    "INVALID_ENCODING",
    "MISSING_SAMPLES",
    "BAD_ARCHIVE",
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_cut_at_any_byte_is_told_as_cut(kind: str) -> None:
    whole = WHOLE[kind]
    end = len(whole.rstrip()) if kind == "lines" else len(whole)
    for keep in range(end):
        checked = check(whole[:keep])
        assert not checked.report.accepted, keep
        assert set(codes(checked)) <= OF_CUT_FILES, (keep, codes(checked))
    assert check(whole[:end]).predictions == TEXTS


@pytest.mark.parametrize("place", range(0, len(WHOLE["zip"]), 3))
def test_an_archive_with_a_changed_byte_is_read_right_or_refused(place: int) -> None:
    for value in {0, 0xFF, WHOLE["zip"][place] ^ 1, WHOLE["zip"][place] ^ 0x80}:
        data = bytearray(WHOLE["zip"])
        data[place] = value
        checked = check(bytes(data))
        assert checked.predictions == TEXTS or set(codes(checked)) <= {
            "BAD_ARCHIVE",
            "ARCHIVE_TOO_LARGE",
            "FOLDER_IN_ARCHIVE",
            "WRONG_TRACK",
        }


def in_first_row(field: bytes) -> bytes:
    return GOOD.replace(b"{", b"{" + field + b", ", 1)


# kind: (data, code, line)
ODD: dict[str, tuple[bytes, str, int | None]] = {
    "UTF-32 without a mark": (GOOD.decode().encode("utf-32-le"), "INVALID_ENCODING", 1),
    "UTF-32 without a mark, the other way": (
        GOOD.decode().encode("utf-32-be"),
        "INVALID_ENCODING",
        1,
    ),
    "UTF-16 without a mark, the other way": (
        GOOD.decode().encode("utf-16-be"),
        "INVALID_ENCODING",
        1,
    ),
    "surrogate pairs in UTF-8": (
        GOOD.replace("é".encode(), b"\xed\xa0\xbd\xed\xb8\x80"),
        "INVALID_ENCODING",
        4,
    ),
    "an overlong NUL": (GOOD.replace(b"we missed", b"\xc0\x80"), "INVALID_ENCODING", 1),
    "a point past the last": (
        GOOD.replace(b"we missed", b"\xf4\x90\x80\x80"),
        "INVALID_ENCODING",
        1,
    ),
    "a mark inside a row": (GOOD.replace(b'"text', b'\xef\xbb\xbf"text', 1), "INVALID_JSON", 1),
    "a no-break space first": (b"\xc2\xa0" + GOOD, "INVALID_JSON", 1),
    "separators of records": (b"\x1e" + GOOD.replace(b"\n", b"\n\x1e"), "INVALID_JSON", 1),
    "the end mark of DOS": (GOOD + b"\x1a", "INVALID_JSON", 5),
    "filled up with NUL": (GOOD + bytes(512), "INVALID_JSON", 5),
    "rows between U+2028": ("\u2028".join(GOOD.decode().splitlines()).encode(), "INVALID_JSON", 1),
    "rows between form feeds": (b"\f".join(GOOD.splitlines()), "INVALID_JSON", 1),
    "rows between commas": (GOOD.replace(b"\n", b",\n"), "INVALID_JSON", 1),
    "keys without quotes": (b"{utt_id: 'utt_0001', text_with_nvvs: 'x'}", "INVALID_JSON", 1),
    "a raw line end in the first id": (
        GOOD.replace(b"utt_0001", b"utt\n_0001"),
        "INVALID_JSON",
        1,
    ),
    "a map that begins wrong": (b"{utt_0001: 'x',\n'utt_0002': 'y'}", "INVALID_JSON", 1),
    "a code block": (b"```json\n" + GOOD + b"```\n", "INVALID_JSON", 1),
    "a script": (b"var rows = " + json.dumps(ROWS).encode() + b";", "INVALID_JSON", 1),
    "a list that ends like an object": (json.dumps(ROWS)[:-1].encode() + b"}", "INVALID_JSON", 1),
    "an octal number": (in_first_row(b'"n": 01'), "INVALID_JSON", 1),
    "minus NaN": (in_first_row(b'"n": -NaN'), "INVALID_JSON", 1),
    "401 zeros and ones": (in_first_row(b'"n": ' + b"0" * 400 + b"1"), "NUMBER_TOO_LARGE", 1),
    "an endless exponent": (in_first_row(b'"n": 1e' + b"9" * 401), "NUMBER_TOO_LARGE", 1),
    "a key twice, once escaped": (
        in_first_row(b'"utt\\u005fid": "utt_0001"'),
        "DUPLICATE_JSON_KEY",
        1,
    ),
    "an empty key twice": (in_first_row(b'"": 1, "": 2'), "DUPLICATE_JSON_KEY", 1),
    "a map nested without end": (
        b'{"utt_0001": ' + b"[" * 40 + b"]" * 40 + b"}",
        "JSON_TOO_DEEP",
        1,
    ),
    "objects in objects": (b'{"a":' * 9_999 + b"1" + b"}" * 9_999, "JSON_TOO_DEEP", 1),
    "a surrogate after a pair": (
        GOOD.replace(b"we missed", b"\\ud83d\\ude00\\ude00"),
        "INVALID_ENCODING",
        1,
    ),
    "surrogates apart": (
        GOOD.replace(b"we missed", b"\\ud83d\\\\ude00"),
        "INVALID_ENCODING",
        1,
    ),
    "a surrogate in a tag": (GOOD.replace(b"we missed", b"[\\ud800]"), "INVALID_ENCODING", 1),
    "a map of columns": (
        json.dumps({"utt_id": list(TEXTS), "text_with_nvvs": list(TEXTS.values())}).encode(),
        "INVALID_FIELD_TYPE",
        1,
    ),
    "pairs for rows": (json.dumps(list(TEXTS.items())).encode(), "WRONG_SHAPE", 1),
    "JSON in JSON": (
        b"\n".join(json.dumps(json.dumps(r)).encode() for r in ROWS),
        "WRONG_SHAPE",
        1,
    ),
    "WebM": (b"\x1a\x45\xdf\xa3" + bytes(60), "WRONG_TRACK", None),
    "WMA": (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(60), "WRONG_TRACK", None),
    "an archive of another kind inside": (
        make_zip(Part("p.tar", b"x")),
        "BAD_ARCHIVE",
        None,
    ),
    "an end record in a comment": (
        make_zip(Part("p.jsonl", GOOD), comment=b"PK\x05\x06" + bytes(18)),
        "BAD_ARCHIVE",
        None,
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_file_gets_a_code_and_a_place(kind: str) -> None:
    data, code, line = ODD[kind]
    checked = check(data)
    assert not checked.report.accepted
    found = [problem for problem in checked.report.problems if problem.code == code]
    assert found, sentences(checked)
    assert found[0].line == line
    assert render(found[0])


UNUSUAL = {
    "a mark on a line of its own": b"\xef\xbb\xbf\n" * 3 + GOOD,
    "CR, CR and LF": GOOD.replace(b"\n", b"\r\r\n"),
    "LF and CR": GOOD.replace(b"\n", b"\n\r"),
    "ends of every kind": b"".join(
        row + end for row, end in zip(GOOD.splitlines(), (b"\r", b"\n", b"\r\n", b""), strict=True)
    ),
    "keys that differ in normal form": in_first_row('"é": 1, "e\u0301": 2'.encode()),
    "keys that differ in case": in_first_row(b'"UTT_ID": "x"'),
    "an escaped backslash before ud800": in_first_row(b'"x": "\\\\ud800"'),
    "a pair of surrogates": in_first_row(b'"x": "\\uDBFF\\uDFFF"'),
    "an escaped letter in an id": GOOD.replace(b"utt_0001", b"utt\\u005f0001"),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_an_unusual_file_that_is_right_is_read(kind: str) -> None:
    checked = check(UNUSUAL[kind])
    assert checked.report.accepted, sentences(checked)
    assert checked.predictions == TEXTS


@pytest.mark.parametrize(
    ("known", "written"),
    [("caf\u00e9", "cafe\u0301"), ("cafe\u0301", "caf\u00e9"), ("u1", "\u200bu1"), ("u1", "u１")],
)
def test_ids_are_compared_as_they_are_written_and_never_normalized(
    known: str, written: str
) -> None:
    row = json.dumps({"utt_id": written, "text_with_nvvs": "x"}).encode()
    checked = check(row, ids={known: "en"})
    assert codes(checked) == ["MISSING_SAMPLES", "UNKNOWN_SAMPLES"]
    assert check(row, ids={written: "en"}).report.accepted
