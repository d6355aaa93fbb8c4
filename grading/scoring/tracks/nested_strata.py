"""Means over languages of means over subtasks, resampled: a stratum is `language` or `language/subtask`.

Every stratum counts as its language does, whatever its size; its clips are drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.tracks.base import Difference, Interval
from grading.scoring.tracks.pillars_strata import FEWEST_CLIPS, Replicated, resample

FINAL = "final"
Drawn = dict[str, Replicated]
"""Replicates of `final` and of each language that has clips."""
Values = Mapping[str, Sequence[int]]
"""The whole numbers of 0 or more of each stratum's clips."""


def language_of(key: str) -> str:
    """Return the language of a stratum."""
    return key.partition("/")[0]


def draw_means(systems: Sequence[Values], *, unit: int, seed: int, replicates: int) -> list[Drawn]:
    """Return the replicates of each system, all on the same draws; values count parts of 1/unit."""
    strata = [
        {key: bootstrap.as_columns([(one,) for one in values]) for key, values in system.items()}
        for system in systems
    ]

    def mean_of(sums: bootstrap.Integers, clips: int) -> Replicated:
        return Replicated(sums[0] / (clips * unit), np.zeros(sums.shape[1], dtype=np.bool_))

    parts = resample(strata, mean_of, seed=seed, replicates=replicates)
    return [
        _averaged({key: part[index] for key, part in parts.items()})
        for index in range(len(systems))
    ]


def _averaged(parts: Mapping[str, Replicated]) -> Drawn:
    by_language: dict[str, list[Replicated]] = {}
    for key, part in parts.items():
        by_language.setdefault(language_of(key), []).append(part)
    found = {name: _mean(of_it) for name, of_it in by_language.items()}
    return {**found, FINAL: _mean(list(found.values()))}


def _mean(parts: Sequence[Replicated]) -> Replicated:
    total, degenerate = parts[0]
    for part in parts[1:]:
        total, degenerate = total + part.scores, degenerate | part.degenerate
    return Replicated(total / len(parts), degenerate)


def fewest(sizes: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return, by language, the number of clips of its smallest stratum."""
    found: dict[str, int] = {}
    for key, size in sizes:
        name = language_of(key)
        found[name] = min(found.get(name, size), size)
    return found


def intervals(
    drawn: Drawn,
    *,
    reasons: Mapping[str, str],
    sizes: Mapping[str, int],
    is_pooled: bool = False,
) -> dict[str, Interval]:
    """Return the 95 % interval of `final` and of each language, or the reason for none.

    `reasons` holds every language, with why it has no score where it has none; `sizes` those that
    have clips. Unless the whole is pooled, it needs an interval of each of these.
    """
    found = {
        name: Interval(None, None, reason)
        if reason
        else bootstrap.interval(*drawn[name], sizes[name])
        for name, reason in reasons.items()
    }
    if not is_pooled and any(found[name].low is None for name in sizes):
        return {**found, FINAL: Interval(None, None, bootstrap.LANGUAGE_WITHOUT_INTERVAL)}
    return {**found, FINAL: bootstrap.interval(*drawn[FINAL], sum(sizes.values()))}


def differences(
    scores: Sequence[float | None],
    draw: Callable[[list[int]], list[Drawn]] | None,
    sizes: Mapping[str, int],
) -> list[Difference]:
    """Return the paired differences of the others from the first, in the score's unit.

    `draw` takes the places of the systems that have a score; None where nothing is resampled.
    """
    if draw is None or scores[0] is None or any(size < FEWEST_CLIPS for size in sizes.values()):
        return [Difference(_delta(one, scores[0]), None, None, None) for one in scores[1:]]
    places = [place for place, score in enumerate(scores) if score is not None]
    drawn = dict(zip(places, draw(places), strict=True))
    base = drawn[0][FINAL].scores
    found = []
    for place, score in enumerate(scores[1:], 1):
        if place not in drawn:
            found.append(Difference(None, None, None, None))
            continue
        values = drawn[place][FINAL].scores - base
        low, high = bootstrap.bounds(values)
        found.append(Difference(_delta(score, scores[0]), low, high, bootstrap.p_value(values)))
    return found


def _delta(score: float | None, first: float | None) -> float | None:
    return None if score is None or first is None else round(score - first, bootstrap.DECIMALS)
