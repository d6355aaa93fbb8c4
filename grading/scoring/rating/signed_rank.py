"""Wilcoxon's signed-rank test of paired differences, from its exact distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grading.scoring.rating.agreement import mid_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


def signed_rank_p(differences: Sequence[Fraction | int]) -> float | None:
    """Return the two-sided p-value of differences being centered on zero; None for none.

    Differences of zero are left out (Wilcoxon, 1945); equal sizes share their middle rank. The
    distribution is that of all 2^n ways to set the signs, given these ranks, so that ties need no
    correction and small samples no normal curve.

    >>> signed_rank_p([1, 2, 3, 4, 5])
    0.0625
    """
    sizes = [difference for difference in differences if difference]
    if not sizes:
        return None
    doubled = [int(2 * rank) for rank in mid_ranks([max(size, -size) for size in sizes])]
    positive = sum(rank for rank, size in zip(doubled, sizes, strict=True) if size > 0)
    chances = np.zeros(sum(doubled) + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    lower = float(chances[: positive + 1].sum())
    upper = float(chances[positive:].sum())
    return min(1.0, 2 * min(lower, upper))
