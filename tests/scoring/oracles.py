"""Slow and plain computations to hold the scorer against; they share no code with it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import numpy as np


def full_matrix(reference: Sequence[str], hypothesis: Sequence[str]) -> list[list[int]]:
    """Return the whole Levenshtein matrix."""
    rows, columns = len(reference) + 1, len(hypothesis) + 1
    table = [[i + j for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            table[i][j] = min(
                table[i - 1][j - 1] + (reference[i - 1] != hypothesis[j - 1]),
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
            )
    return table


def lowest_visits(reference: Sequence[str], hypothesis: Sequence[str]) -> list[int]:
    """Trace the matrix back from its end: diagonal, then deletion, then insertion."""
    table = full_matrix(reference, hypothesis)
    i, j = len(reference), len(hypothesis)
    lowest = [0] * (j + 1)
    lowest[j] = i
    while i or j:
        cost = int(bool(i and j) and reference[i - 1] != hypothesis[j - 1])
        if i and j and table[i][j] == table[i - 1][j - 1] + cost:
            i, j = i - 1, j - 1
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
        lowest[j] = i
    return lowest


def best_matching(reference: list[int], hypothesis: list[int], collar: int) -> tuple[int, int]:
    """Try every one-to-one matching, crossing ones too; return (pairs, total distance)."""
    for size in range(min(len(reference), len(hypothesis)), 0, -1):
        totals = [
            sum(abs(a - b) for a, b in zip(chosen, others, strict=True))
            for chosen in combinations(reference, size)
            for others in permutations(hypothesis, size)
            if all(abs(a - b) <= collar for a, b in zip(chosen, others, strict=True))
        ]
        if totals:
            return size, min(totals)
    return 0, 0


def cheapest_alignment(
    reference: tuple[tuple[str, int], ...], hypothesis: tuple[tuple[str, int], ...], units: int
) -> Fraction | None:
    """Return the NTD by recursion over fractions."""

    @cache
    def cost(i: int, j: int) -> Fraction:
        if i == len(reference) or j == len(hypothesis):
            return Fraction(len(reference) - i + len(hypothesis) - j)
        same = reference[i][0] == hypothesis[j][0]
        distance = Fraction(abs(reference[i][1] - hypothesis[j][1]), max(1, units))
        pair = min(distance, Fraction(1)) if same else Fraction(1)
        return min(cost(i + 1, j + 1) + pair, cost(i + 1, j) + 1, cost(i, j + 1) + 1)

    if not reference:
        return None
    return cost(0, 0) / max(len(reference), len(hypothesis))


def draws(seed: int, count: int) -> list[int]:
    """Return 32-bit draws: low half, then high half, of each raw word, by plain integers."""
    words = np.random.PCG64(seed).random_raw((count + 1) // 2)
    halves = [half for word in map(int, words) for half in (word & 0xFFFFFFFF, word >> 32)]
    return halves[:count]
