"""Speech systems of the demo: one tagged sentence in, one clip of 16 kHz out, each with its faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grading.demo.draws import fraction
from grading.demo.synthesis import FULL, render
from grading.demo.synthesis_sounds import sound
from grading.demo.synthesis_tables import FRAME, Samples, white_noise
from grading.demo.synthesis_text import LIVELY, Manner, phones_of
from grading.demo.systems import Utterance

Clip = NDArray[np.int16]
HIGHEST = 32_767
_EDGE, _GAP = 16 * FRAME, 14 * FRAME
_SOUND_PEAK = 5_600
_LOUDNESS = 2 * FULL
_ROOM = 2  # a faint noise under everything: no clip is digital silence anywhere


@dataclass(frozen=True, slots=True)
class Voice:
    """A system: its name, its speaker, and what it does badly.

    `pitch` is in tenths of Hz, `stretch` scales the formants in percent, `manner` is how it
    speaks. `sounds` is how loud vocalizations are (256: as they should be), `missed` the share of
    them that is left out; `misplaced` ones all come at the end. `hiss` is noise under the clip (16:
    as loud as half a vowel), `gain` amplifies in 256ths past what 16 bits can hold.
    """

    system: str
    speaker: str
    pitch: int
    stretch: int = 100
    manner: Manner = LIVELY
    sounds: int = FULL
    missed: float = 0.0
    misplaced: bool = False
    hiss: int = _ROOM
    gain: int = FULL


def speak(utterance: Utterance, voice: Voice) -> Clip:
    """Return the clip of a sentence, the same samples on every machine."""
    pieces = [np.zeros(_EDGE, dtype=np.int64)]
    for number, part in enumerate(_parts(utterance, voice)):
        seed = _seed(voice.speaker, utterance.utt_id, number)
        if isinstance(part, str):
            gap = np.zeros(_GAP, dtype=np.int64)
            pieces += [gap, _vocalization(part, voice, seed), gap]
        else:
            phones = phones_of(part, utterance.language, voice.manner)
            pieces.append(render(phones, pitch=voice.pitch, stretch=voice.stretch, seed=seed))
    pieces.append(np.zeros(_EDGE, dtype=np.int64))
    return _finished(np.concatenate(pieces), voice, _seed(voice.speaker, utterance.utt_id, "room"))


def _seed(*names: str | int) -> int:
    return int(fraction(*names) * 2**53)


def _parts(utterance: Utterance, voice: Voice) -> Iterator[tuple[str, ...] | str]:
    """Yield what is spoken and the labels of what is sounded between, in the system's order."""
    made = [
        (label, len(utterance.slots) if voice.misplaced else place)
        for number, (label, place) in enumerate(utterance.tags)
        if fraction(voice.speaker, utterance.utt_id, "missed", number) >= voice.missed
    ]
    start = 0
    for label, place in made:
        if utterance.slots[start:place]:
            yield utterance.slots[start:place]
        yield label
        start = place
    if utterance.slots[start:]:
        yield utterance.slots[start:]


def _vocalization(label: str, voice: Voice, seed: int) -> Samples:
    samples = render(sound(label), pitch=voice.pitch, stretch=voice.stretch, seed=seed)
    peak = int(np.abs(samples).max())
    return samples * (_SOUND_PEAK * voice.sounds // FULL) // peak


def _finished(samples: Samples, voice: Voice, seed: int) -> Clip:
    noisy = samples + white_noise(seed, len(samples)) * voice.hiss // FULL
    loud = noisy * _LOUDNESS // FULL * voice.gain // FULL
    clip: Clip = np.clip(loud, -HIGHEST, HIGHEST).astype(np.int16)
    return clip
