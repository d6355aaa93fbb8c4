from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from grading.demo.speakers import RECORDINGS, Recording
from grading.demo.synthesis_sounds import SOUNDS
from grading.demo.synthesis_tables import BAND, FORMANT, RATE, unrounded_waves, white_noise
from grading.demo.systems import Utterance, read_utterances, split_utterance
from grading.demo.upload_speech import utterances
from grading.demo.voices import HIGHEST, Voice, speak
from grading.demo.waves import wav
from grading.scoring.audio.limits import AudioLimits
from grading.scoring.tracks.nvv_params import DEFAULT_LABELS
from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.types import Report

REFERENCES = Path(__file__).parents[2] / "examples" / "nvv-demo" / "references"
# SHA-256 over the samples of all clips in order, and the same on every Python and machine.
ALL_CLIPS = "494d824c1c2fc2c875e9f6813d550775b4259664b76ac30f7ba0cdf881f4faa5"
CLEAR = Voice("clear", "clear", 1200)


@pytest.fixture(scope="module")
def spoken() -> tuple[Utterance, ...]:
    return utterances()


@pytest.fixture(scope="module")
def archives(spoken) -> Mapping[str, bytes]:
    return {recording.filename: recording.content(spoken) for recording in RECORDINGS}


def recording(filename: str) -> Recording:
    return next(one for one in RECORDINGS if one.filename == filename)


def files_of(archive: bytes) -> dict[str, bytes]:
    if archive[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        members = {member.name: packed.extractfile(member) for member in packed}
        return {name: file.read() for name, file in members.items() if file is not None}


def checked(archive: bytes, spoken: tuple[Utterance, ...]) -> Report:
    ids = [utterance.utt_id for utterance in spoken]
    return TRACK.check(archive, ids=ids, params=TRACK.params({}), limits=AudioLimits()).report


def test_all_clips_are_the_same_samples_as_ever(archives) -> None:
    digest = sha256()
    for archive in archives.values():
        for name, content in sorted(files_of(archive).items()):
            digest.update(name.encode() + content)
    assert digest.hexdigest() == ALL_CLIPS


@pytest.mark.parametrize("width", [FORMANT, BAND])
def test_no_entry_of_the_tables_lies_where_a_last_digit_decides_the_rounding(width) -> None:
    waves = unrounded_waves(width)
    assert np.abs(np.abs(waves - np.floor(waves)) - 0.5).min() > 1e-7


def test_noise_is_the_raw_stream_of_a_named_generator() -> None:
    assert white_noise(7, 5).tolist() == [512, 1626, 1129, -1126, -819]


def test_every_label_of_the_challenge_has_a_sound_and_no_other() -> None:
    assert set(SOUNDS) == set(DEFAULT_LABELS)


@pytest.mark.parametrize("label", DEFAULT_LABELS)
@pytest.mark.parametrize(("text", "language"), [("Well {} no", "en"), ("好{}不行", "zh")])
def test_a_vocalization_is_heard_where_its_tag_stands(label, text, language) -> None:
    words, none = (
        speak(split_utterance("u", language, text.format(tag)), CLEAR).astype(np.int64)
        for tag in (f"[{label}]", "")
    )
    longer = len(words) - len(none)
    assert longer > RATE // 5
    before = len(speak(split_utterance("u", language, text.partition("{")[0]), CLEAR)) - 1280
    there = words[before : before + longer]
    # a third of the speech's loudness at least, where the silent gaps around it count as well
    assert np.square(there).mean() > np.square(none).mean() / 9


def test_what_a_system_leaves_out_is_not_heard_and_the_rest_comes_where_it_does() -> None:
    tagged = split_utterance("u", "en", "[laugh] So [cough] that was it.")
    bare = split_utterance("u", "en", "So that was it.")
    without = Voice("x", "clear", 1200, missed=1.0)
    assert len(speak(tagged, without)) == len(speak(bare, without))
    late = speak(tagged, Voice("x", "clear", 1200, misplaced=True))
    assert len(late) > len(speak(bare, CLEAR)) + RATE // 2


def test_only_the_clipping_system_reaches_full_scale(spoken) -> None:
    loudest = {
        one.system: int(np.abs(speak(spoken[0], one.voice).astype(np.int64)).max())
        for one in RECORDINGS
    }
    assert {system for system, peak in loudest.items() if peak >= HIGHEST} == {"lagoon-vocoder"}
    assert min(loudest.values()) > 5_000


@pytest.mark.slow
def test_all_archives_but_the_spoiled_one_are_accepted(archives, spoken) -> None:
    for filename, archive in archives.items():
        report = checked(archive, spoken)
        assert report.accepted is not recording(filename).spoiled, filename


def test_the_spoiled_archive_shows_five_kinds_of_problems(archives, spoken) -> None:
    (spoiled,) = (name for name in archives if recording(name).spoiled)
    report = checked(archives[spoiled], spoken)
    codes = {problem.code for problem in report.problems}
    assert codes == {"WAV_FORMAT", "WAV_TRUNCATED", "MISSING_SAMPLES", "UNKNOWN_SAMPLES"}


def test_there_are_five_systems_of_which_one_is_sent_twice() -> None:
    sent = [one.system for one in RECORDINGS]
    assert len(set(sent)) == 5
    assert sum(one.spoiled for one in RECORDINGS) == 1
    assert {str(one.packing) for one in RECORDINGS} == {"zip", "tar.gz"}


def test_a_wav_says_what_it_is() -> None:
    content = wav(np.array([0, 1, -1], dtype=np.int16))
    assert content[:4] == b"RIFF"
    assert len(content) == 44 + 6
    assert content[40:44] == (6).to_bytes(4, "little")


def test_the_sentences_of_the_track_hold_every_label_in_both_languages() -> None:
    rows = [json.loads(line) for line in (REFERENCES / "generation.jsonl").read_text().splitlines()]
    found = read_utterances((REFERENCES / "generation.jsonl").read_bytes())
    for language in ("en", "zh"):
        mine = [one for one in found if one.language == language]
        assert len(mine) >= 24
        assert {label for one in mine for label, _ in one.tags} == set(DEFAULT_LABELS)
    assert len(rows) == len(found)
