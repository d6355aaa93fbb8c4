"""Event micro F1: which predicted events count as found.

Per utterance and label, reference and predicted events are paired one to one when they lie within
the collar: as many pairs as possible, then the least total distance. Both lists are ascending
positions on one line, and uncrossing two crossing pairs neither widens the larger distance nor
raises the sum; so some best matching keeps the order, and a table over both lists finds it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Counts(NamedTuple):
    """True positives, false positives, false negatives; they add over utterances and labels."""

    tp: int
    fp: int
    fn: int

    @property
    def f1(self) -> Fraction:
        """2PR / (P + R) = 2·tp / (2·tp + fp + fn), in 0 … 1; 0 where that is 0/0."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def precision(self) -> Fraction:
        """Share of the predicted events that are right, in 0 … 1; 0 where nothing is predicted."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Fraction:
        """Share of the reference events that are found, in 0 … 1; 0 where there is none."""
        return ratio(self.tp, self.tp + self.fn)


def ratio(numerator: int, denominator: int) -> Fraction:
    """Return the exact quotient, 0 on a zero denominator (the challenge's rule for F1)."""
    return Fraction(numerator, denominator) if denominator else Fraction(0)


def match_positions(
    reference: Sequence[int], hypothesis: Sequence[int], collar: int
) -> list[tuple[int, int]]:
    """Pair two ascending lists of positions; returns index pairs, ascending.

    A pair is at most `collar` units apart (inclusive). As many pairs as possible, then the least
    total distance; of equally good matchings one that pairs the earlier events.

    >>> match_positions([2, 4], [4, 6], 2)
    [(0, 0), (1, 1)]
    """
    if len(reference) == len(hypothesis) == 1:
        return [(0, 0)] if abs(reference[0] - hypothesis[0]) <= collar else []
    table = _best_worth(reference, hypothesis, collar)
    pairs: list[tuple[int, int]] = []
    i, j = len(reference), len(hypothesis)
    while i and j:
        if table[i][j] == table[i - 1][j]:
            i -= 1
        elif table[i][j] == table[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _best_worth(
    reference: Sequence[int], hypothesis: Sequence[int], collar: int
) -> list[list[int]]:
    """Return the table of best worths of the first i and j events.

    A pair is worth more than all distances together could cost, less its own distance: so the
    number of pairs decides first.
    """
    pair = 1 + collar * min(len(reference), len(hypothesis))
    rows = [[0] * (len(hypothesis) + 1)]
    for position in reference:
        above, row = rows[-1], [0]
        for j, other in enumerate(hypothesis):
            distance = abs(position - other)
            best = max(above[j + 1], row[j])
            if distance <= collar:
                best = max(best, above[j] + pair - distance)
            row.append(best)
        rows.append(row)
    return rows


def by_label(labels: Sequence[str], positions: Sequence[int]) -> dict[str, list[int]]:
    """Return the positions of each label, in order of appearance."""
    grouped: dict[str, list[int]] = {}
    for label, position in zip(labels, positions, strict=True):
        grouped.setdefault(label, []).append(position)
    return grouped


def count_events(
    reference: Mapping[str, Sequence[int]], hypothesis: Mapping[str, Sequence[int]], collar: int
) -> dict[str, Counts]:
    """Return the counts of each label that occurs on either side of one utterance.

    Both sides give positions in the reference's coordinates.

    >>> count_events({"laugh": [0]}, {"laugh": [0, 4], "cough": [1]}, 2)
    {'laugh': Counts(tp=1, fp=1, fn=0), 'cough': Counts(tp=0, fp=1, fn=0)}
    """
    counts: dict[str, Counts] = {}
    for label, wanted in reference.items():
        given = hypothesis.get(label, ())
        found = len(match_positions(wanted, given, collar)) if given else 0
        counts[label] = Counts(found, len(given) - found, len(wanted) - found)
    for label, given in hypothesis.items():
        if label not in reference:
            counts[label] = Counts(0, len(given), 0)
    return counts
