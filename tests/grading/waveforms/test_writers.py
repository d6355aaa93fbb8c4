"""Files as well-known programs write them, accepted or refused for the right reason.

Written once with ffmpeg 5.1, SoX 14.4.2, soundfile (libsndfile 1.2), scipy and the standard
library's `wave`, from the same 2,000 samples; `-pipe` went to a pipe.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grading.scoring.audio.limits import AudioLimits, ClipBounds
from grading.scoring.formats.waveforms import read_waveform
from grading.screening import read_samples
from tests.factories.speech import IDS, make_speech_arena, validated
from tests.scoring.audio.waves import tone
from tests.scoring.formats.sounds import codes

WRITERS = Path(__file__).parents[2] / "scoring/audio/writers"
ACCEPTED = (
    "ffmpeg",
    "ffmpeg-list",
    "ffmpeg-bext",
    "sox",
    "soundfile",
    "soundfile-extensible",
    "scipy",
    "wave",
)
REFUSED = {
    "ffmpeg-pipe": "WAV_TRUNCATED.stream",
    "sox-pipe": "WAV_TRUNCATED.stream",
    "ffmpeg-rf64": "WAV_FORMAT.variant",
    "sox-24bit": "WAV_FORMAT.width",
    "soundfile-float": "WAV_FORMAT.codec",
}


def look(name: str):
    return read_waveform(
        WRITERS / f"{name}.wav",
        "utt_0001.wav",
        ids=IDS,
        limits=AudioLimits(),
        bounds=ClipBounds(),
    )


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_writers_file_is_accepted_with_the_samples_it_was_given(name: str) -> None:
    checked = look(name)
    assert codes(checked) == []
    assert checked.clips["utt_0001"].frames == 2_000
    assert read_samples(WRITERS / f"{name}.wav").tobytes() == tone(2_000)


@pytest.mark.parametrize(("name", "code"), REFUSED.items())
def test_a_writers_file_is_refused_for_the_right_reason(name: str, code: str) -> None:
    assert codes(look(name)) == [code]


def test_every_file_is_in_one_of_the_two_lists() -> None:
    assert {path.stem for path in WRITERS.glob("*.wav")} == {*ACCEPTED, *REFUSED}


@pytest.mark.usefixtures("in_this_process")
def test_an_archive_of_all_accepted_writers_is_accepted_by_the_server(db) -> None:
    files = {f"{name}.wav": (WRITERS / f"{name}.wav").read_bytes() for name in ACCEPTED}
    submission = validated(make_speech_arena(ACCEPTED), files)
    assert submission.state == "accepted"
    figures = {clip.waveform.screen["loudness"] for clip in submission.clips.all()}
    assert submission.clips.count() == len(ACCEPTED)
    assert len(figures) == 1, "the same samples have the same loudness, whoever wrote them"
