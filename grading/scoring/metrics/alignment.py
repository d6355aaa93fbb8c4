"""Where a boundary of the hypothesis lies in the reference.

The alignment is a unit-cost Levenshtein path over units, traced back from the end; among equal
paths it prefers the diagonal, then deleting a reference unit, then inserting a hypothesis unit.
The matrix is kept as bit vectors, one per hypothesis unit (Hyyrö, "A bit-vector algorithm for
computing Levenshtein and Damerau edit distances", 2003): the trace needs only to know, per cell,
whether a step is free to go.
"""

from __future__ import annotations

from operator import ne
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALWAYS_STRAIGHT = 2


def reference_boundaries(
    reference: Sequence[str], hypothesis: Sequence[str], boundaries: Sequence[int]
) -> list[int]:
    """Map boundaries of the hypothesis (units before them, ascending) to the reference.

    A boundary goes to the smallest reference boundary that the path visits at it; the result is
    ascending, each value in 0 … len(reference). Equal sequences map to themselves.

    >>> reference_boundaries("i really mean it".split(), "i really mean".split(), [0, 3])
    [0, 3]
    >>> reference_boundaries("yes no yes".split(), "no yes no".split(), [1])
    [0]
    """
    if not boundaries or boundaries[-1] == 0 or _is_straight(reference, hypothesis):
        return list(boundaries)
    lowest = _lowest_visits(reference, hypothesis, boundaries[0])
    return [lowest[boundary] for boundary in boundaries]


def _is_straight(reference: Sequence[str], hypothesis: Sequence[str]) -> bool:
    """Tell whether the main diagonal is a shortest path; being preferred, it is then the path.

    A shorter way around needs an insertion and a deletion, so up to two substitutions need no
    second look.
    """
    if len(reference) != len(hypothesis):
        return False
    substitutions: int = sum(map(ne, reference, hypothesis))
    if substitutions <= _ALWAYS_STRAIGHT:
        return True
    return Levenshtein.distance(reference, hypothesis) == substitutions


def _lowest_visits(reference: Sequence[str], hypothesis: Sequence[str], stop: int) -> list[int]:
    """Return, per hypothesis boundary from `stop` on, the lowest reference boundary visited.

    Equal ends are followed without a matrix: at equal last units the diagonal is always open and
    preferred. Equal starts leave the matrix of the middle as it is, but the path may run along
    its edge, so the rest of it is traced there (see `_trace_edge`).
    """
    row, column = len(reference), len(hypothesis)
    lowest = [0] * (column + 1)
    lowest[column] = row
    start = _common_start(reference, hypothesis)
    while row > start and column > start and reference[row - 1] == hypothesis[column - 1]:
        row, column = row - 1, column - 1
        lowest[column] = row
    if stop > column:
        return lowest
    if row > start and column > start:
        row, column = _trace_middle(
            reference[start:row], hypothesis[start:column], start, stop, lowest
        )
    _trace_edge(reference, hypothesis, row, column, lowest)
    return lowest


def _common_start(reference: Sequence[str], hypothesis: Sequence[str]) -> int:
    start = 0
    for left, right in zip(reference, hypothesis, strict=False):
        if left != right:
            break
        start += 1
    return start


def _trace_middle(
    reference: Sequence[str], hypothesis: Sequence[str], offset: int, stop: int, lowest: list[int]
) -> tuple[int, int]:
    """Trace back from the end of the middle part until its first row or column, or `stop`."""
    diagonals, deletions = _open_steps(reference, hypothesis)
    row, column = len(reference), len(hypothesis)
    least_column = max(stop - offset - 1, 0)
    while row and column > least_column:
        bit = row - 1
        if diagonals[column - 1] >> bit & 1:
            row, column = row - 1, column - 1
        elif deletions[column - 1] >> bit & 1:
            row -= 1
        else:
            column -= 1
        lowest[column + offset] = row + offset
    return row + offset, column + offset


def _open_steps(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return per hypothesis unit two bit vectors over the reference units.

    A set bit says that from this cell the diagonal (match, or substitution on a shortest path) or
    the deletion of the reference unit lies on a shortest path.
    """
    places: dict[str, int] = {}
    for index, unit in enumerate(reference):
        places[unit] = places.get(unit, 0) | 1 << index
    full = (1 << len(reference)) - 1
    up, down = full, 0  # cells one more, one less than the cell above them
    diagonals: list[int] = []
    deletions: list[int] = []
    for unit in hypothesis:
        match = places.get(unit, 0)
        same = ((match & up) + up ^ up | match | down) & full  # equal to the diagonal's cell
        right = ((down | full ^ (same | up)) << 1 | 1) & full
        up = (same & up) << 1 & full | full ^ (same | right)
        down = right & same
        diagonals.append(match | full ^ same)
        deletions.append(up)
    return diagonals, deletions


def _trace_edge(
    reference: Sequence[str], hypothesis: Sequence[str], row: int, column: int, lowest: list[int]
) -> None:
    """Finish the trace where one sequence, up to here, is the start of the other.

    There the distance is the difference in length, so a step that does not match must be the
    deletion, or the insertion, of the longer side's unit.
    """
    while row and column and row != column:
        if reference[row - 1] == hypothesis[column - 1]:
            row, column = row - 1, column - 1
        elif row > column:
            row -= 1
        else:
            column -= 1
        lowest[column] = row
    if row == column:
        lowest[:column] = range(column)
    elif column == 0:
        lowest[0] = 0
    else:
        lowest[:column] = [0] * column
