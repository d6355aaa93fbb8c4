"""When each chunk of a clip leaves: speech faster than real time if asked, silence never."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grading.scoring.types import ScoringError

CHUNK_MS = 100
PACE = Fraction(5, 2)
SILENCE_MS = 8_000

Milliseconds = Fraction | int


class PacingRefused(ScoringError):
    """A clip, chunk, silence or pace that cannot be sent."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """Departures in ms since the first sample: of speech, chunk by chunk, then of silence."""

    speech: tuple[Fraction, ...]
    silence: tuple[Fraction, ...]

    @property
    def last_speech(self) -> Fraction:
        """When the last chunk with speech leaves."""
        return self.speech[-1]

    @property
    def end(self) -> Fraction:
        """When the last chunk of all leaves."""
        return (self.silence or self.speech)[-1]


def pace(
    duration_ms: Milliseconds,
    *,
    chunk_ms: Milliseconds = CHUNK_MS,
    rate: Fraction = PACE,
    silence_ms: Milliseconds = SILENCE_MS,
) -> Pacing:
    """Return when chunks leave: each when its last sample is spoken, at `rate` times real time.

    A last chunk may be short. Silence begins where speech ended and runs at real time (rule C1).
    Raises PacingRefused unless duration, chunk and rate are above 0 and silence is 0 or more.
    """
    if not (duration_ms > 0 and chunk_ms > 0 and rate > 0 and silence_ms >= 0):
        raise PacingRefused("a clip, its chunks and its pace are above 0, silence is 0 or more")
    speech = tuple(end / Fraction(rate) for end in _ends(duration_ms, chunk_ms))
    start = speech[-1]
    silence = tuple(start + end for end in _ends(silence_ms, chunk_ms))
    return Pacing(speech, silence)


def _ends(length: Milliseconds, chunk: Milliseconds) -> list[Fraction]:
    """Return where each chunk of a stretch ends; the last one where the stretch does."""
    count = -(-Fraction(length) // Fraction(chunk))
    return [min(Fraction(length), k * Fraction(chunk)) for k in range(1, int(count) + 1)]
