"""From what the stand-in's ear measured to its five marks, each with a sentence that says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from grading.judges.hearing import Event, Kind, Sound, measure
from grading.judges.hearing_text import Target, targets

_KINDS: Mapping[str, Kind] = {
    "breath": Kind.NOISE, "sniff": Kind.NOISE, "laugh": Kind.PITCH, "cry": Kind.PITCH,
    "cough": Kind.NOISE, "throat clearing": Kind.NOISE, "sneeze": Kind.NOISE, "sigh": Kind.NOISE,
    "gasp": Kind.NOISE, "snore": Kind.NOISE, "yawn": Kind.NOISE, "hum": Kind.STILL,
    "moan": Kind.STILL, "hiss": Kind.NOISE, "lipsmack": Kind.CLICK, "burp": Kind.NOISE,
}  # fmt: skip
_NEAR = 0.17
_RIGHT, _OTHER_KIND, _OTHER_PLACE = 5, 3, 2
_EFFECTS = ((-3.0, 5), (-7.0, 4), (-10.0, 3), (-14.0, 2))
_MOVEMENTS = ((1.9, 5), (1.2, 4), (0.7, 3))
_NOISES = ((33.0, 5), (26.0, 4), (19.0, 3), (12.0, 2))
_CLIPPED = 0.001
_HARSH = 14.0
_POOR = 2


class Fault(StrEnum):
    """What the stand-in can find fault with."""

    MISSING = "missing"
    WRONG_KIND = "wrong_kind"
    WRONG_PLACE = "wrong_place"
    WEAK = "weak"
    NOISE = "noise"
    CLIPPING = "clipping"
    MONOTONE = "monotone"
    SILENCE = "silence"


@dataclass(frozen=True, slots=True)
class Heard:
    """The stand-in's answer: marks A, P of 0 to 5 and N, Q, E of 1 to 5, why, and what is wrong.

    `faults` are (fault, severity), severity of 1 to 3; `heard` says in words what was heard.
    """

    marks: Mapping[str, int]
    reasons: Mapping[str, str]
    heard: str
    faults: tuple[tuple[Fault, int], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Match:
    """A vocalization of the text, the stretch that may be it, and its accuracy of 0 to 5."""

    target: Target
    event: Event | None
    accuracy: int


def listen(wav: bytes, text_with_nvvs: str) -> Heard:
    """Return the stand-in's marks of a clip that should say the tagged text.

    The same clip and text always give the same marks. Raises ValueError for what is no 16 kHz
    mono 16-bit WAV file.
    """
    sound = measure(wav)
    matches = _matches(targets(text_with_nvvs), sound.events)
    faults = _faults(sound, matches)
    marks = _marks(sound, matches)
    return Heard(marks, _reasons(sound, matches), _described(sound), faults, sound.seconds)


def _matches(wanted: Sequence[Target], events: Sequence[Event]) -> list[_Match]:
    """Return each vocalization with the best stretch that is left; none is taken twice."""
    left, found = list(events), []
    for target in wanted:
        best = max(left, key=partial(_fitness, target), default=None)
        accuracy = 0 if best is None else _accuracy(best, target)
        if best is None or not accuracy:
            found.append(_Match(target, None, 0))
            continue
        left.remove(best)
        found.append(_Match(target, best, accuracy))
    return found


def _fitness(target: Target, event: Event) -> tuple[int, float]:
    return _accuracy(event, target), -abs(event.place - target.place)


def _accuracy(event: Event, target: Target) -> int:
    is_kind = event.kind is _KINDS.get(target.label, Kind.NOISE)
    if abs(event.place - target.place) <= _NEAR:
        return _RIGHT if is_kind else _OTHER_KIND
    return _OTHER_PLACE if is_kind else 0


def _step(value: float, steps: Sequence[tuple[float, int]], otherwise: int) -> int:
    return next((mark for least, mark in steps if value >= least), otherwise)


def _mean(values: Sequence[int]) -> int:
    """Return the mean, rounded half up."""
    return (2 * sum(values) + len(values)) // (2 * len(values))


def _marks(sound: Sound, matches: Sequence[_Match]) -> dict[str, int]:
    if not sound.has_speech:
        return {"A": 0, "P": 0, "N": 1, "Q": 1, "E": 1}
    accuracy = _mean([match.accuracy for match in matches]) if matches else _RIGHT
    effect = _effect(matches) if accuracy else 0
    quality = _step(sound.noise, _NOISES, 1)
    if sound.clipped > _CLIPPED:
        quality = max(quality - 2, 1)
    moved = _step(sound.movement, _MOVEMENTS, 2)
    natural = max(moved - (quality <= _POOR) - _has(matches, _OTHER_PLACE), 1)
    expression = max(min((moved + effect + 1) // 2, 5), 1)
    return {"A": accuracy, "P": effect, "N": natural, "Q": quality, "E": expression}


def _effect(matches: Sequence[_Match]) -> int:
    """Return how well the vocalizations are heard beside the speech: at least 1, as one was heard."""
    if not matches:
        return _RIGHT
    heard = [
        _step(match.event.level, _EFFECTS, 1) - (match.accuracy == _OTHER_PLACE)
        if match.event
        else 0
        for match in matches
    ]
    return max(_mean(heard), 1)


def _has(matches: Sequence[_Match], accuracy: int) -> bool:
    return any(match.accuracy == accuracy for match in matches)


def _faults(sound: Sound, matches: Sequence[_Match]) -> tuple[tuple[Fault, int], ...]:
    found: list[tuple[Fault, int]] = []
    if not sound.has_speech:
        found.append((Fault.SILENCE, 3))
    found += [(_FAULT_OF[match.accuracy]) for match in matches if match.accuracy in _FAULT_OF]
    if any(match.event and match.event.level < _EFFECTS[1][0] for match in matches):
        found.append((Fault.WEAK, 2))
    if sound.noise < _NOISES[1][0]:
        found.append((Fault.NOISE, 3 if sound.noise < _HARSH else 1))
    if sound.clipped > _CLIPPED:
        found.append((Fault.CLIPPING, 2))
    if sound.movement < _MOVEMENTS[-1][0]:
        found.append((Fault.MONOTONE, 2))
    return tuple(dict.fromkeys(found))


_FAULT_OF: Mapping[int, tuple[Fault, int]] = {
    0: (Fault.MISSING, 3),
    _OTHER_PLACE: (Fault.WRONG_PLACE, 2),
    _OTHER_KIND: (Fault.WRONG_KIND, 2),
}


def _described(sound: Sound) -> str:
    if not sound.events:
        return "Nothing but syllables."
    parts = [
        f"{event.kind.value} at {event.start / 100:.1f}-{event.end / 100:.1f} s ({event.level:+.0f} dB)"
        for event in sound.events[:12]
    ]
    return "Beside syllables: " + ", ".join(parts) + "."


def _reasons(sound: Sound, matches: Sequence[_Match]) -> dict[str, str]:
    return {
        "A": _accuracy_reason(matches),
        "P": _effect_reason(matches),
        "N": f"The pitch moves by {sound.movement:.1f} semitones.",
        "Q": f"Speech is {sound.noise:.0f} dB above the noise, {100 * sound.clipped:.1f} % is clipped.",
        "E": "From the movement of the pitch and the effect of the vocalizations.",
    }


def _accuracy_reason(matches: Sequence[_Match]) -> str:
    right = sum(match.accuracy == _RIGHT for match in matches)
    heard = sum(match.event is not None for match in matches)
    return f"Of {len(matches)} vocalizations {heard} were heard, {right} of the right kind in the right place."


def _effect_reason(matches: Sequence[_Match]) -> str:
    levels = [f"{match.event.level:+.0f}" for match in matches if match.event]
    return f"Beside the speech: {', '.join(levels)} dB." if levels else "None was heard."
