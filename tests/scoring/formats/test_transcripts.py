"""Submissions and references of recognition: every fault with its code and line, nothing raised."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.formats.transcript_references import (
    corpora,
    languages,
    read_transcript_references,
)
from grading.scoring.formats.transcripts import read_transcripts
from grading.scoring.messages import render
from grading.scoring.tracks.base import Checked
from grading.scoring.types import Limits, ReferencesInvalid
from tests.scoring.tracks.recognition import lines


def zipped(data: bytes) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("rows.jsonl", data)
    return whole.getvalue()


IDS = {"a": "en", "b": "en", "c": "ta"}
ROWS: list[dict[str, Any]] = [{"utt_id": utt_id, "text": "one two"} for utt_id in IDS]


def check(rows: list[dict[str, Any]] | bytes, **options: Any) -> Checked:
    data = rows if isinstance(rows, bytes) else lines(rows)
    return read_transcripts(data, ids=IDS, limits=options.pop("limits", Limits()), **options)


def found(checked: Checked) -> list[tuple[str, int | None, str | None]]:
    return [(one.code, one.line, one.utt_id) for one in checked.report.problems]


def test_a_whole_file_is_accepted() -> None:
    checked = check(ROWS)
    assert checked.report.accepted
    assert not checked.report.problems
    assert checked.predictions == dict.fromkeys(IDS, "one two")


@pytest.mark.parametrize("reading", ["list", "map", "zip"])
def test_lists_maps_and_archives_are_read_alike(reading: str) -> None:
    data = {
        "list": b"[" + b",".join(lines([row]) for row in ROWS) + b"]",
        "map": b'{"a": "one two", "b": "one two", "c": "one two"}',
        "zip": zipped(lines(ROWS)),
    }[reading]
    assert check(data).predictions == check(ROWS).predictions


def test_every_fault_is_listed_with_its_line() -> None:
    rows: list[dict[str, Any]] = [
        {"utt_id": "a"},
        {"utt_id": "b", "text": 3},
        {"text": "x"},
        {"utt_id": "c", "text": "x", "trial": "2"},
        {"utt_id": "c", "text": "y"},
    ]
    checked = check(rows)
    assert found(checked) == [
        ("MISSING_REQUIRED_FIELD", 1, "a"),
        ("INVALID_FIELD_TYPE", 2, "b"),
        ("MISSING_REQUIRED_FIELD", 3, None),
        ("INVALID_TRIAL", 4, None),
        ("DUPLICATE_UTT_ID", 5, "c"),
    ]
    assert checked.predictions == {}
    sentence = render(checked.report.problems[0])
    assert '{"utt_id": "…", "text": "…"}' in sentence
    assert "nvvs" not in sentence


@pytest.mark.parametrize(
    "more",
    [{"failed": True}, {"error": "timeout"}, {"error": {"code": 5}}, {"error": 5}, {"error": True}],
)
def test_a_row_that_failed_refuses_the_run(more: dict[str, Any]) -> None:
    checked = check([ROWS[0], {"utt_id": "b", "text": None, **more}, ROWS[2]])
    assert found(checked) == [("FAILED_ROW", 2, "b")]
    assert "not scored" in render(checked.report.problems[0])


@pytest.mark.parametrize(
    "more",
    [
        {"failed": False, "error": None},
        {"error": " "},
        {"error": False},
        {"error": 0},
        {"error": []},
    ],
)
def test_a_row_that_says_it_did_not_fail_counts(more: dict[str, Any]) -> None:
    assert check([{**ROWS[0], **more}, *ROWS[1:]]).report.accepted


def test_failed_is_true_or_false() -> None:
    checked = check([{**ROWS[0], "failed": "no"}, *ROWS[1:]])
    assert found(checked) == [("INVALID_FIELD_TYPE", 1, "a")]


def test_what_failed_is_shown_as_text_of_others() -> None:
    (problem,) = check([ROWS[0], {"utt_id": "b", "error": "{line}\u202e"}, ROWS[2]]).report.problems
    assert '"{line}\\u202e"' in render(problem)


def test_trial_1_counts_and_others_are_checked() -> None:
    others = [{**row, "trial": 3, "text": "other"} for row in ROWS]
    checked = check([*others, *({**row, "trial": 1} for row in ROWS)])
    assert checked.predictions == dict.fromkeys(IDS, "one two")
    assert found(checked) == [("OTHER_TRIALS_LEFT_OUT", None, None)]
    assert render(checked.report.problems[0]) == (
        'Rows of other trials than 1 were checked and are not scored (3 rows; trials "3").'
    )
    assert found(check([*ROWS, others[0], others[0]]))[0] == ("DUPLICATE_UTT_ID", 5, "a")
    assert ("FAILED_ROW", 4, "a") in found(check([*ROWS, {**others[0], "failed": True}]))


def test_another_trial_alone_is_not_enough() -> None:
    checked = check([{**ROWS[0], "trial": 2}, *ROWS[1:]])
    assert found(checked)[0] == ("MISSING_SAMPLES", None, "a")


@pytest.mark.parametrize("trial", [0, -1, 1.0, True, "1", 1_001, [1], 10**30])
def test_a_trial_is_a_small_whole_number(trial: Any) -> None:
    checked = check([{**ROWS[0], "trial": trial}, *ROWS[1:]])
    assert found(checked) == [("INVALID_TRIAL", 1, None)]


def test_a_whole_language_may_be_left_out_where_that_is_allowed() -> None:
    assert found(check(ROWS[:2])) == [("MISSING_SAMPLES", None, "c")]
    checked = check(ROWS[:2], may_lack_languages=True)
    assert checked.report.accepted
    assert found(checked) == [("LANGUAGE_NOT_SENT", None, None)]
    assert set(checked.predictions) == {"a", "b"}
    assert found(check(ROWS[:1], may_lack_languages=True))[0] == ("MISSING_SAMPLES", None, "b")
    unread = check(lines(ROWS[:2]) + b"\n{broken", may_lack_languages=True)
    assert "LANGUAGE_NOT_SENT" not in [code for code, _, _ in found(unread)]


def test_what_is_odd_is_told_and_scored() -> None:
    rows = [
        {"utt_id": " a ", "text": "", "language": "ta"},
        {"utt_id": "b", "text": "…", "language": 3},
        {"utt_id": "c", "text": "x", "language": " TA "},
        {"utt_id": "A", "text": "x"},
    ]
    checked = check(rows, leaves_nothing=lambda text, language: (text, language) == ("…", "en"))
    assert checked.report.accepted
    assert [code for code, _, _ in found(checked)] == [
        "UNKNOWN_SAMPLES",
        "LANGUAGE_MISMATCH",
        "EMPTY_TEXT",
        "LANGUAGE_MISMATCH",
        "TEXT_WITHOUT_UNITS",
        "UTT_ID_TRIMMED",
    ]


def test_blank_texts_alone_and_long_ones_are_refused() -> None:
    blank = check([{**row, "text": " "} for row in ROWS])
    assert found(blank)[0][0] == "EMPTY_PREDICTIONS"
    long = check(ROWS, limits=Limits(text_characters=6))
    assert found(long) == [("TEXT_TOO_LONG", line, utt_id) for line, utt_id in enumerate(IDS, 1)]
    assert found(check(b""))[0][0] == "EMPTY_FILE"


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.lists(st.none(), max_size=2)
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["utt_id", "text", "trial", "failed", "error", "language"]),
            VALUES | st.sampled_from(["a", "b", "c", 1, 2]),
        ),
        max_size=5,
    )
)
def test_nothing_in_a_file_raises(rows: list[dict[str, Any]]) -> None:
    checked = check(rows, may_lack_languages=True)
    assert checked.report.accepted == (checked.report.errors == 0)
    for problem in checked.report.problems:
        assert "{" not in render(problem).replace('{"utt_id"', "")


def references(rows: list[dict[str, Any]], **options: Any) -> list[tuple[str, str, str, str]]:
    wanted = {
        "of_languages": languages(options.pop("codes", None)),
        "of_corpora": corpora(options.pop("names", None)),
    }
    return [
        tuple(row)  # type: ignore[misc]
        for row in read_transcript_references(lines(rows), limits=Limits(), **wanted, **options)
    ]


def refused(rows: list[dict[str, Any]], **options: Any) -> list[tuple[str, int | None]]:
    with pytest.raises(ReferencesInvalid) as error:
        references(rows, **options)
    for problem in error.value.report.problems:
        assert "secret" not in render(problem)
    return [(problem.code, problem.line) for problem in error.value.report.problems]


def test_names_are_free_where_none_are_known() -> None:
    rows = [
        {"utt_id": "a", "text": "x", "corpus": " AMI "},
        {"utt_id": "b", "text": "", "corpus": "d"},
    ]
    assert references(rows) == [("a", "", "ami", "x"), ("b", "", "d", "")]
    bare = [{"utt_id": "a", "text": "x"}]
    assert references(bare) == [("a", "", "", "x")]
    assert refused([*rows, {"utt_id": "c", "text": "secret"}]) == [("MISSING_REQUIRED_FIELD", 3)]
    assert refused([*bare, {"utt_id": "b", "text": "secret", "language": "en"}]) == [
        ("UNEVEN_FIELD", 2)
    ]
    odd = [
        {"utt_id": "a", "text": "secret", "corpus": "x" * 41},
        {"utt_id": "b", "text": "x", "corpus": "\x07"},
    ]
    assert refused(odd) == [("INVALID_NAME", 1), ("INVALID_NAME", 2)]


def test_known_names_must_occur_and_others_must_not() -> None:
    rows = [{"utt_id": "a", "text": "secret", "language": "EN", "corpus": "d"}]
    assert references(rows, codes=["en"], names=["d"]) == [("a", "en", "d", "secret")]
    assert references(rows, codes=["en"], names=[]) == [("a", "en", "", "secret")]
    assert references([{"utt_id": "a", "text": "x"}], codes=["en"], names=["d"]) == [
        ("a", "en", "d", "x")
    ]
    assert refused(rows, codes=["ta", "zh"], names=["d", "e"]) == [
        ("REFERENCE_LANGUAGE_COVERAGE_ERROR", None),
        ("REFERENCE_LANGUAGE_COVERAGE_ERROR", None),
        ("REFERENCE_CORPUS_COVERAGE_ERROR", None),
        ("INVALID_LANGUAGE", 1),
    ]
    assert ("INVALID_CORPUS", 1) in refused(rows, codes=["en"], names=["e", "f"])


def test_something_must_be_left_to_divide_by() -> None:
    rows = [
        {"utt_id": "a", "text": "…", "language": "en", "corpus": "d"},
        {"utt_id": "b", "text": "x", "language": "ta", "corpus": "d"},
    ]
    options: dict[str, Any] = {"codes": ["en", "ta"], "names": ["d", "e"]}
    rows.append({"utt_id": "c", "text": "…", "language": "ta", "corpus": "e"})
    codes = refused(rows, leaves_nothing=lambda text, _: text == "…", **options)
    assert codes == [("REFERENCE_WITHOUT_TOKENS", None)] * 2


def test_references_are_read_as_strictly_as_submissions() -> None:
    rows: list[dict[str, Any]] = [
        {"utt_id": "a", "text": None},
        {"utt_id": "a/b", "text": "secret"},
        {"utt_id": "c", "text": "secret" * 400},
        {"utt_id": "c", "text": "secret"},
    ]
    assert refused(rows) == [
        ("INVALID_FIELD_TYPE", 1),
        ("INVALID_UTT_ID", 2),
        ("TEXT_TOO_LONG", 3),
        ("DUPLICATE_UTT_ID", 4),
    ]
    assert refused([]) == [("EMPTY_FILE", None)]
