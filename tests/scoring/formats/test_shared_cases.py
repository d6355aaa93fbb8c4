"""Every Track 1 case of tests/cases, and every archive of Track 2 sent to Track 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grading.scoring.text.nvv1 import read_transcript
from tests.scoring.formats.challenge import CASES, LABELS, TEXTS, check, codes, sentences

INPUTS = json.loads((CASES / "inputs.json").read_text("utf-8"))["cases"]
TRACK1 = [case for case in INPUTS if case["track"] == "1"]
ARCHIVES = [case for case in INPUTS if case["track"] == "2" and case["file"].startswith("zip/")]

# Where the protocol turns a case round: the verdict it gives, and the code that says so.
DECIDED = {
    "j-cr-only": (True, None),
    "j-unknown-extra": (True, "UNKNOWN_SAMPLES"),
    "j-id-leading-blank": (True, "UTT_ID_TRIMMED"),
    "j-control-chars": (False, "MALFORMED_NVV_TAG"),
    "t-unknown-en": (False, "UNSUPPORTED_NVV_TAG"),
    "t-synonym": (False, "UNSUPPORTED_NVV_TAG"),
    "t-space-in-name": (False, "UNSUPPORTED_NVV_TAG"),
    "t-colon-attr": (False, "UNSUPPORTED_NVV_TAG"),
    "t-cyrillic-a": (False, "UNSUPPORTED_NVV_TAG"),
    "t-fullwidth-square": (True, "LOOKS_LIKE_TAG"),
}


def by_id(case: dict[str, Any]) -> str:
    return case["id"]


@pytest.mark.parametrize("case", TRACK1, ids=by_id)
def test_a_track_1_case_gets_the_verdict_that_the_protocol_gives(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"])
    decided, code = DECIDED.get(case["id"], (case["expect"] == "accept", None))
    assert checked.report.accepted is decided, sentences(checked)
    if case["id"] in DECIDED:
        assert case["policy_choice"]
        assert code is None or code in codes(checked)


@pytest.mark.parametrize("case", TRACK1, ids=by_id)
def test_the_sentences_of_a_case_hold_its_keywords(case: dict[str, Any]) -> None:
    said = sentences(check(CASES / case["file"])).lower()
    wanted = [] if DECIDED.get(case["id"], (False,))[0] else case["reason_keywords"]
    for word in [*wanted, *case.get("warn_keywords", [])]:
        assert word.lower() in said
    said.encode("utf-8")


@pytest.mark.parametrize("case", [c for c in TRACK1 if "value" in c], ids=by_id)
def test_an_accepted_case_is_read_to_its_value(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"])
    if not checked.report.accepted:
        assert checked.predictions == {}
        return
    assert checked.predictions == case["value"]["predictions"]
    for utt_id, labels in case["value"].get("events", {}).items():
        if case["id"] not in DECIDED:
            found = read_transcript(checked.predictions[utt_id], "en", LABELS)
            assert list(found.tags) == labels


@pytest.mark.parametrize("name", ["track1.json", "track1.jsonl", "track1.zip"])
def test_the_control_files_are_accepted_without_a_word(name: str) -> None:
    checked = check(CASES / "control" / name)
    assert checked.report.accepted
    assert checked.report.problems == ()
    assert checked.predictions == TEXTS


@pytest.mark.parametrize("case", ARCHIVES, ids=by_id)
def test_an_archive_of_audio_is_refused_in_words(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"])
    assert set(codes(checked)) & {"WRONG_TRACK", "BAD_ARCHIVE", "ARCHIVE_TOO_LARGE"}
    assert not checked.report.accepted
