"""Marks of one listener on one clip, the cap on expression, and means over utterances.

Everything is exact: marks are read as decimals and means are fractions, so that no order of
ratings changes a digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import median
from typing import NamedTuple, Self

from grading.scoring.tracks.base import MARKS_MISSING
from grading.scoring.types import ScoringError

DIMENSIONS = ("A", "P", "N", "Q", "E")
LOWEST = {"A": 0, "P": 0, "N": 1, "Q": 1, "E": 1}
HIGHEST = 5
CAPPED_EXPRESSION = 3
NO_UTTERANCES = "NO_UTTERANCES"

NORM_LOWEST = 1
NORM_SPAN = HIGHEST - NORM_LOWEST


class MarksInvalid(ScoringError):
    """Marks that are none: not finite, out of range, or not all five."""


class Marks(NamedTuple):
    """The five marks: accuracy and perceptual effect of the vocalization, then the whole clip."""

    A: Fraction
    P: Fraction
    N: Fraction
    Q: Fraction
    E: Fraction

    @classmethod
    def read(cls, given: Mapping[str, object], *, absent: bool = False) -> Self:
        """Return checked marks; `absent` (nothing was heard) sets A and P to 0.

        Raises MarksInvalid: a mark that is missing, no number, or outside 0–5 (A, P) or 1–5.

        >>> Marks.read({"A": 4, "P": 2, "N": 3, "Q": 3.5, "E": 5}, absent=True).A
        Fraction(0, 1)
        """
        told = {**given, "A": 0, "P": 0} if absent else given
        return cls(*(_mark(name, told.get(name)) for name in cls._fields))

    def capped(self) -> Self:
        """Return the marks that count: without the vocalization, E is at most 3."""
        if self.A and self.P:
            return self
        return self._replace(E=min(self.E, Fraction(CAPPED_EXPRESSION)))


def _mark(name: str, value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction):
        raise MarksInvalid(f"{name}: {type(value).__name__} is no mark")
    try:
        mark = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, OverflowError):
        raise MarksInvalid(f"{name}: {value} is no mark") from None
    if not LOWEST[name] <= mark <= HIGHEST:
        raise MarksInvalid(f"{name}: {value} is not from {LOWEST[name]} to {HIGHEST}")
    return mark


def collapse(replicates: Sequence[Marks]) -> Marks:
    """Return one judge's marks of a clip: per dimension the median, each replicate after its cap.

    Raises MarksInvalid when there is no replicate.
    """
    if not replicates:
        raise MarksInvalid("no replicate to collapse")
    capped = [marks.capped() for marks in replicates]
    return Marks(*(Fraction(median(values)) for values in zip(*capped, strict=True)))


def mean(ratings: Iterable[Marks]) -> Marks:
    """Return the mean of each dimension, as the marks are. Raises MarksInvalid on none."""
    columns = list(zip(*ratings, strict=True))
    if not columns:
        raise MarksInvalid("no marks to average")
    return Marks(*(sum(column, Fraction(0)) / len(column) for column in columns))


def norm(mark: Fraction) -> Fraction:
    """Return a mean mark as a share: 0 up to 0, else (m - 1) / 4 held within 0 and 1.

    >>> [float(norm(Fraction(mark))) for mark in (0, "0.5", 1, 3, 5)]
    [0.0, 0.0, 0.0, 0.5, 1.0]
    """
    return max(Fraction(0), min(Fraction(1), (mark - NORM_LOWEST) / NORM_SPAN))


@dataclass(frozen=True, slots=True)
class LanguageMarks:
    """What all ratings of a system in a language come to; `means` is None when withheld.

    `missing` are the rated set's utterances that have too few ratings, sorted.
    """

    means: Marks | None
    utterances: int
    missing: tuple[str, ...]
    withheld_reason: str

    @property
    def norms(self) -> Marks | None:
        """The means as shares of their range."""
        return None if self.means is None else Marks(*map(norm, self.means))


def language_marks(
    ratings: Mapping[str, Sequence[Marks]], *, rated: Iterable[str], needed: int = 1
) -> LanguageMarks:
    """Return the means over utterances of the means over ratings, each rating after its cap.

    `rated` is the set that must be complete: as soon as one of its utterances has fewer than
    `needed` ratings there are no means, because a missing mark is never filled in. Ratings of
    other utterances are not looked at. Raises ValueError when `needed` is less than 1.
    """
    if needed < 1:
        raise ValueError("an utterance needs at least one rating")
    wanted = sorted(set(rated))
    missing = tuple(utt_id for utt_id in wanted if len(ratings.get(utt_id, ())) < needed)
    if missing or not wanted:
        reason = MARKS_MISSING if missing else NO_UTTERANCES
        return LanguageMarks(None, len(wanted), missing, reason)
    means = mean(mean(marks.capped() for marks in ratings[utt_id]) for utt_id in wanted)
    return LanguageMarks(means, len(wanted), (), "")
