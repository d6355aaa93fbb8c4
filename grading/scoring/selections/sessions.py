"""Long recordings in sessions that overlap, and the texts of the sessions joined again.

Algorithm `replay-join`, version 1. A session ends after `length`; the next one begins `replay`
earlier than that. Results that end within the replay are dropped, then the longest run of equal
tokens at the seam is taken once. Nothing is matched loosely and no reference is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.selections.items import SelectionRefused

ALGORITHM = "replay-join"
VERSION = 1
LENGTH = Fraction(285)
REPLAY = Fraction(5)
MOST_TOKENS = 80
MOST_SESSIONS = 100_000

Tokens = Callable[[str], Sequence[str]]


class Session(NamedTuple):
    """One session: from `start` up to `end` of the recording, the first `replay` of it heard before."""

    start: Fraction
    end: Fraction
    replay: Fraction


def split(
    duration: Fraction | int, *, length: Fraction | int = LENGTH, replay: Fraction | int = REPLAY
) -> list[Session]:
    """Return the sessions of a recording: [k·step, k·step + length), cut at its end (rule D3).

    `step` is length - replay: the replay lies inside the length. The first session that reaches
    the end is the last; a recording of no length has none. One unit for all three, seconds by
    default. Raises SelectionRefused for a length, duration or replay that cannot be.

    >>> [(int(one.start), int(one.end)) for one in split(600)]
    [(0, 285), (280, 565), (560, 600)]
    """
    whole, size, heard = Fraction(duration), Fraction(length), Fraction(replay)
    if whole < 0:
        raise SelectionRefused("a duration is 0 or more")
    if not 0 <= heard < size:
        raise SelectionRefused("a replay is 0 or more and shorter than the session")
    if whole > MOST_SESSIONS * (size - heard):
        raise SelectionRefused(f"more than {MOST_SESSIONS} sessions")
    sessions: list[Session] = []
    start = Fraction(0)
    while whole and (not sessions or sessions[-1].end < whole):
        sessions.append(
            Session(start, min(start + size, whole), heard if sessions else Fraction(0))
        )
        start += size - heard
    return sessions


def streamed(sessions: Iterable[Session]) -> Fraction:
    """Return how much is sent in all sessions together, the replays counted again."""
    return sum((one.end - one.start for one in sessions), Fraction(0))


class Result(NamedTuple):
    """One final result of a session: its text, and when it ends, from the session's start."""

    text: str
    end: Fraction


@dataclass(frozen=True, slots=True)
class Part:
    """What became of one session: results dropped in the replay, words taken out at the seam."""

    results: int
    dropped: int
    removed_words: int
    text: str


@dataclass(frozen=True, slots=True)
class Joined:
    """The text of all sessions, and what became of each."""

    text: str
    parts: tuple[Part, ...]


def join(
    sessions: Iterable[Sequence[Result]],
    *,
    tokens: Tokens,
    replay: Fraction | int = REPLAY,
    most: int = MOST_TOKENS,
) -> Joined:
    """Return the joined text of sessions in order; `tokens` normalizes and splits a text.

    A result is kept if it ends after the replay; the first session has none, so that all of its
    results are kept, one that ends at 0 too (rule D4). Then
    the longest k up to `most` is sought for which the last k tokens so far are the first k of the
    session; the raw words that hold these are left out, all others stay as they are (rule D5).
    Linear in the length of the texts. Raises SelectionRefused for a replay or `most` below 0.
    """
    heard = Fraction(replay)
    if heard < 0 or most < 0:
        raise SelectionRefused("the replay and the number of tokens are 0 or more")
    words: list[str] = []
    tail: list[str] = []
    parts: list[Part] = []
    for results in sessions:
        kept = [one for one in results if not parts or one.end > heard]
        given = " ".join(one.text for one in kept).split()
        removed = seam(tail, given, tokens=tokens, most=most) if words else 0
        words += given[removed:]
        tail = _tail(tail, given[removed:], tokens, most)
        parts.append(Part(len(results), len(results) - len(kept), removed, " ".join(given)))
    return Joined(" ".join(words), tuple(parts))


def seam(left: Sequence[str], words: Sequence[str], *, tokens: Tokens, most: int) -> int:
    """Return how many of the raw `words` repeat the end of the tokens `left`, 0 where none do."""
    right: list[str] = []
    ends: list[int] = []
    for count, word in enumerate(words, 1):
        if len(right) >= most:
            break
        found = tokens(word)
        right += found
        ends += [count] * len(found)
    most = min(most, len(left), len(right))
    length = next((k for k in range(most, 0, -1) if list(left[-k:]) == right[:k]), 0)
    return ends[length - 1] if length else 0


def _tail(tail: list[str], words: Sequence[str], tokens: Tokens, most: int) -> list[str]:
    """Return the last `most` tokens once `words` have come; only as many words as needed are read."""
    fresh: list[str] = []
    for word in reversed(words):
        if len(fresh) >= most:
            break
        fresh[:0] = tokens(word)
    return [*tail, *fresh][-most:] if most else []
