"""Paired differences of recognition tracks: all systems on the same draws of the same utterances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grading.scoring import bootstrap
from grading.scoring.tracks.asr_rates import DECIMALS, Measures, Resampled
from grading.scoring.tracks.asr_tallies import ErrorTallies
from grading.scoring.tracks.base import Difference

_UNKNOWN = Difference(None, None, None, None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a track compares by: its exact score, its measures, and its score in every replicate."""

    score: Callable[[ErrorTallies], Fraction | None]
    measures: Measures
    replicated: Callable[[Resampled], bootstrap.Floats]


def compare(
    leader: ErrorTallies,
    others: Sequence[ErrorTallies],
    by: Comparison,
    *,
    seed: int,
    replicates: int,
) -> list[Difference]:
    """Return the differences, other minus leader. Raises ClipsDiffer.

    Bounds and p-value are None where a language or corpus has fewer than two utterances; of a
    withheld score there is no difference at all.
    """
    ahead = by.score(leader)
    scores = [by.score(other) for other in others]
    whole = [other for other, score in zip(others, scores, strict=True) if score is not None]
    if ahead is None or not whole:
        return [_UNKNOWN for _other in others]
    drawn = Resampled([leader, *whole], by.measures, seed=seed, replicates=replicates)
    values = iter(by.replicated(drawn))
    base = next(values)
    is_thin = drawn.fewest() < 2  # noqa: PLR2004 - no spread in one
    return [
        _UNKNOWN if score is None else _difference(score - ahead, next(values) - base, is_thin)
        for score in scores
    ]


def _difference(delta: Fraction, values: bootstrap.Floats, is_thin: bool) -> Difference:
    exact = float(round(delta, DECIMALS))
    if is_thin:
        return Difference(exact, None, None, None)
    low, high = bootstrap.bounds(values)
    return Difference(exact, low, high, bootstrap.p_value(values))
