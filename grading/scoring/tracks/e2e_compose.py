"""From tallies of `e2e` to latency, naturalness and the score, and the same from resampled turns."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.metrics.percentiles import nearest_rank, percentile
from grading.scoring.metrics.turns import MILLISECOND, Latency, latency_score
from grading.scoring.tracks import decimals
from grading.scoring.tracks.base import Composed, Interval
from grading.scoring.tracks.decimals import mean, mean_or_none, stored, stored_or_none
from grading.scoring.tracks.e2e_params import LATENCY, NATURALNESS, YIELD_RATE
from grading.scoring.tracks.e2e_tallies import LATE_SOUND, OVERLAP, PREMATURE, TESTED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.tracks.e2e_params import TalkParams
    from grading.scoring.tracks.e2e_tallies import TalkTallies, TalkTally

FIXED = 2**32
TURN_NOT_MEASURED = "TURN_NOT_MEASURED"
BARGE_IN_NOT_MEASURED = "BARGE_IN_NOT_MEASURED"
NATURALNESS_NOT_RATED = "NATURALNESS_NOT_RATED"
YIELD_NOT_TESTED = "YIELD_NOT_TESTED"
GATE_WITHOUT_INTERVAL = "GATE_WITHOUT_INTERVAL"


class Talk(NamedTuple):
    """What a language's turns and dialogues come to; None where something is missing.

    `latency` is the percentile in ns, +∞ where unanswered turns reach it; points are 0 to 100.
    """

    latency: Latency | None
    latency_points: Fraction | None
    naturalness_points: Fraction | None
    yielded: int
    tested: int
    score: Fraction | None
    reason: str


def talk(tallies: TalkTallies, language: str, params: TalkParams) -> Talk:
    """Return what a language comes to: 0.4·latency + 0.6·naturalness, or why that is withheld."""
    turns, scored = tallies.turns(language), tallies.scored(language)
    dialogues = tallies.dialogues(language)
    latency = _latency(scored, params)
    points = None if latency is None else _points(latency, params)
    natural = _naturalness(dialogues, params)
    tested = [turn for turn in turns if turn.barge == TESTED]
    yielded = sum(turn.yielded for turn in tested)
    reason = _reason(turns, points, natural, len(tested), params)
    score = None
    if not reason:
        gate = Fraction(yielded, len(tested)) if params.gate == YIELD_RATE else Fraction(1)
        parts = {LATENCY: (points or 0) * gate, NATURALNESS: natural or 0}
        score = sum((w * parts[name] for name, w in params.weights.items()), Fraction(0))
    return Talk(latency, points, natural, yielded, len(tested), score, reason)


def _reason(
    turns: Sequence[TalkTally],
    latency: Fraction | None,
    naturalness: Fraction | None,
    tested: int,
    params: TalkParams,
) -> str:
    found = (
        (TURN_NOT_MEASURED, latency is None or any(not turn.measured for turn in turns)),
        (BARGE_IN_NOT_MEASURED, any(turn.barge == UNKNOWN for turn in turns)),
        (YIELD_NOT_TESTED, params.gate == YIELD_RATE and not tested),
        (NATURALNESS_NOT_RATED, naturalness is None and bool(params.weights[NATURALNESS])),
    )
    return next((code for code, is_so in found if is_so), "")


def _latency(scored: Sequence[TalkTally], params: TalkParams) -> Latency | None:
    """Return the pooled percentile in ns; None of no turns, or where one was not measured."""
    if not all(turn.measured for turn in scored):
        return None
    return percentile([_ns(turn) for turn in scored], params.part)


def _ns(turn: TalkTally) -> Latency:
    return math.inf if turn.latency_ns is None else turn.latency_ns


def _points(latency: Latency, params: TalkParams) -> Fraction:
    return latency_score(latency, full=params.ns("full"), none=params.ns("zero"))


def _naturalness(dialogues: Sequence[TalkTally], params: TalkParams) -> Fraction | None:
    """Return the mean over dialogues of what their mean mark is worth; None until all are rated."""
    if not dialogues or any(one.ratings < params.raters_needed for one in dialogues):
        return None
    shares = [params.scale.share(one.mean_mark) for one in dialogues]
    return 100 * mean(shares)


def compose(tallies: TalkTallies, params: TalkParams) -> Composed:
    """Return score, components and languages; latency is told also while nothing is rated.

    Everything is an exact fraction until it is rounded once, to 12 decimals, half to even.
    """
    parts = {name: talk(tallies, name, params) for name in params.languages}
    languages = {name: _language_json(tallies, name, one) for name, one in parts.items()}
    components = _components(list(parts.values()), list(languages.values()))
    reason = next((one.reason for one in parts.values() if one.reason), "")
    if reason:
        return Composed(None, reason, components, languages)
    scores = [one.score or Fraction(0) for one in parts.values()]
    return Composed(stored(mean(scores)), "", components, languages)


def _components(talks: list[Talk], parts: list[dict[str, Any]]) -> dict[str, Any]:
    pairs = ("yielded", "unanswered")
    return {
        LATENCY: stored_or_none(mean_or_none([one.latency_points for one in talks])),
        NATURALNESS: stored_or_none(mean_or_none([one.naturalness_points for one in talks])),
        "p95_ms": parts[0]["p95_ms"] if len(parts) == 1 else None,
        **{key: [sum(part[key][at] for part in parts) for at in (0, 1)] for key in pairs},
        **{
            key: sum(part[key] for part in parts) for key in ("overlaps", "premature", "late_sound")
        },
    }


def _language_json(tallies: TalkTallies, language: str, one: Talk) -> dict[str, Any]:
    turns, scored = tallies.turns(language), tallies.scored(language)
    flags = {"overlaps": OVERLAP, "premature": PREMATURE, "late_sound": LATE_SOUND}
    times = [turn.yield_ns for turn in turns if turn.yield_ns is not None]
    return {
        "score": stored_or_none(one.score),
        "withheld_reason": one.reason,
        "utterances": len(scored),
        LATENCY: stored_or_none(one.latency_points),
        NATURALNESS: stored_or_none(one.naturalness_points),
        "p95_ms": _ms(one.latency),
        "unanswered": [sum(turn.latency_ns is None for turn in scored), len(scored)],
        "yielded": [one.yielded, one.tested],
        "barge_ins": sum(turn.barge != "" for turn in turns),
        "yield_times_ms": [_ms(time) for time in times],
        "dialogues": len(tallies.dialogues(language)),
        "ratings": sum(dialogue.ratings for dialogue in tallies.dialogues(language)),
        **{key: sum(turn.flags & bit != 0 for turn in turns) for key, bit in flags.items()},
    }


def _ms(latency: Latency | None) -> float | None:
    """Return milliseconds; None for what never came."""
    if latency is None or latency == math.inf:
        return None
    return float(Fraction(latency) / MILLISECOND)


def points(languages: Mapping[str, Mapping[str, Any]], params: TalkParams) -> dict[str, float]:
    """Return what each part brings to the score, in points; empty where that is withheld or gated."""
    if params.gate == YIELD_RATE:
        return {}
    factors = {name: float(weight) for name, weight in params.weights.items()}
    return decimals.points(languages, params.languages, factors, lambda part, name: part[name])


def why_no_interval(tallies: TalkTallies, params: TalkParams) -> dict[str, str]:
    """Return by language why there is no interval, empty where there may be one."""
    found = {}
    for name in params.languages:
        clips = (tallies.scored(name), tallies.dialogues(name))
        reason = talk(tallies, name, params).reason
        if not reason and params.gate == YIELD_RATE:
            reason = GATE_WITHOUT_INTERVAL
        if not reason and min(map(len, clips)) < 2:  # noqa: PLR2004 - one has no spread
            reason = bootstrap.FEWER_THAN_TWO_CLIPS
        found[name] = reason
    return found


def replicates(
    systems: Sequence[TalkTallies], params: TalkParams, *, seed: int, count: int
) -> list[dict[str, bootstrap.Floats]]:
    """Return each system's scores by language in every replicate, all on the same draws.

    Drawn are the scored turns of each language, then its dialogues. Every system has an interval.
    """
    sizes = [size for name in params.languages for size in _sizes(systems[0], name)]
    tables = [
        {name: _Tables(system, name, params) for name in params.languages} for system in systems
    ]
    chunks: list[dict[str, list[bootstrap.Floats]]] = [
        {name: [] for name in params.languages} for _ in systems
    ]
    for drawn in bootstrap.multiplicities(sizes, seed=seed, replicates=count):
        for at, name in enumerate(params.languages):
            for table, chunk in zip(tables, chunks, strict=True):
                chunk[name].append(table[name].scores(drawn[2 * at], drawn[2 * at + 1]))
    return [{name: np.concatenate(part) for name, part in one.items()} for one in chunks]


def _sizes(tallies: TalkTallies, language: str) -> tuple[int, int]:
    return len(tallies.scored(language)), len(tallies.dialogues(language))


class _Tables:
    """What a language's replicates are made of: turns from the quickest on, and dialogues' shares."""

    def __init__(self, tallies: TalkTallies, language: str, params: TalkParams) -> None:
        scored, dialogues = tallies.scored(language), tallies.dialogues(language)
        order = sorted(range(len(scored)), key=lambda at: _ns(scored[at]))
        self._order = np.array(order, dtype=np.int64)
        self._rank = nearest_rank(params.part, len(scored))
        points = [float(_points(_ns(scored[at]), params)) for at in order]
        self._points = np.array(points, dtype=np.float64)
        shares = [round(self._share(one, params) * FIXED) for one in dialogues]
        self._shares = np.array(shares, dtype=np.int64)
        self._weights = [float(params.weights[name]) for name in (LATENCY, NATURALNESS)]

    @staticmethod
    def _share(dialogue: TalkTally, params: TalkParams) -> Fraction:
        return params.scale.share(dialogue.mean_mark) if dialogue.ratings else Fraction(0)

    def scores(self, turns: bootstrap.Integers, dialogues: bootstrap.Integers) -> bootstrap.Floats:
        """Return the scores of some replicates from how often each turn and dialogue was drawn."""
        reached = turns[:, self._order].cumsum(axis=1) >= self._rank
        latency = self._points[reached.argmax(axis=1)]
        natural = (dialogues * self._shares).sum(axis=1) / (len(self._shares) * FIXED)
        scores: bootstrap.Floats = self._weights[0] * latency + self._weights[1] * (100 * natural)
        return scores


def final(parts: Mapping[str, bootstrap.Floats]) -> bootstrap.Floats:
    """Return the mean over languages."""
    values = list(parts.values())
    total = values[0]
    for one in values[1:]:
        total = total + one
    return total / len(values)


def interval(values: bootstrap.Floats, clips: int) -> Interval:
    """Return the interval of replicated scores; none of them is a ratio 0/0."""
    return bootstrap.interval(values, np.zeros(len(values), dtype=np.bool_), clips)
