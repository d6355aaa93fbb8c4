"""How far listeners agree, how they differ, and how a judge agrees with people; all sums exact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

Units = Iterable[Sequence[Fraction | int]]
"""The values that each unit (a stimulus) was given, one a rater; what is missing is left out."""


def krippendorff_alpha(units: Units) -> float | None:
    """Return Krippendorff's alpha for ordinal values: 1 is agreement, 0 what chance gives.

    Units with fewer than two values cannot be compared and do not count. None where nothing can be
    compared, or all values are equal. Formula: Krippendorff, Computing Krippendorff's
    Alpha-Reliability (2011), section D with the ordinal metric.

    >>> krippendorff_alpha([[1, 1], [2, 2], [3, 3]])
    1.0
    """
    paired = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in paired for value in unit})
    if len(values) < 2:  # noqa: PLR2004 - one value varies in nothing
        return None
    coincidences = _coincidences(paired, values)
    totals = [sum(row, Fraction(0)) for row in coincidences]
    count = sum(totals, Fraction(0))
    observed = expected = Fraction(0)
    for low in range(len(values)):
        for high in range(low + 1, len(values)):
            between = sum(totals[low : high + 1], Fraction(0))
            distance = (between - (totals[low] + totals[high]) / 2) ** 2
            observed += coincidences[low][high] * distance
            expected += totals[low] * totals[high] * distance
    return float(1 - (count - 1) * observed / expected)


def _coincidences(
    units: Sequence[Sequence[Fraction | int]], values: Sequence[Fraction | int]
) -> list[list[Fraction]]:
    """Return how often two values met in a unit, each unit weighing as many pairs as values."""
    place = {value: index for index, value in enumerate(values)}
    whole = [[Fraction(0)] * len(values) for _ in values]
    for size in sorted({len(unit) for unit in units}):
        counts = _counts([unit for unit in units if len(unit) == size], place)
        pairs = counts.T @ counts - np.diag(counts.sum(axis=0))
        for low, row in enumerate(pairs.tolist()):
            for high, number in enumerate(row):
                whole[low][high] += Fraction(number, size - 1)
    return whole


def _counts(
    units: Sequence[Sequence[Fraction | int]], place: Mapping[Fraction | int, int]
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    counts = np.zeros((len(units), len(place)), dtype=np.int64)
    for row, unit in enumerate(units):
        for value in unit:
            counts[row, place[value]] += 1
    return counts


class Icc(NamedTuple):
    """Intraclass correlation: of one rating, and of the mean of `ratings` (their usual number).

    `average` is None where all stimuli have the same mean: it has no lower end.
    """

    single: float
    average: float | None
    ratings: float


def icc_one_way(units: Units) -> Icc | None:
    """Return ICC(1,1) and ICC(1,k): how much of the spread is between stimuli, not raters.

    One-way random effects, because every stimulus has raters of its own; where their number
    varies, k is the ANOVA's usual mean number. None for fewer than two units, for no unit with two
    values, or when nothing varies. Formula: Shrout and Fleiss, Psychological Bulletin 86 (1979).
    """
    groups = [[Fraction(value) for value in unit] for unit in units if len(unit) > 0]
    count = sum(map(len, groups))
    if len(groups) < 2 or count <= len(groups):  # noqa: PLR2004 - no spread in one
        return None
    sums = [sum(group, Fraction(0)) for group in groups]
    squares = sum((value * value for group in groups for value in group), Fraction(0))
    means = sum((s * s / len(g) for s, g in zip(sums, groups, strict=True)), Fraction(0))
    between = (means - sum(sums, Fraction(0)) ** 2 / count) / (len(groups) - 1)
    within = (squares - means) / (count - len(groups))
    usual = (count - Fraction(sum(len(g) ** 2 for g in groups), count)) / (len(groups) - 1)
    if not between and not within:
        return None
    single = (between - within) / (between + (usual - 1) * within)
    average = float((between - within) / between) if between else None
    return Icc(float(single), average, float(usual))


class Severity(NamedTuple):
    """How one rater differs from the others on the same stimuli: `offset` in marks, over `ratings`.

    `correlation` is that of the rater's marks with the mean of the others', None without spread.
    """

    offset: float
    correlation: float | None
    ratings: int


def rater_severity(
    ratings: Iterable[tuple[str, str, Fraction | int]],
) -> dict[str, Severity]:
    """Return each rater's severity from (rater, stimulus, mark); below 0 is stricter.

    Stimuli that nobody else rated do not count; a rater without any other is left out.
    """
    stimuli: dict[str, list[tuple[str, Fraction]]] = {}
    for rater, stimulus, mark in ratings:
        stimuli.setdefault(stimulus, []).append((rater, Fraction(mark)))
    pairs: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for given in stimuli.values():
        total = sum((mark for _, mark in given), Fraction(0))
        for rater, mark in given:
            if len(given) > 1:
                others = (total - mark) / (len(given) - 1)
                pairs.setdefault(rater, []).append((mark, others))
    return {rater: _severity(pairs[rater]) for rater in sorted(pairs)}


def _severity(pairs: Sequence[tuple[Fraction, Fraction]]) -> Severity:
    offset = sum((mine - others for mine, others in pairs), Fraction(0)) / len(pairs)
    correlation = pearson([mine for mine, _ in pairs], [others for _, others in pairs])
    return Severity(float(offset), correlation, len(pairs))


class Agreement(NamedTuple):
    """A judge against people on the same items: `bias` is judge minus people, in marks."""

    pearson: float | None
    spearman: float | None
    bias: float
    items: int


def judge_agreement(
    judge: Mapping[str, Fraction | int], people: Mapping[str, Fraction | int]
) -> Agreement | None:
    """Return how a judge's marks go with people's means on the items both have; None for none."""
    items = sorted(judge.keys() & people.keys())
    if not items:
        return None
    ours, theirs = ([Fraction(side[item]) for item in items] for side in (judge, people))
    bias = sum((a - b for a, b in zip(ours, theirs, strict=True)), Fraction(0)) / len(items)
    return Agreement(
        pearson(ours, theirs), pearson(mid_ranks(ours), mid_ranks(theirs)), float(bias), len(items)
    )


def pearson(left: Sequence[Fraction | int], right: Sequence[Fraction | int]) -> float | None:
    """Return the correlation of two equally long series, None where one does not vary."""
    count = len(left)
    ours, theirs = ([Fraction(v) for v in side] for side in (left, right))
    covered = count * _dot(ours, theirs) - sum(ours) * sum(theirs)
    spread = (count * _dot(ours, ours) - sum(ours) ** 2) * (
        count * _dot(theirs, theirs) - sum(theirs) ** 2
    )
    if spread <= 0:
        return None
    squared = covered * covered / spread
    return math.copysign(math.sqrt(squared), covered)


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def mid_ranks(values: Sequence[Fraction | int]) -> list[Fraction]:
    """Return the rank of each value from 1 up; equal ones share the middle of their ranks.

    >>> [float(rank) for rank in mid_ranks([20, 10, 20])]
    [2.5, 1.0, 2.5]
    """
    ordered = sorted(values)
    first: dict[Fraction | int, int] = {}
    last: dict[Fraction | int, int] = {}
    for rank, value in enumerate(ordered, 1):
        first.setdefault(value, rank)
        last[value] = rank
    return [Fraction(first[value] + last[value], 2) for value in values]
