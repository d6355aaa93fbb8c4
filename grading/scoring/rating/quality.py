"""Which answers count: rules that are stated before, applied once, and blind to the system.

Nothing here knows which system a stimulus is of. All comparisons are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

from grading.scoring.rating.agreement import pearson
from grading.scoring.rating.plans import KNOWN, REPEAT, SCORED, TRAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grading.scoring.rating.settings import ProtocolSettings

TRAPS_FAILED = "TRAPS_FAILED"
KNOWN_WRONG = "KNOWN_WRONG"
FLAT = "FLAT"
TOO_FAST = "TOO_FAST"
SESSIONS_VOID = "SESSIONS_VOID"
INCONSISTENT = "INCONSISTENT"
RATER_VOID = "RATER_VOID"

FLAT_FROM = 5
"""Scored answers from which variance is looked at: fewer are too often alike by chance."""
_ALL_MARKS = 5
_TWO = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as quality control sees it. `marks` are those that the form asks for, in its order.

    `expected` are the marks of a trap or a known answer; `first` the marks that a repeat was given
    the first time. `took_ms` runs from showing the stimulus, whose sound lasts `sound_ms`. `shown`
    are the marks as they were pressed, where they are counted in another way. `zero_is_absent` says
    that a mark of 0 is no place on a scale but "there was none".
    """

    key: str
    rater: str
    session: str
    kind: str
    stimulus: str
    marks: tuple[int, ...]
    took_ms: int
    sound_ms: int
    day: str = ""
    expected: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    zero_is_absent: bool = True


@dataclass(frozen=True, slots=True)
class Quality:
    """What was found: void sessions and raters with every reason, and scored answers by fate."""

    sessions: Mapping[str, tuple[str, ...]]
    raters: Mapping[str, tuple[str, ...]]
    dropped: Mapping[str, str]
    """Key of a scored answer that does not count -> the first reason why."""
    kept: frozenset[str]


def inspect(answers: Iterable[Answer], settings: ProtocolSettings) -> Quality:
    """Return what counts of these answers: sessions first, then raters on what is left.

    Other raters' marks, which a rater is compared with, are those of sessions that are not void:
    one pass, so that nothing depends on an order.
    """
    rows = sorted(answers, key=lambda row: (row.rater, row.session, row.key))
    sessions = _sessions(rows, settings)
    valid = [row for row in rows if row.session not in sessions]
    raters = _raters(rows, valid, sessions, settings)
    return applied(rows, sessions, raters)


def applied(
    answers: Iterable[Answer],
    sessions: Mapping[str, tuple[str, ...]],
    raters: Mapping[str, tuple[str, ...]],
) -> Quality:
    """Return which scored answers count when these sessions and raters are void."""
    dropped: dict[str, str] = {}
    kept = set()
    for row in answers:
        if row.kind != SCORED:
            continue
        if row.session in sessions:
            dropped[row.key] = sessions[row.session][0]
        elif row.rater in raters:
            dropped[row.key] = RATER_VOID
        else:
            kept.add(row.key)
    return Quality(sessions, raters, dropped, frozenset(kept))


def trap_passed(answer: Answer) -> bool:
    """Return whether all marks are those that the trap asked for."""
    return answer.marks == answer.expected


def known_is_right(answer: Answer, settings: ProtocolSettings) -> bool:
    """Return whether enough marks are within one of the known ones, and every known 0 is a 0.

    The latter only where a 0 says that there was none: between worse and better it is a mark as any.
    """
    pairs = list(zip(answer.marks, answer.expected, strict=True))
    near = sum(abs(given - known) <= 1 for given, known in pairs)
    zeros = all(given == 0 for given, known in pairs if known == 0 and answer.zero_is_absent)
    return zeros and near * _ALL_MARKS >= settings.known_marks * len(pairs)


def void_reasons(answers: Sequence[Answer], settings: ProtocolSettings) -> tuple[str, ...]:
    """Return why a session is void, every reason; empty for one that counts.

    In a session with fewer traps or known answers than a full one (it was left early, or is the
    short rest of a plan) the same share of them must be right.
    """
    traps = [trap_passed(row) for row in answers if row.kind == TRAP]
    known = [known_is_right(row, settings) for row in answers if row.kind == KNOWN]
    scored = [row for row in answers if row.kind == SCORED]
    found = {
        TRAPS_FAILED: _too_few(traps, settings.traps_passed, settings.traps),
        KNOWN_WRONG: _too_few(known, settings.known_right, settings.known),
        FLAT: len(scored) >= FLAT_FROM and _is_flat(scored, settings),
        TOO_FAST: bool(scored)
        and median(row.took_ms - row.sound_ms for row in scored) < settings.slack_ms,
    }
    return tuple(reason for reason, holds in found.items() if holds)


