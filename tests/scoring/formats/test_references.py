"""The organizer's references: what is refused, and that no text of theirs is quoted."""

from __future__ import annotations

import json

import pytest

from grading.scoring.formats.references import read_references
from grading.scoring.messages import render
from grading.scoring.types import ReferencesInvalid
from tests.scoring.formats.challenge import LABELS, REFERENCE, lines

CANARY = "quetzalcoatlus"


def problems_of(data: bytes) -> list[tuple[str, int | None]]:
    with pytest.raises(ReferencesInvalid) as refused:
        read_references(data, labels=LABELS)
    report = refused.value.report
    said = " ".join(render(problem) for problem in report.problems)
    told = json.dumps([dict(problem.params) for problem in report.problems])
    assert CANARY not in said + told + str(refused.value)
    return [(problem.code, problem.line) for problem in report.problems]


def test_right_references_are_read_in_their_order() -> None:
    rows = read_references(lines(*REFERENCE), labels=LABELS)
    assert [row.utt_id for row in rows] == [row["utt_id"] for row in REFERENCE]
    assert [row.language for row in rows] == ["en", "en", "zh", "en"]
    assert [row.text for row in rows] == [row["text_with_nvvs"] for row in REFERENCE]


def test_the_language_is_trimmed_and_lowered() -> None:
    changed = [{**row, "language": f" {row['language'].upper()}\t"} for row in REFERENCE]
    assert {row.language for row in read_references(lines(*changed), labels=LABELS)} == {"en", "zh"}


def test_a_list_is_read_like_lines() -> None:
    listed = read_references(json.dumps(REFERENCE).encode(), labels=LABELS)
    assert listed == read_references(lines(*REFERENCE), labels=LABELS)


def changed(**fields: object) -> bytes:
    return lines({**REFERENCE[0], **fields}, *REFERENCE[1:])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"[{CANARY}] x", "UNSUPPORTED_NVV_TAG"),
        (f"x [{CANARY}", "MALFORMED_NVV_TAG"),
        (f"{CANARY} ] x", "MALFORMED_NVV_TAG"),
        (f"{CANARY} [ ]", "EMPTY_NVV_TAG"),
        ("", "EMPTY_REFERENCE"),
        (" ...", "EMPTY_REFERENCE"),
        (CANARY * 200, "TEXT_TOO_LONG"),
    ],
)
def test_a_wrong_reference_is_refused_without_quoting_it(text: str, code: str) -> None:
    assert problems_of(changed(text_with_nvvs=text)) == [(code, 1)]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"language": "yue"}, "INVALID_LANGUAGE"),
        ({"language": None}, "INVALID_FIELD_TYPE"),
        ({"utt_id": "utt_0002"}, "DUPLICATE_UTT_ID"),
        ({"utt_id": "a/b"}, "INVALID_UTT_ID"),
        ({"text_with_nvvs": [CANARY]}, "INVALID_FIELD_TYPE"),
        ({"text_with_nvvs": f"{CANARY}\0"}, "INVALID_ENCODING"),
    ],
)
def test_a_wrong_field_is_refused(fields: dict[str, object], code: str) -> None:
    assert code in {found for found, _ in problems_of(changed(**fields))}


def test_both_languages_must_occur() -> None:
    english = [row for row in REFERENCE if row["language"] == "en"]
    assert problems_of(lines(*english)) == [("REFERENCE_LANGUAGE_COVERAGE_ERROR", None)]


def test_each_language_needs_an_event() -> None:
    without = [
        {**row, "text_with_nvvs": row["text_with_nvvs"].replace("[laugh]", "")} for row in REFERENCE
    ]
    assert problems_of(lines(*without)) == [("REFERENCE_WITHOUT_EVENTS", None)]


def test_a_language_of_tags_alone_is_taken() -> None:
    tags = [
        {**row, "text_with_nvvs": "[laugh]。"} if row["language"] == "zh" else row
        for row in REFERENCE
    ]
    assert len(read_references(lines(*tags), labels=LABELS)) == len(REFERENCE)


def test_a_reference_may_be_as_long_as_the_limit() -> None:
    assert read_references(changed(text_with_nvvs="x" * 2000), labels=LABELS)[0].text == "x" * 2000
    assert problems_of(changed(text_with_nvvs="x" * 2001)) == [("TEXT_TOO_LONG", 1)]


def test_a_language_of_empty_references_is_refused() -> None:
    empty = [
        {**row, "text_with_nvvs": "。"} if row["language"] == "zh" else row for row in REFERENCE
    ]
    assert ("EMPTY_REFERENCE_TOKENS", None) in problems_of(lines(*empty))


@pytest.mark.parametrize("data", [b"", b"\n", b"[]", b"\xff", b'{"a": "b"}', b"[", b"{}"])
def test_what_holds_no_references_is_refused(data: bytes) -> None:
    assert problems_of(data)


def test_a_broken_line_is_named_without_its_text() -> None:
    data = lines(*REFERENCE).replace(b'[sigh]"', b"[sigh] %b" % CANARY.encode())
    assert problems_of(data)[0] == ("INVALID_JSON", 1)
