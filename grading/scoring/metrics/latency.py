"""How long recognizers, language models and voices take, from measurements in nanoseconds.

Missing is None, never 0. Means of many ratios are taken in fixed point of 18 decimals, since exact
fractions of 100,000 clips would have denominators of as many digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.metrics import percentiles
from grading.scoring.types import ScoringError

RATIO_SCALE = 10**18
TIMED_RUNS = 10
PUBLISHED_SHARE = Fraction(90, 100)
NONE_COUNTED = "NO_ENDPOINT_COUNTED"
TOO_FEW_COUNTED = "FEWER_THAN_90_PERCENT_COUNTED"


class MeasurementRefused(ScoringError):
    """A measurement that cannot be: time below 0, audio without length, a run too few."""


class Ratios(NamedTuple):
    """Real-time factor of some clips: the mean of their ratios, and the ratio of their sums."""

    mean: Fraction
    of_sums: Fraction


def fixed_ratio(spent: int, audio: int) -> int:
    """Return spent / audio in units of 10⁻¹⁸, half to even. Raises MeasurementRefused."""
    if spent < 0 or audio <= 0:
        raise MeasurementRefused("time spent is 0 or more, the length of audio above 0")
    return round(Fraction(spent * RATIO_SCALE, audio))


def real_time_factor(clips: Iterable[tuple[int, int]]) -> Ratios | None:
    """Return the RTF of (time spent, length of audio) pairs in one unit; None of none (rule B5).

    Linear in the number of clips. Raises MeasurementRefused for audio without length.
    """
    known = list(clips)
    if not known:
        return None
    total = sum(fixed_ratio(spent, audio) for spent, audio in known)
    sums = Fraction(sum(spent for spent, _ in known), sum(audio for _, audio in known))
    return Ratios(Fraction(total, RATIO_SCALE * len(known)), sums)


def mean_over(parts: Iterable[Fraction | None]) -> Fraction | None:
    """Return the mean of parts that count alike, such as languages; None while one is missing."""
    known = list(parts)
    if not known or any(part is None for part in known):
        return None
    return percentiles.mean([part for part in known if part is not None])


def finalization(runs: Sequence[int], *, timed: int = TIMED_RUNS) -> Fraction | None:
    """Return the median of the timed runs, the first of `runs` being the untimed one (rule B6).

    `runs` are ns in the order they were made. None while there are fewer than 1 + `timed`. Raises
    MeasurementRefused for more, since choosing among them is nobody's right, and below 0.
    """
    if any(run < 0 for run in runs):
        raise MeasurementRefused("a time is 0 or more")
    if len(runs) > timed + 1:
        raise MeasurementRefused(f"there are {len(runs)} runs; one and then {timed} are asked for")
    if len(runs) <= timed:
        return None
    found = percentiles.median(runs[1:])
    return None if found is None else Fraction(found)


class Event(NamedTuple):
    """A message of a recognizer: when its last byte came in (ns), its text, whether it is final."""

    at: int
    text: str
    is_final: bool


def first_token(start: int, events: Iterable[Event]) -> int | None:
    """Return ns from `start` to the first text that is not blank, partial or final (rule B3)."""
    times = [event.at for event in events if event.text.strip()]
    return min(times) - start if times else None


class Outcome(StrEnum):
    """How a recognizer found the end of speech: by itself, only once the stream closed, or not."""

    FINAL = "final"
    FLUSH = "flush"
    NONE = "no_endpoint"


class Endpoint(NamedTuple):
    """One endpoint: its outcome, and ns after the end of speech where one came."""

    outcome: Outcome
    latency: int | None = None


def find_endpoint(
    events: Iterable[Event], *, last_chunk: int, speech_end: int, closed: int
) -> Endpoint:
    """Return the last final with text after the last chunk of speech, in ns after `speech_end`.

    A final that came only after the stream was closed is a flush (rules C2, C4).
    """
    times = [one.at for one in events if one.is_final and one.text.strip() and one.at > last_chunk]
    before = [at for at in times if at <= closed]
    if before:
        return Endpoint(Outcome.FINAL, max(before) - speech_end)
    return Endpoint(Outcome.FLUSH, max(times) - speech_end) if times else Endpoint(Outcome.NONE)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Percentiles by nearest rank over the endpoints that count, in ns, or why there are none."""

    p50: int | None
    p90: int | None
    p50_reason: str
    p90_reason: str
    counted: int
    flushed: int
    total: int


def summarize_endpoints(endpoints: Iterable[Endpoint]) -> Endpoints:
    """Return p50 and p90 of the endpoints found in time (rules C3, C5).

    Flushes and clips without an endpoint are in the total alone; with fewer than 90 % counted p90
    is withheld, since what is missing would be its slow end.
    """
    known = list(endpoints)
    counted = [
        one.latency for one in known if one.outcome is Outcome.FINAL and one.latency is not None
    ]
    flushed = sum(one.outcome is Outcome.FLUSH for one in known)
    reason = "" if counted else NONE_COUNTED
    slow = reason or ("" if len(counted) >= PUBLISHED_SHARE * len(known) else TOO_FEW_COUNTED)
    return Endpoints(
        p50=None if reason else percentiles.percentile(counted, "0.5"),
        p90=None if slow else percentiles.percentile(counted, "0.9"),
        p50_reason=reason,
        p90_reason=slow,
        counted=len(counted),
        flushed=flushed,
        total=len(known),
    )


def mean_of_groups(groups: Mapping[str, Sequence[int]]) -> Fraction | None:
    """Return the mean of the groups' means, each counting alike; None of none (rule B11).

    A group without values makes it None: a subtask that was not measured is missing.
    """
    return mean_over(percentiles.mean(groups[name]) for name in sorted(groups))


def pipeline(*legs: Fraction | int | None) -> Fraction | None:
    """Return the sum of the legs, None while one is missing (rule B10).

    >>> pipeline(Fraction("0.42"), Fraction("0.35"), Fraction("0.18"))
    Fraction(19, 20)
    """
    if not legs or any(leg is None for leg in legs):
        return None
    return sum((Fraction(leg) for leg in legs if leg is not None), Fraction(0))
