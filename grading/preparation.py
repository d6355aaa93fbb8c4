"""The child's part of preparing stimuli: reads clips that were sent, writes the files that raters hear."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from grading import stimuli
from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import examine
from grading.scoring.formats.sources import BytesSource, ByteStream

CHANGED = "CLIP_CHANGED"
UNREADABLE = "CLIP_UNREADABLE"
BOUNDS = ClipBounds(shortest=Fraction(1, stimuli.RATE), longest=Fraction(600))
"""Of anything that may be prepared; how long an entry's clips may be is for its phase to say."""

Json = dict[str, Any]


def prepare_files(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Prepare `job["clips"]`, each a `path`, its `sha256` and the path `out` of the file to be made.

    Returns under `prepared`, in the same order, what was made of each: `sha256`, `size` in bytes,
    `frames`, `levels`, `outline`; or `error` with a code for a clip that is not what was accepted.
    Raises OSError.
    """
    clips = job["clips"]
    prepared = []
    for number, clip in enumerate(clips):
        progress(number, len(clips))
        prepared.append(_prepare(Path(clip["path"]), clip["sha256"], Path(clip["out"])))
    return {"prepared": prepared}


def _prepare(path: Path, sha256: str, out: Path) -> Json:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        return {"error": CHANGED}
    samples = samples_of(data)
    if samples is None:
        return {"error": UNREADABLE}
    made = stimuli.prepare(samples)
    with out.open("xb") as file:
        file.write(made.data)
        file.flush()
        os.fsync(file.fileno())
    return {
        "sha256": made.sha256,
        "size": len(made.data),
        "frames": made.frames,
        "levels": made.levels.as_json(),
        "outline": list(made.outline),
    }


def samples_of(data: bytes) -> stimuli.Samples | None:
    """Return the samples of a WAV file of 16 kHz, mono, 16 bit; None where intake would refuse it."""
    stream = ByteStream(iter(BytesSource(data).passing(0, len(data))))
    clip = examine(stream, len(data), BOUNDS)
    if not clip.is_accepted or not clip.frames:
        return None
    return np.frombuffer(data, "<i2", clip.frames, clip.start).astype(np.int16)
