"""Every case of waveforms and their archives in tests/cases, as a zip and as a bare WAV file."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from typing import Any

import pytest

from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import Clip, examine
from grading.scoring.formats.sources import ByteStream
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.sounds import check, codes, sentences

INPUTS = json.loads((CASES / "inputs.json").read_text("utf-8"))["cases"]
SOUNDS = [case for case in INPUTS if case["track"] == "2"]
RAW = [case for case in SOUNDS if "raw" in case]
TEXTS = [case for case in INPUTS if case["track"] == "1"]
FIGURES = {"utt_0001": 4_000, "utt_0002": 4_000, "utt_0003": 4_000}

# Where the protocol turns a case round: the verdict it gives, and the code that says so.
DECIDED = {
    "w-stream-ffffffff": (False, "WAV_TRUNCATED.stream"),
    "w-stream-sox-7ffff000": (False, "WAV_TRUNCATED.stream"),
    "z-names-fullwidth": (True, "UNKNOWN_SAMPLES.sounds"),
    "z-unknown-utt": (True, "UNKNOWN_SAMPLES.sounds"),
}


def by_id(case: dict[str, Any]) -> str:
    return case["id"]


def ids_of(case: dict[str, Any]) -> list[str]:
    name = case.get("reference", "ref/track2_ids.json")
    return json.loads((CASES / name).read_text("utf-8"))


def look(data: bytes) -> Clip:
    return examine(ByteStream(iter([data])), len(data), ClipBounds())


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_a_case_gets_the_verdict_that_the_protocol_gives(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"], ids=ids_of(case))
    decided, code = DECIDED.get(case["id"], (case["expect"] == "accept", None))
    assert checked.report.accepted is decided, sentences(checked)
    if case["id"] in DECIDED:
        assert case["policy_choice"]
        assert code in codes(checked)


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_the_sentences_of_a_case_hold_its_keywords_and_names(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"], ids=ids_of(case))
    said = sentences(checked).lower()
    wanted = [*case["reason_keywords"], *case.get("warn_keywords", [])]
    if case["expect"] == "reject":
        wanted += case["names"]
    assert [word for word in wanted if word.lower() not in said] == []
    said.encode("utf-8")
    assert len(said.splitlines()) == len(checked.report.problems)


@pytest.mark.parametrize("case", RAW, ids=by_id)
def test_a_wav_gets_the_same_findings_alone_as_in_its_archive(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"])
    clip = look((CASES / case["raw"]).read_bytes())
    alone = [(one.code, dict(one.params)) for one in clip.findings]
    packed = [(p.code, dict(p.params)) for p in checked.report.problems]
    assert alone == packed
    assert {p.member for p in checked.report.problems} <= {"utt_0002.wav"}
    assert {p.utt_id for p in checked.report.problems} <= {"utt_0002"}
    assert clip.is_accepted is checked.report.accepted


@pytest.mark.parametrize("case", [c for c in RAW if "value" in c], ids=by_id)
def test_an_accepted_wav_is_read_to_its_value(case: dict[str, Any]) -> None:
    data, value = (CASES / case["raw"]).read_bytes(), case["value"]
    clip = look(data)
    if case["id"] in DECIDED:
        assert clip.frames == 0
        return
    samples = data[clip.start : clip.start + 2 * clip.frames]
    assert clip.frames == value["frames"]
    assert hashlib.sha256(samples).hexdigest() == value["pcm16_sha256"]
    found = check(CASES / case["file"]).clips["utt_0002"]
    assert (found.name, found.start, found.frames) == ("utt_0002.wav", clip.start, clip.frames)


@pytest.mark.parametrize("case", [c for c in SOUNDS if "files" in c.get("value", {})], ids=by_id)
def test_an_accepted_archive_gives_a_clip_for_each_utterance(case: dict[str, Any]) -> None:
    ids = ids_of(case)
    checked = check(CASES / case["file"], ids=ids)
    assert sorted(checked.clips) == sorted(case["value"].get("ids", ids))
    assert len(checked.clips) == checked.report.rows == case["value"]["files"]
    assert {clip.frames for clip in checked.clips.values()} == {4_000}


@pytest.mark.parametrize("name", ["wav_zip/w-data-2gib.zip", "wav_zip/w-riff-size-too-big.zip",
                                  "zip/z-declares-4gib.zip", "zip/z-bomb-256mib.zip",
                                  "zip/z-bomb-quoted.zip"])  # fmt: skip
def test_a_hostile_size_costs_no_time(name: str) -> None:
    before = time.process_time()
    check(CASES / name)
    assert time.process_time() - before < 1


def test_the_control_file_is_accepted_without_a_word() -> None:
    checked = check(CASES / "control/track2.zip")
    assert checked.report.problems == ()
    assert {utt_id: clip.frames for utt_id, clip in checked.clips.items()} == FIGURES
    with zipfile.ZipFile(CASES / "control/track2.zip") as archive:
        for utt_id, clip in checked.clips.items():
            assert archive.read(clip.name)[: clip.start].endswith(b"data\x40\x1f\0\0")
            assert clip.name == f"{utt_id}.wav"


@pytest.mark.parametrize("case", TEXTS, ids=by_id)
def test_a_submission_of_transcripts_is_refused_in_words(case: dict[str, Any]) -> None:
    checked = check(CASES / case["file"])
    if case["id"] == "z-wavs-to-track1":
        assert checked.report.accepted
        return
    assert not checked.report.accepted
    assert {c.partition(".")[0] for c in codes(checked)} & {"WRONG_TRACK", "BAD_ARCHIVE"}
    assert "waveforms" in sentences(checked) or ".wav" in sentences(checked)