def _too_few(right: Sequence[bool], needed: int, full: int) -> bool:
    return sum(right) * full < needed * len(right)


def _is_flat(scored: Sequence[Answer], settings: ProtocolSettings) -> bool:
    """Return whether enough scales hardly vary; of a form with fewer scales, all of them.

    As they were pressed: whoever always presses the same is told by that, whatever it counts as.
    """
    scales = list(zip(*(row.shown or row.marks for row in scored), strict=True))
    flat = sum(100 * _variance(scale) < settings.flat_hundredths for scale in scales)
    return flat >= min(settings.flat_scales, len(scales))


def _variance(values: Sequence[int]) -> Fraction:
    """Return the mean squared distance from the mean."""
    count = len(values)
    return Fraction(count * sum(v * v for v in values) - sum(values) ** 2, count * count)


def _sessions(rows: Sequence[Answer], settings: ProtocolSettings) -> dict[str, tuple[str, ...]]:
    found = {}
    for session, group in groupby(rows, key=lambda row: row.session):
        reasons = void_reasons(list(group), settings)
        if reasons:
            found[session] = reasons
    return found


def _raters(
    rows: Sequence[Answer],
    valid: Sequence[Answer],
    void: Mapping[str, object],
    settings: ProtocolSettings,
) -> dict[str, tuple[str, ...]]:
    others = _sums(valid)
    found = {}
    for rater, group in groupby(rows, key=lambda row: row.rater):
        answers = list(group)
        sessions = {row.session for row in answers}
        bad = sum(session in void for session in sessions)
        reasons = []
        if bad >= settings.void_sessions or _TWO * bad > len(sessions):
            reasons.append(SESSIONS_VOID)
        if _contradicts(answers, settings) and _goes_alone(answers, void, others, settings):
            reasons.append(INCONSISTENT)
        if reasons:
            found[rater] = tuple(reasons)
    return found


def _contradicts(answers: Sequence[Answer], settings: ProtocolSettings) -> bool:
    """Return whether too few marks of the repeats are within one of those given before."""
    pairs = [
        pair
        for row in answers
        if row.kind == REPEAT
        for pair in zip(row.marks, row.first, strict=True)
    ]
    near = sum(abs(again - before) <= 1 for again, before in pairs)
    return 100 * near < settings.repeat_percent * len(pairs)


def _goes_alone(
    answers: Sequence[Answer],
    void: Mapping[str, object],
    others: Mapping[str, tuple[int, int]],
    settings: ProtocolSettings,
) -> bool:
    """Return whether the rater's marks hardly go with the means of the others' (leave-one-out r).

    A stimulus counts by the sum of its marks, where somebody else rated it too; without enough of
    them, or without any spread of the rater's own, nothing can be said.
    """
    mine, theirs = [], []
    for row in answers:
        if row.kind != SCORED:
            continue
        total, count = others.get(row.stimulus, (0, 0))
        own = sum(row.marks)
        if row.session not in void:
            total, count = total - own, count - 1
        if count:
            mine.append(Fraction(own))
            theirs.append(Fraction(total, count))
    if len(mine) < settings.correlation_stimuli:
        return False
    r = pearson(mine, theirs)
    return r is not None and 100 * r < settings.correlation_hundredths


def _sums(valid: Sequence[Answer]) -> dict[str, tuple[int, int]]:
    """Return the sum of all marks of each stimulus, and how many raters gave them."""
    found: dict[str, tuple[int, int]] = {}
    for row in valid:
        if row.kind == SCORED:
            total, count = found.get(row.stimulus, (0, 0))
            found[row.stimulus] = (total + sum(row.marks), count + 1)
    return found


@dataclass(frozen=True, slots=True)
class Day:
    """One day's scored answers: how many there were, and how many count."""

    day: str
    answers: int
    valid: int

    def is_alarming(self, settings: ProtocolSettings) -> bool:
        """Return whether too few of the day's answers are valid."""
        return 100 * self.valid < settings.alarm_percent * self.answers


def by_day(answers: Iterable[Answer], found: Quality) -> list[Day]:
    """Return the days in order, with their scored answers."""
    counts: dict[str, list[int]] = {}
    for row in answers:
        if row.kind == SCORED:
            count = counts.setdefault(row.day, [0, 0])
            count[0] += 1
            count[1] += row.key in found.kept
    return [Day(day, *counts[day]) for day in sorted(counts)]
