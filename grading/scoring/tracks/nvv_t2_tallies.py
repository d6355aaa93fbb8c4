"""What marks leave behind: per clip five integers in a common unit, exact whatever was averaged.

A judge's replicates are collapsed by their median, each after its own cap; several profiles are
several listeners, and a clip has their mean. That leaves fractions with small denominators, which
are stored as whole numbers of their least common unit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from grading.scoring.recipe import canonical_json
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.nvv_t2_marks import (
    DIMENSIONS,
    HIGHEST,
    LanguageMarks,
    Marks,
    MarksInvalid,
    collapse,
    language_marks,
    mean,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA = "nvv-t2-tallies/1"
DECIMALS = 2
FINEST = 10**9
"""The finest unit that is read back: a billionth of a mark."""


class ClipTally(NamedTuple):
    """What one clip was given: marks after cap, median and mean; None when some are missing."""

    utt_id: str
    language: str
    marks: Marks | None

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server shows it to organizers; marks as decimals or null."""
        marks = dict.fromkeys(DIMENSIONS) if self.marks is None else self.marks._asdict()
        told = {
            name: None if mark is None else round(float(mark), 6) for name, mark in marks.items()
        }
        return {"utt_id": self.utt_id, "language": self.language, **told}


def judged(
    given: Sequence[Sequence[object]] | None, *, profiles: int = 1, replicates: int | None = None
) -> Marks | None:
    """Return the marks of one clip from a judge's, listed profile by profile; None when some lack.

    Each of the `profiles` has `replicates` marks A, P, N, Q, E (None: as many as there are, of one
    profile). Raises MarksInvalid for marks that are none, finer than hundredths, or too many.

    >>> judged([[4, 4, 3, 3, 5], [0, 4, 3, 3, 5], [4, 5, 3, 3, 5]], replicates=3).A
    Fraction(4, 1)
    """
    listed = [_marks(one) for one in given or ()]
    each = len(listed) if replicates is None else replicates
    if len(listed) > profiles * each:
        raise MarksInvalid(f"{len(listed)} marks where {profiles * each} are to be")
    if not each or len(listed) < profiles * each:
        return None
    return mean(collapse(listed[start : start + each]) for start in range(0, len(listed), each))


def _marks(given: Sequence[object]) -> Marks:
    if isinstance(given, str) or len(given) != len(Marks._fields):
        raise MarksInvalid(f"there must be {len(Marks._fields)} marks")
    marks = Marks.read(dict(zip(Marks._fields, given, strict=True)))
    if any((mark * 10**DECIMALS).denominator != 1 for mark in marks):
        raise MarksInvalid(f"a mark has more than {DECIMALS} decimals")
    return marks


@dataclass(frozen=True, slots=True)
class SpeechTallies:
    """The tallies of one evaluation, sorted by utterance id."""

    clips: tuple[ClipTally, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The utterances without all their marks, sorted."""
        return tuple(clip.utt_id for clip in self.clips if clip.marks is None)

    @property
    def unit(self) -> int:
        """How many parts of a mark the integers count: the least that makes all of them whole."""
        parts = (mark.denominator for clip in self.clips if clip.marks for mark in clip.marks)
        return lcm(1, *parts)

    def of_language(self, language: str) -> tuple[ClipTally, ...]:
        """Return the clips of one language, sorted by id."""
        return tuple(clip for clip in self.clips if clip.language == language)

    def ratings(self) -> dict[str, Marks]:
        """Return the marks by utterance id, without those that are missing."""
        return {clip.utt_id: clip.marks for clip in self.clips if clip.marks is not None}

    def language_marks(self, languages: Iterable[str]) -> dict[str, LanguageMarks]:
        """Return the means of each language over all its utterances, or why there are none."""
        given = {utt_id: [marks] for utt_id, marks in self.ratings().items()}
        return {
            language: language_marks(
                given, rated=[clip.utt_id for clip in self.of_language(language)]
            )
            for language in languages
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON object per utterance."""
        return [clip.as_json() for clip in self.clips]

    def to_bytes(self) -> bytes:
        """Return compact JSON, a list per dimension: the same bytes on every machine."""
        unit = self.unit
        columns = {
            name: [_whole(clip.marks, place, unit) for clip in self.clips]
            for place, name in enumerate(Marks._fields)
        }
        return canonical_json(
            {
                "schema": SCHEMA,
                "unit": unit,
                "utt_id": [clip.utt_id for clip in self.clips],
                "language": [clip.language for clip in self.clips],
                **columns,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read tallies back. Raises TalliesInvalid on anything that `to_bytes` does not write."""
        try:
            found = cls(tuple(_read(json.loads(data))))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise TalliesInvalid(f"not a table of marks: {type(error).__name__}") from error
        if found.to_bytes() != data:
            raise TalliesInvalid("not the table that these marks are written as")
        return found


def _whole(marks: Marks | None, place: int, unit: int) -> int | None:
    return None if marks is None else int(marks[place] * unit)


def _read(whole: Mapping[str, Any]) -> list[ClipTally]:
    unit = whole["unit"]
    if whole["schema"] != SCHEMA or not 0 < unit <= FINEST:
        raise ValueError("another table")
    names = ("utt_id", "language", *Marks._fields)
    return [_clip(values, unit) for values in zip(*(whole[name] for name in names), strict=True)]


def _clip(values: tuple[Any, ...], unit: int) -> ClipTally:
    utt_id, language, *numbers = values
    if all(number is None for number in numbers):
        return ClipTally(utt_id, language, None)
    if not all(isinstance(number, int) and 0 <= number <= HIGHEST * unit for number in numbers):
        raise ValueError("a number that is no mark")
    return ClipTally(utt_id, language, Marks(*(Fraction(number, unit) for number in numbers)))
