"""Turns of a conversation: when a reply begins, whether it stops, and what its lateness is worth.

Times are integers in nanoseconds on one monotonic clock; a turn without an answer has latency +∞.
Scores are exact fractions from 0 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.metrics.percentiles import percentile
from grading.scoring.types import ScoringError

MILLISECOND = 1_000_000
FULL_SCORE = 300 * MILLISECOND
NO_SCORE = 2_000 * MILLISECOND
TURN_TIMEOUT = 10_000 * MILLISECOND
OVERLAP = 200 * MILLISECOND
SOUND_FOLLOWS = 500 * MILLISECOND
YIELD = 500 * MILLISECOND
PART = Fraction(95, 100)
SHORTEST_DEADLINE_MS = 2_000
LATENCY_WEIGHT, NATURALNESS_WEIGHT = Fraction(40, 100), Fraction(60, 100)

Latency = int | Fraction | float
"""Nanoseconds; the only float is +∞."""


class TurnRefused(ScoringError):
    """A time or a mark that cannot be: negative, NaN, outside of its scale."""


def latency_score(latency: Latency, *, full: int = FULL_SCORE, none: int = NO_SCORE) -> Fraction:
    """Return the score of a latency: 100 up to `full`, 0 from `none` on, linear between (rule A6).

    From nanoseconds as they were measured, never rounded. Raises TurnRefused for NaN and below 0.

    >>> float(latency_score(1_150 * MILLISECOND))
    50.0
    """
    if not latency >= 0:
        raise TurnRefused(f"a latency is 0 or more, not {latency}")
    if latency <= full:
        return Fraction(100)
    if latency >= none:
        return Fraction(0)
    return 100 * (none - Fraction(latency)) / (none - full)


class Turn(NamedTuple):
    """One turn of a scenario: its latency in ns, None where no answer came, and whether it counts."""

    latency: int | None
    is_scored: bool = True


def pooled_latency(turns: Iterable[Turn], *, part: Fraction = PART) -> Latency | None:
    """Return the 95th percentile by nearest rank over all scored turns together (rules A8, A10, A13).

    Unanswered turns count as +∞, as do those after the timeout of 10 s. None where no turn counts.
    """
    scored = [_counted(turn.latency) for turn in turns if turn.is_scored]
    return percentile(scored, part)


def _counted(latency: int | None) -> Latency:
    if latency is not None and latency < 0:
        raise TurnRefused(f"a latency is 0 or more, not {latency}")
    return math.inf if latency is None or latency > TURN_TIMEOUT else latency


def pooled_score(turns: Iterable[Turn], *, part: Fraction = PART) -> Fraction | None:
    """Return the score of the pooled percentile, not a mean of scores (rule A9); None of no turns."""
    latency = pooled_latency(turns, part=part)
    return None if latency is None else latency_score(latency)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a turn was answered: latency in ns, None for not at all; what was odd about it."""

    latency: int | None
    is_overlap: bool = False
    is_premature: bool = False


def answer(end: int, starts: Iterable[int], *, tolerance: int = OVERLAP) -> Answer:
    """Return the answer to an utterance that ended at `end`, from the starts of replies (rule A11).

    A start up to `tolerance` early is an overlap of latency 0; an earlier one is premature and
    answers nothing, but one after it may. All in ns.
    """
    is_premature = False
    for start in sorted(starts):
        if start >= end:
            return Answer(start - end, is_premature=is_premature)
        if end - start <= tolerance:
            return Answer(0, is_overlap=True, is_premature=is_premature)
        is_premature = True
    return Answer(None, is_premature=is_premature)


def reply_start(
    announced: int | None, first_sound: int | None, *, within: int = SOUND_FOLLOWS
) -> int | None:
    """Return when a reply began: when it was announced if sound came within 500 ms, else at its
    first sound; None where no sound came (rule A12). All in ns.
    """
    if first_sound is None:
        return None
    if announced is not None and announced <= first_sound <= announced + within:
        return announced
    return first_sound


