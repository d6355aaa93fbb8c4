"""The alignment of one utterance as a drawing shows it. Pure; for organizers, it holds texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from grading.scoring.metrics.alignment import reference_boundaries
from grading.scoring.text.nvv1 import Transcript


class Step(StrEnum):
    """What a column of the alignment is."""

    SAME = "same"
    SUBSTITUTED = "sub"
    DELETED = "del"
    INSERTED = "ins"
    REFERENCE_TAG = "ref-tag"
    SYSTEM_TAG = "hyp-tag"
    BOTH_TAGS = "tag"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a unit or tag of the reference above, of the system below; either may lack."""

    step: Step
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class TagPlace:
    """A tag of the system in the reference's coordinates, and the nearest one of its label.

    `distance` is in units, None when the reference has no such label.
    """

    label: str
    given: int
    mapped: int
    nearest: int | None
    distance: int | None
    within: bool


def draw_columns(reference: Transcript, system: Transcript) -> list[Column]:
    """Return the columns of the alignment the score is computed with, tags between their units."""
    lowest = _boundaries(reference, system)
    columns: list[Column] = []
    for place, (start, end) in enumerate(pairwise(lowest)):
        columns += _tags(system, place, Step.SYSTEM_TAG)
        columns += _deleted(reference, start, end - 1)
        if end == start:
            columns.append(Column(Step.INSERTED, "", system.units[place]))
            continue
        columns += _tags(reference, end - 1, Step.REFERENCE_TAG)
        above, below = reference.units[end - 1], system.units[place]
        columns.append(Column(Step.SAME if above == below else Step.SUBSTITUTED, above, below))
    columns += _tags(system, len(system.units), Step.SYSTEM_TAG)
    columns += _deleted(reference, lowest[-1], len(reference.units))
    columns += _tags(reference, len(reference.units), Step.REFERENCE_TAG)
    return list(_joined(columns))


def _joined(columns: Sequence[Column]) -> Iterator[Column]:
    """Draw a tag of the system and the same tag of the reference at one place as one column."""
    waiting: Column | None = None
    for column in columns:
        if waiting is not None:
            if column.step == Step.REFERENCE_TAG and column.above == waiting.below:
                yield Column(Step.BOTH_TAGS, column.above, waiting.below)
                waiting = None
                continue
            yield waiting
            waiting = None
        if column.step == Step.SYSTEM_TAG:
            waiting = column
        else:
            yield column
    if waiting is not None:
        yield waiting


def place_tags(reference: Transcript, system: Transcript, collar: int) -> list[TagPlace]:
    """Return each tag of the system with its place; `collar` in units, inclusive."""
    lowest = _boundaries(reference, system)
    places = []
    for label, given in zip(system.tags, system.positions, strict=True):
        mapped = lowest[given]
        same = [
            at
            for name, at in zip(reference.tags, reference.positions, strict=True)
            if name == label
        ]
        nearest = min(same, key=lambda at: (abs(at - mapped), at), default=None)
        distance = None if nearest is None else abs(nearest - mapped)
        within = distance is not None and distance <= collar
        places.append(TagPlace(label, given, mapped, nearest, distance, within))
    return places


def _boundaries(reference: Transcript, system: Transcript) -> list[int]:
    """Return, for each boundary of the system, the lowest boundary of the reference on the path.

    From these the path follows: a step of one or more is a diagonal after deletions, a step of
    none is an insertion.
    """
    every: Sequence[int] = range(len(system.units) + 1)
    lowest = reference_boundaries(reference.units, system.units, every)
    return [0, *lowest[1:]]


def _deleted(reference: Transcript, start: int, end: int) -> Iterator[Column]:
    for at in range(start, end):
        yield from _tags(reference, at, Step.REFERENCE_TAG)
        yield Column(Step.DELETED, reference.units[at], "")


def _tags(transcript: Transcript, at: int, step: Step) -> Iterator[Column]:
    for label, position in zip(transcript.tags, transcript.positions, strict=True):
        if position == at:
            tag = f"[{label}]"
            is_above = step == Step.REFERENCE_TAG
            yield Column(step, tag if is_above else "", "" if is_above else tag)
