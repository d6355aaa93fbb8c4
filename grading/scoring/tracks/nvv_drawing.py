"""The alignment of one utterance, drawn for those who may see the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.metrics.alignment import reference_boundaries
from grading.scoring.metrics.events import by_label, match_positions
from grading.scoring.tracks.nvv_tally import event_positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grading.scoring.text.nvv1 import Transcript


class UnitPair(NamedTuple):
    """Two aligned units; None stands for a deletion or an insertion."""

    reference: str | None
    hypothesis: str | None


class EventPair(NamedTuple):
    """Two paired events, or one alone; positions in the reference's coordinates."""

    label: str
    reference: int | None
    hypothesis: int | None


class Drawing(NamedTuple):
    """Units in reading order, then events by label."""

    units: tuple[UnitPair, ...]
    events: tuple[EventPair, ...]


def draw(reference: Transcript, hypothesis: Transcript, collar: int) -> Drawing:
    """Return the alignment and the pairing that the score is made of.

    >>> from grading.scoring.text.nvv1 import read_transcript
    >>> laugh = frozenset({"laugh"})
    >>> sides = (read_transcript(x, "en", laugh) for x in ("no [laugh] no", "[laugh] no yes no"))
    >>> drawing = draw(*sides, collar=0)
    >>> [tuple(pair) for pair in drawing.units]
    [('no', 'no'), (None, 'yes'), ('no', 'no')]
    >>> [tuple(event) for event in drawing.events]
    [('laugh', 1, None), ('laugh', None, 0)]
    """
    return Drawing(
        tuple(_unit_pairs(reference.units, hypothesis.units)),
        tuple(_event_pairs(reference, hypothesis, collar)),
    )


def _unit_pairs(reference: Sequence[str], hypothesis: Sequence[str]) -> Iterator[UnitPair]:
    """Walk the path by the lowest row that it visits in each column.

    Where two columns share it the hypothesis' unit is inserted; otherwise the step between them
    is a diagonal, after the deletions in the left column: an insertion and a deletion in its
    stead would cost more.
    """
    lowest = reference_boundaries(reference, hypothesis, list(range(len(hypothesis) + 1)))
    row = 0
    for column, unit in enumerate(hypothesis):
        target = lowest[column + 1]
        if target == lowest[column]:
            yield UnitPair(None, unit)
            continue
        yield from (UnitPair(deleted, None) for deleted in reference[row : target - 1])
        yield UnitPair(reference[target - 1], unit)
        row = target
    yield from (UnitPair(deleted, None) for deleted in reference[row:])


def _event_pairs(reference: Transcript, hypothesis: Transcript, collar: int) -> Iterator[EventPair]:
    wanted = by_label(reference.tags, reference.positions)
    given = by_label(hypothesis.tags, event_positions(reference, hypothesis))
    for label in sorted(wanted.keys() | given.keys()):
        ours, theirs = wanted.get(label, []), given.get(label, [])
        pairs = match_positions(ours, theirs, collar)
        yield from (EventPair(label, ours[i], theirs[j]) for i, j in pairs)
        found, right = {i for i, _ in pairs}, {j for _, j in pairs}
        yield from (EventPair(label, p, None) for i, p in enumerate(ours) if i not in found)
        yield from (EventPair(label, None, p) for j, p in enumerate(theirs) if j not in right)
