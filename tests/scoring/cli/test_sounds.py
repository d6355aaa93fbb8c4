"""`check nvv-t2`: the shape of its JSON, words for people, exit codes, and what it needs."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scoring.audio.waves import chunk, fmt, riff, tone, wav
from tests.scoring.cli.commands import REFERENCE, Run
from tests.scoring.cli.test_process import ONLY, ROOT, _read, run
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.sounds import IDS, members, tarred, zipped

Capsys = pytest.CaptureFixture[str]
MANIFEST = CASES / "ref/track2_ids.json"
CONTROL = CASES / "control/track2.zip"
TEXTS = ROOT / "examples/nvv-demo/references/generation.jsonl"
WORDS = ["check", "nvv-t2", "--manifest", str(MANIFEST), "--submission"]
INPUTS = json.loads((CASES / "inputs.json").read_text("utf-8"))["cases"]
SOUNDS = [case["file"] for case in INPUTS if case["track"] == "2" and "reference" not in case]


def check(capsys: Capsys, submission: Path, *more: object) -> Run:
    return Run(capsys, *WORDS, submission, *more)


def test_check_of_an_accepted_archive(capsys: Capsys) -> None:
    found = check(capsys, CONTROL, "--json")
    assert found.code == 0
    assert found.json == {
        "accepted": True,
        "problems": [],
        "problems_total": 0,
        "counts": [],
        "rows": 3,
        "reading": "zip",
    }


def test_a_problem_has_the_same_shape_as_in_track_1_with_its_member(capsys: Capsys) -> None:
    found = check(capsys, CASES / "wav_zip/w-rate-44100.zip", "--json")
    assert found.code == 1
    assert found.json["accepted"] is False
    assert found.json["problems"] == [
        {
            "code": "WAV_FORMAT",
            "severity": "error",
            "member": "utt_0002.wav",
            "utt_id": "utt_0002",
            "params": {"reason": "rate", "found": 44100, "wanted": 16000},
            "message": 'File "utt_0002.wav": The sample rate is 44100 Hz; it must be 16000 Hz.',
        }
    ]
    assert found.json["counts"] == [{"code": "WAV_FORMAT", "severity": "error", "count": 1}]


def test_warnings_do_not_change_the_exit_code(capsys: Capsys) -> None:
    found = check(capsys, CASES / "wav_zip/w-all-zero.zip")
    assert found.code == 0
    assert "✓ Accepted" in found.out
    assert "3 WAV files read from a zip archive" in found.out
    assert "WAV_SILENT  utt_0002.wav, utt_0002" in found.out


@pytest.mark.parametrize("name", SOUNDS)
def test_every_case_can_be_printed_both_ways(capsys: Capsys, name: str) -> None:
    as_json, people = check(capsys, CASES / name, "--json"), check(capsys, CASES / name)
    assert as_json.code == people.code == (0 if as_json.json["accepted"] else 1)
    assert as_json.err == people.err == ""
    assert "\x1b" not in people.out
    for problem in as_json.json["problems"]:
        assert problem["code"] in people.out


@pytest.mark.parametrize(
    "words",
    [
        ["check", "nvv-t2", "--submission", CONTROL],
        ["check", "nvv-t2", "--reference", REFERENCE, "--submission", CONTROL],
        ["check", "nvv-t2", "--manifest", MANIFEST, "--submission", "/nowhere/at/all"],
        ["check", "nvv-t2", "--manifest", "/nowhere", "--submission", CONTROL],
        ["check", "nvv-t2", "--manifest", CONTROL, "--submission", CONTROL],
        ["check", "nvv-t2", "--manifest", MANIFEST, "--submission", CASES],
        ["score", "nvv-t2", "--reference", REFERENCE, "--submission", CONTROL],
        ["score", "nvv-t2", "--reference", TEXTS, "--marks", "/nowhere"],
        ["score", "nvv-t2", "--reference", TEXTS, "--marks", TEXTS],
        ["score", "nvv-t1", "--reference", TEXTS, "--marks", TEXTS],
    ],
)
def test_a_wrong_use_ends_with_2_and_a_sentence(capsys: Capsys, words: list[object]) -> None:
    found = Run(capsys, *words)
    assert found.code == 2
    assert found.err
    assert "Traceback" not in found.err
    assert found.out == ""


@pytest.mark.parametrize("text", ["", "\ufeff", "[]", "{}"])
def test_a_file_without_marks_is_a_wrong_use(capsys: Capsys, tmp_path: Path, text: str) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(text)
    found = Run(capsys, "score", "nvv-t2", "--reference", TEXTS, "--marks", path)
    assert (found.code, found.out) == (2, "")
    assert "there are no marks" in found.err


def test_ids_that_differ_in_their_unicode_form_only_are_a_wrong_use(
    capsys: Capsys, tmp_path: Path
) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps(["caf\u00e9", "cafe\u0301"]))
    found = Run(capsys, "check", "nvv-t2", "--manifest", path, "--submission", CONTROL)
    assert found.code == 2
    assert "ids.json" in found.err


@pytest.mark.parametrize(
    "manifest",
    [
        "\n".join(json.dumps({"utt_id": i, "text_with_nvvs": "[laugh]"}) for i in IDS),
        json.dumps({"utterances": [{"utt_id": i, "language": "en"} for i in IDS]}),
    ],
    ids=["rows", "the API's"],
)
def test_the_manifest_may_be_rows_or_what_the_api_gives(
    capsys: Capsys, tmp_path: Path, manifest: str
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(manifest)
    found = Run(capsys, "check", "nvv-t2", "--manifest", path, "--submission", CONTROL, "--json")
    assert (found.code, found.json["problems"]) == (0, [])


def test_a_competitions_settings_change_what_is_too_short(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps({"seconds": {"shortest": 0.5, "longest": 60}}))
    found = check(capsys, CONTROL, "--params", path, "--json")
    assert found.code == 1
    assert {p["params"]["limit"] for p in found.json["problems"]} == {0.5}


def test_numpy_is_enough_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "s.tar").write_bytes(tarred(members()))
    before = sorted(tmp_path.iterdir())
    done = run(sys.executable, "-c", ONLY, *WORDS, str(tmp_path / "s.tar"), "--json")
    assert done.stderr == b""
    assert done.returncode == 0
    assert json.loads(done.stdout)["reading"] == "tar"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_on_a_terminal_there_is_a_progress_bar(tmp_path: Path) -> None:
    clip = wav(tone(8_000))
    files = {f"u{number}.wav": clip for number in range(400)}
    (tmp_path / "ids.json").write_text(json.dumps([name[:-4] for name in files]))
    (tmp_path / "s.zip").write_bytes(zipped(files))
    words = [sys.executable, "-m", "grading.scoring", "check", "nvv-t2", "--manifest"]
    words += [str(tmp_path / "ids.json"), "--submission", str(tmp_path / "s.zip")]
    parent, child = pty.openpty()
    with subprocess.Popen(words, cwd=ROOT, stdout=child, stderr=child) as process:
        os.close(child)
        seen = b""
        while part := _read(parent):
            seen += part
    os.close(parent)
    assert process.returncode == 0
    assert "Checking █".encode() in seen
    assert b"99 %" in seen


def test_a_name_from_a_participant_is_never_a_terminal_command(
    capsys: Capsys, tmp_path: Path
) -> None:
    path = tmp_path / "s.zip"
    stereo = riff(fmt(channels=2, block=4), chunk(b"data", tone()))
    path.write_bytes(zipped({**members(), "\x1b[2Jx.wav": stereo, "{utt_id}%s.wav": stereo}))
    found = check(capsys, path)
    assert found.code == 1
    assert "\x1b" not in found.out
    assert "\\u001b[2Jx.wav" in found.out
    assert "{utt_id}%s.wav" in found.out
