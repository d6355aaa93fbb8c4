"""Every pair of systems on the same utterances: the mean difference, and Wilcoxon's test of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from grading.scoring import bootstrap
from grading.scoring.rating.signed_rank import signed_rank_p

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems by name: the mean of `one` minus `other` over the utterances that both have.

    `p` is the two-sided p-value of the signed-rank test, None where no utterance differs;
    `adjusted` the same by Holm's method over all pairs.
    """

    one: str
    other: str
    utterances: int
    difference: float
    p: float | None
    adjusted: float | None


def pairs(values: Mapping[str, Mapping[Hashable, Fraction]]) -> list[Pair]:
    """Return all pairs of systems in order of their names, from a value for each utterance of each.

    A pair without a common utterance is left out.

    >>> pairs({"a": {"u": Fraction(4)}, "b": {"u": Fraction(1)}})
    [Pair(one='a', other='b', utterances=1, difference=3.0, p=1.0, adjusted=1.0)]
    """
    found: list[tuple[str, str, list[Fraction]]] = []
    for one, other in combinations(sorted(values), 2):
        common = sorted(values[one].keys() & values[other].keys(), key=repr)
        if common:
            found.append((one, other, [values[one][u] - values[other][u] for u in common]))
    chances = [signed_rank_p(differences) for _, _, differences in found]
    adjusted = bootstrap.holm(chances)
    return [
        Pair(one, other, len(given), float(sum(given, Fraction(0)) / len(given)), p, by_holm)
        for (one, other, given), p, by_holm in zip(found, chances, adjusted, strict=True)
    ]