def played_until(frames: Iterable[tuple[int, int]]) -> int | None:
    """Return when a caller hears the last of (arrival, length) frames that are played in real time.

    A frame plays when it has arrived and those before it are over. None of no frames. All in ns.
    """
    end: int | None = None
    for arrival, length in sorted(frames):
        end = (arrival if end is None else max(arrival, end)) + length
    return end


def stop_time(announced: int | None, frames: Sequence[tuple[int, int]]) -> int | None:
    """Return when a reply has stopped (rule A15): when it said so, if no sound follows.

    If sound follows, the arrival of the last frame; if it never said so, when the last frame has
    been played in real time. `frames` are (arrival, length). None where there is nothing. In ns.
    """
    last = max((arrival for arrival, _ in frames), default=None)
    if announced is None:
        return played_until(frames)
    return announced if last is None or last <= announced else last


class Interruption(NamedTuple):
    """A barge-in: when it began and when the reply stopped, in ns.

    `stopped` None is a reply that never stopped; a reply that was over before tests nothing.
    """

    began: int
    stopped: int | None


def has_yielded(one: Interruption, *, within: int = YIELD) -> bool | None:
    """Return whether the reply stopped at most 500 ms after it was interrupted, the bound included.

    None where the reply was over before: nothing was tested (rule A15).
    """
    if one.stopped is None:
        return False
    if one.stopped < one.began:
        return None
    return one.stopped - one.began <= within


@dataclass(frozen=True, slots=True)
class Yields:
    """How many interruptions were tested, and in how many of these the reply yielded."""

    yielded: int
    tested: int

    @property
    def rate(self) -> Fraction | None:
        """Yielded of tested, None where none was tested."""
        return Fraction(self.yielded, self.tested) if self.tested else None


def count_yields(interruptions: Iterable[Interruption]) -> Yields:
    """Return how many interruptions were tested and yielded to."""
    found = [has_yielded(one) for one in interruptions]
    return Yields(found.count(True), len(found) - found.count(None))


def deadline_ms(duration_ms: Fraction | int) -> int:
    """Return how long a transcript may take: half the clip, rounded half up, at least 2 s (rule A16).

    In whole milliseconds. Raises TurnRefused below 0.

    >>> deadline_ms(12_345), deadline_ms(1_500)
    (6173, 2000)
    """
    if duration_ms < 0:
        raise TurnRefused(f"a duration is 0 or more, not {duration_ms}")
    return max(SHORTEST_DEADLINE_MS, math.floor(Fraction(duration_ms) / 2 + Fraction(1, 2)))


def is_in_time(arrival: int, duration_ms: Fraction | int) -> bool:
    """Return whether a final that was complete `arrival` ns after the end met the deadline, inclusive."""
    return arrival <= deadline_ms(duration_ms) * MILLISECOND


def opinion_points(mean: Fraction, *, lowest: int = 1, highest: int = 5) -> Fraction:
    """Return a mean opinion on a scale as 0 … 100 points, its lowest mark being 0 (rule A2).

    With `lowest` 0 it is the mark divided by the highest. Raises TurnRefused outside of the scale.

    >>> opinion_points(Fraction(4)), opinion_points(Fraction(4), lowest=0)
    (Fraction(75, 1), Fraction(80, 1))
    """
    if not lowest <= mean <= highest:
        raise TurnRefused(f"a mean from {lowest} to {highest} cannot be {mean}")
    return 100 * (Fraction(mean) - lowest) / (highest - lowest)


def conversation_score(
    latency: Fraction | None,
    naturalness: Fraction | None,
    *,
    weights: tuple[Fraction, Fraction] = (LATENCY_WEIGHT, NATURALNESS_WEIGHT),
) -> Fraction | None:
    """Return 0.4 · latency + 0.6 · naturalness, both 0 … 100; None until both are there."""
    if latency is None or naturalness is None:
        return None
    return weights[0] * latency + weights[1] * naturalness
