from __future__ import annotations

import io
import wave
from collections import defaultdict
from statistics import mean

import numpy as np
import pytest

from grading.demo.speakers import RECORDINGS
from grading.demo.synthesis_text import Manner
from grading.demo.systems import split_utterance
from grading.demo.upload_speech import utterances
from grading.demo.voices import Voice, speak
from grading.demo.waves import wav
from grading.judges.hearing_marks import Fault, listen
from grading.judges.hearing_text import targets

TEXT = "The phone rang [sneeze] and of course I could not answer it."
SYSTEMS = {one.system: one.voice for one in RECORDINGS}


def said(voice: Voice, text: str = TEXT, language: str = "en") -> bytes:
    return wav(speak(split_utterance("u", language, text), voice))


def faults(voice: Voice) -> set[Fault]:
    return {fault for fault, _ in listen(said(voice), TEXT).faults}


def written(seconds: float, *, rate: int = 16_000, channels: int = 1) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(int(seconds * rate) * 2 * channels))
    return buffer.getvalue()


def test_a_clip_as_it_should_be_gets_high_marks_without_a_fault() -> None:
    heard = listen(said(Voice("clear", "clear", 1200)), TEXT)
    assert heard.marks["A"] == heard.marks["P"] == heard.marks["Q"] == 5
    assert heard.faults == ()
    assert set(heard.reasons) == set("APNQE")


@pytest.mark.parametrize(
    ("voice", "fault"),
    [
        (Voice("x", "x", 1200, missed=1.0), Fault.MISSING),
        (Voice("x", "x", 1200, misplaced=True), Fault.WRONG_PLACE),
        (Voice("x", "x", 1200, sounds=50), Fault.WEAK),
        (Voice("x", "x", 1200, hiss=40), Fault.NOISE),
        (Voice("x", "x", 1200, gain=1200), Fault.CLIPPING),
        (Voice("x", "x", 1200, manner=Manner(movement=0)), Fault.MONOTONE),
    ],
)
def test_each_fault_is_heard_and_the_clear_voice_has_none_of_them(voice, fault) -> None:
    assert fault in faults(voice)
    assert fault not in faults(Voice("x", "x", 1200))


def test_what_is_absent_has_neither_accuracy_nor_effect() -> None:
    marks = listen(said(Voice("x", "x", 1200, missed=1.0)), TEXT).marks
    assert (marks["A"], marks["P"]) == (0, 0)
    assert marks["N"] >= 3


def test_a_vocalization_of_another_kind_in_the_place_is_not_taken_for_the_right_one() -> None:
    clip = said(Voice("x", "x", 1200), TEXT.replace("[sneeze]", "[laugh]"))
    heard = listen(clip, TEXT)
    assert heard.marks["A"] == 3
    assert Fault.WRONG_KIND in {fault for fault, _ in heard.faults}


def test_silence_gets_the_lowest_marks() -> None:
    heard = listen(written(1.0), TEXT)
    assert heard.marks == {"A": 0, "P": 0, "N": 1, "Q": 1, "E": 1}
    assert Fault.SILENCE in {fault for fault, _ in heard.faults}


@pytest.mark.parametrize(
    "clip",
    [b"", b"RIFF", b"\0" * 4_000, written(1.0, rate=22_050), written(1.0, channels=2), written(0.01)],
)  # fmt: skip
def test_what_is_no_clip_of_the_right_kind_is_refused(clip: bytes) -> None:
    with pytest.raises(ValueError, match="clip"):
        listen(clip, TEXT)


def test_white_noise_and_one_click_do_not_stop_the_ear() -> None:
    noise = np.random.default_rng(3).integers(-3_000, 3_000, 16_000).astype(np.int16)
    click = np.zeros(16_000, dtype=np.int16)
    click[8_000] = 30_000
    for samples in (noise, click):
        marks = listen(wav(samples), "Well [sigh] no.").marks
        assert all(0 <= marks[name] <= 5 for name in "AP")
        assert all(1 <= marks[name] <= 5 for name in "NQE")


def test_the_place_of_a_vocalization_is_counted_in_syllables() -> None:
    assert [(one.label, one.place) for one in targets("[gasp] Is it? [sigh]")] == [
        ("gasp", 0.0),
        ("sigh", 1.0),
    ]
    assert targets("好[throat clearing]不行")[0].place == pytest.approx(1 / 3)
    assert targets("Nothing.") == ()


def test_the_demo_s_systems_differ_in_the_marks_in_which_they_should() -> None:
    sentences = utterances()[::3]
    texts = {one.utt_id: _tagged(one) for one in sentences}
    marks: dict[str, dict[str, list[int]]] = {}
    for system, voice in SYSTEMS.items():
        found = marks.setdefault(system, defaultdict(list))
        for one in sentences:
            for name, mark in listen(wav(speak(one, voice)), texts[one.utt_id]).marks.items():
                found[name].append(mark)
    worst = {
        name: min(marks, key=lambda system, of=name: mean(marks[system][of])) for name in "PNQ"
    }
    assert worst == {"P": "juniper-say-1", "N": "flat concatenation", "Q": "lagoon-vocoder"}
    assert min(mean(marks["alder-voice-2"][name]) for name in "APNQE") >= 4
    assert max(mean(marks["estuary-tts"]["A"]), mean(marks["flat concatenation"]["A"])) < 3.5


def _tagged(utterance) -> str:
    tags = list(utterance.tags)
    parts = []
    for index in range(len(utterance.slots) + 1):
        parts += [f"[{label}]" for label, place in tags if place == index]
        parts += utterance.slots[index : index + 1]
    return (" " if utterance.language == "en" else "").join(parts)
