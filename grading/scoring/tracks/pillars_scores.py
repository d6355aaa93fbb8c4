"""Core and full score of an entrant from the scores of its pillars: exact, and withheld with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.tracks.composed import PILLAR_WITHOUT_INTERVAL
from grading.scoring.tracks.decimals import stored_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grading.scoring.tracks.composed import PillarScore
    from grading.scoring.tracks.pillars_params import PillarParams

BASELINE_ALONE = "BASELINE_ALONE"
NOT_ENTERED = "NOT_ENTERED"
NOT_FINAL = "NOT_FINAL"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A composed score in points, 0 to 100, or None and why; with its interval, or why there is none."""

    score: Fraction | None
    reason: str = ""
    low: float | None = None
    high: float | None = None
    interval_reason: str = ""

    @property
    def stored(self) -> float | None:
        """The score rounded once, to 12 decimals, half to even."""
        return stored_or_none(self.score)


def reason_code(kind: str, name: str) -> str:
    """Return why a score is withheld, with the pillar that is to blame.

    >>> reason_code(NOT_FINAL, "tts")
    'TTS_NOT_FINAL'
    """
    return f"{name.upper()}_{kind}"


def core(pillars: Mapping[str, PillarScore], params: PillarParams) -> Verdict:
    """Return the weighted mean of the baseline's scores; null with the reason where one is missing.

    With the seed's weights: (20·ASR + 25·LLM) / 45.
    """
    return _weighted(pillars, params.baseline, params)


def full(pillars: Mapping[str, PillarScore], params: PillarParams) -> Verdict:
    """Return the weighted mean of every entered pillar, the weights rescaled over these.

    Withheld until each of them is final. Where the baseline alone was entered there is none: then
    the core score says it.
    """
    entered = entered_pillars(pillars, params)
    if set(entered) == set(params.baseline):
        return _withheld(BASELINE_ALONE)
    return _weighted(pillars, _ordered({*entered, *params.baseline}, params), params)


def entered_pillars(pillars: Mapping[str, PillarScore], params: PillarParams) -> tuple[str, ...]:
    """Return the pillars that were entered, in the board's order; others are not looked at."""
    return _ordered(pillars, params)


def table_key(entered: Iterable[str]) -> str:
    """Return what names the table of those that entered these pillars.

    >>> table_key(("asr", "llm", "tts"))
    'asr-llm-tts'
    """
    return "-".join(entered)


def _ordered(names: Iterable[str], params: PillarParams) -> tuple[str, ...]:
    found = set(names)
    return tuple(name for name in params.weights if name in found)


def _withheld(reason: str) -> Verdict:
    return Verdict(None, reason, interval_reason=reason)


def _weighted(
    pillars: Mapping[str, PillarScore], names: Sequence[str], params: PillarParams
) -> Verdict:
    """Return the weighted mean of these pillars. One that is not there, or not final, withholds it."""
    for kind, is_so in ((NOT_ENTERED, _is_absent), (NOT_FINAL, _is_open)):
        for name in names:
            if is_so(pillars, name):
                return _withheld(reason_code(kind, name))
    total = sum((params.weights[name] for name in names), Fraction(0))
    shares = {name: params.weights[name] / total for name in names}
    score = sum((shares[name] * _exact(pillars[name]) for name in names), Fraction(0))
    low, high, reason = _interval({name: pillars[name] for name in names}, shares)
    return Verdict(score, "", low, high, reason)


def _is_absent(pillars: Mapping[str, PillarScore], name: str) -> bool:
    return name not in pillars


def _is_open(pillars: Mapping[str, PillarScore], name: str) -> bool:
    return pillars[name].score is None


def _exact(pillar: PillarScore) -> Fraction:
    """Return a pillar's score as it is stored, in decimals."""
    return Fraction(str(pillar.score))


def _interval(
    pillars: Mapping[str, PillarScore], shares: Mapping[str, Fraction]
) -> tuple[float | None, float | None, str]:
    """Return the 95 % bounds of the weighted sum of the pillars' replicates.

    Pillars are measured on different items, so replicate k of one is drawn independently of replicate
    k of another, and their weighted sum is a replicate of the whole.
    """
    drawn: list[tuple[float, Any]] = [
        (float(shares[name]), pillar.replicates) for name, pillar in pillars.items()
    ]
    sizes = {None if values is None else len(values) for _, values in drawn}
    without = any(pillar.low is None or pillar.high is None for pillar in pillars.values())
    if without or None in sizes or len(sizes) != 1:
        return None, None, PILLAR_WITHOUT_INTERVAL
    total: bootstrap.Floats = np.zeros(len(drawn[0][1]), dtype=np.float64)
    for share, values in drawn:
        total = total + share * values
    low, high = bootstrap.bounds(total)
    return (None, None, bootstrap.ZERO_WIDTH) if low == high else (low, high, "")
