"""What an item of `llm` leaves behind: fields found, given too much and not found, and the judge's mark."""

from __future__ import annotations

from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.metrics.events import Counts
from grading.scoring.metrics.extraction import count_fields, values_of
from grading.scoring.tracks.pillars_tables import ItemTallies, count, maybe

if TYPE_CHECKING:
    from grading.scoring.formats.answers import AnswerReference, AnswerRow

SCHEMA = "llm-tallies/1"
MARK_UNIT = 200
"""Marks have hundredths, and a median of an even number has halves of these."""


class ItemTally(NamedTuple):
    """The tallies of one item; `mark` counts parts of a mark (1/200), None where marks are missing."""

    utt_id: str
    language: str
    tp: int
    fp: int
    fn: int
    mark: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server shows it to organizers; the mark as a decimal or null."""
        mark = None if self.mark is None else self.mark / MARK_UNIT
        return {**self._asdict(), "mark": mark}


def tally_item(
    utt_id: str, language: str, reference: AnswerReference, row: AnswerRow, replicates: int
) -> ItemTally:
    """Return the tallies of one item; its mark is the median of all its replicates."""
    counts = count_fields(values_of(reference.fields), values_of(row.fields))
    marks = row.marks or ()
    mark = Fraction(median(marks)) if len(marks) == replicates else None
    return ItemTally(utt_id, language, *counts, None if mark is None else int(mark * MARK_UNIT))


class Pooled(NamedTuple):
    """Tallies of a language added up; `marks` in parts of a mark."""

    items: int
    counts: Counts
    marks: int
    missing: int

    @property
    def mean_mark(self) -> Fraction | None:
        """The mean of the marks; None as soon as one is missing."""
        if self.missing or not self.items:
            return None
        return Fraction(self.marks, self.items * MARK_UNIT)


class LlmTallies(ItemTallies[ItemTally]):
    """The tallies of one evaluation, sorted by id."""

    __slots__ = ()
    schema = SCHEMA
    row = ItemTally

    @staticmethod
    def read(utt_id: str, language: str, *numbers: object) -> ItemTally:
        """Return an item of stored values. Raises ValueError for what cannot be."""
        tp, fp, fn, mark = numbers
        return ItemTally(utt_id, language, count(tp), count(fp), count(fn), maybe(mark))

    def pool(self, language: str) -> Pooled:
        """Return the sums of a language."""
        rows = self.of_language(language)
        counts = Counts(sum(r.tp for r in rows), sum(r.fp for r in rows), sum(r.fn for r in rows))
        marks = [row.mark for row in rows if row.mark is not None]
        return Pooled(len(rows), counts, sum(marks), len(rows) - len(marks))
