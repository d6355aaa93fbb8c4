"""Intervals and paired comparisons of a score that is a mean over languages of functions of sums.

A track says what is resampled (integer columns of a language's items) and what a score is made of
(resampled sums); drawing, bounds and the reasons for none are here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grading.scoring import bootstrap
from grading.scoring.tracks.base import Difference, Interval

DECIMALS = 12
FEWEST_CLIPS = 2


class Replicated(NamedTuple):
    """A language's score in each replicate, and which replicates met a ratio 0/0."""

    scores: bootstrap.Floats
    degenerate: NDArray[np.bool_]


Strata = Mapping[str, bootstrap.Integers]
ScoreOf = Callable[[bootstrap.Integers, int], Replicated]
"""Takes a language's resampled sums (columns, replicates) and its number of items."""


def resample(
    systems: Sequence[Strata], score_of: ScoreOf, *, seed: int, replicates: int
) -> dict[str, list[Replicated]]:
    """Return each system's replicates by language, all on the same draws of the same items."""
    languages = [name for name, columns in systems[0].items() if columns.shape[1]]
    stacked = [np.concatenate([system[name] for system in systems]) for name in languages]
    found: dict[str, list[Replicated]] = {}
    if not stacked:
        return found
    sums = bootstrap.resample(stacked, seed=seed, replicates=replicates)
    for name, stratum, table in zip(languages, stacked, sums, strict=True):
        tables = table.reshape(len(systems), -1, replicates)
        found[name] = [score_of(one, stratum.shape[1]) for one in tables]
    return found


def final(parts: Mapping[str, Sequence[Replicated]], index: int) -> Replicated:
    """Return the mean over languages of one system's replicates."""
    chosen = [part[index] for part in parts.values()]
    scores, degenerate = chosen[0]
    for part in chosen[1:]:
        scores, degenerate = scores + part.scores, degenerate | part.degenerate
    return Replicated(scores / len(chosen), degenerate)


def intervals(
    system: Strata, score_of: ScoreOf, *, seed: int, replicates: int
) -> dict[str, Interval]:
    """Return the 95 % interval of `final` and of each language, or the reason for none."""
    parts = resample([system], score_of, seed=seed, replicates=replicates)
    found = {
        name: bootstrap.interval(*parts[name][0], columns.shape[1])
        if name in parts
        else Interval(None, None, bootstrap.FEWER_THAN_TWO_CLIPS)
        for name, columns in system.items()
    }
    if any(one.low is None for one in found.values()):
        return {**found, "final": Interval(None, None, bootstrap.LANGUAGE_WITHOUT_INTERVAL)}
    clips = sum(columns.shape[1] for columns in system.values())
    return {**found, "final": bootstrap.interval(*final(parts, 0), clips)}


def withheld(reasons: Mapping[str, str], reason: str) -> dict[str, Interval]:
    """Return intervals of which there is none, each for its language's reason."""
    of_languages = {name: Interval(None, None, why or reason) for name, why in reasons.items()}
    return {**of_languages, "final": Interval(None, None, reason)}


def is_thin(system: Strata) -> bool:
    """Return whether a language has too few items to tell a spread."""
    return any(columns.shape[1] < FEWEST_CLIPS for columns in system.values())


def differences(
    scores: Sequence[float | None],
    systems: Sequence[Strata | None],
    score_of: ScoreOf,
    *,
    seed: int,
    replicates: int,
) -> list[Difference]:
    """Return the paired differences of the others from the first, in points of the final score.

    A system without strata (its score is withheld) cannot be told from the first, nor can any where
    the first has none or a language has fewer than two items.
    """
    first = systems[0]
    known = [one for one in systems if one is not None]
    if first is None or is_thin(first):
        return [Difference(delta(one, scores[0]), None, None, None) for one in scores[1:]]
    parts = resample(known, score_of, seed=seed, replicates=replicates)
    drawn = iter([final(parts, index).scores for index in range(len(known))])
    base = next(drawn)
    return [
        difference(delta(score, scores[0]), None if system is None else next(drawn) - base)
        for score, system in zip(scores[1:], systems[1:], strict=True)
    ]


def delta(score: float | None, first: float | None) -> float | None:
    """Return the difference of two scores; None where one of them is withheld."""
    return None if score is None or first is None else round(score - first, DECIMALS)


def difference(points: float | None, values: bootstrap.Floats | None) -> Difference:
    """Return a paired difference with bounds and p-value of its replicates; None: they are not known."""
    if values is None:
        return Difference(points, None, None, None)
    low, high = bootstrap.bounds(values)
    return Difference(points, low, high, bootstrap.p_value(values))


def ratio(
    numerator: bootstrap.Integers, denominator: bootstrap.Integers, *, worst: float
) -> tuple[bootstrap.Floats, NDArray[np.bool_]]:
    """Return quotients, the worst value where one is 0/0, and where that was so."""
    empty = denominator == 0
    return np.where(empty, worst, numerator / np.where(empty, 1, denominator)), empty
