"""Ratings of a panel, laid out for resampling: who rated what, as integers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from grading.scoring.tracks.nvv_t2_marks import Marks

# Marks are whole or half; 1/100 is fine enough for any form, and keeps sums in 63 bits.
STEPS_PER_MARK = 100
# Means are kept as whole numbers of this part of a step, as tallies are elsewhere.
MEAN_BITS = 32


class PanelInvalid(ScoringError):
    """Ratings that cannot be resampled: a gap, a rating twice, a mark that is no hundredth."""


class Rating(NamedTuple):
    """The marks that one rater gave one stimulus (a system's clip of an utterance)."""

    system: str
    language: str
    utt_id: str
    rater: str
    marks: Marks


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """One system in one language: arrays (utterances, ratings) of raters, and (…, 5) of marks.

    Where an utterance has fewer ratings than another, `raters` holds the number of raters, which
    stands for nobody.
    """

    raters: NDArray[np.int64]
    marks: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LanguagePanel:
    """All ratings of one language; every system has the same utterances, sorted by id."""

    language: str
    utterances: tuple[str, ...]
    systems: Mapping[str, SystemRatings]


@dataclass(frozen=True, slots=True)
class Panel:
    """The whole panel: raters in groups that are resampled apart, by the languages they rated."""

    groups: tuple[tuple[str, ...], ...]
    languages: tuple[LanguagePanel, ...]

    @property
    def raters(self) -> tuple[str, ...]:
        """All raters, group after group."""
        return tuple(rater for group in self.groups for rater in group)


def read_panel(ratings: Iterable[Rating]) -> Panel:
    """Return ratings laid out for resampling, each after its cap; their order does not matter.

    Raises PanelInvalid when a system lacks an utterance that another has, when a rater rated a
    stimulus twice, and when a mark is no whole number of hundredths.
    """
    rows = sorted(ratings, key=lambda row: row[:4])
    for row, following in pairwise(rows):
        if row[:4] == following[:4]:
            raise PanelInvalid(f"{row.rater} rated {row.system} in {row.utt_id} twice")
    groups = _groups(rows)
    places = {rater: place for place, rater in enumerate(r for group in groups for r in group)}
    names = sorted({row.language for row in rows})
    languages = tuple(
        _language(name, [row for row in rows if row.language == name], places) for name in names
    )
    return Panel(groups, languages)


def _groups(rows: Sequence[Rating]) -> tuple[tuple[str, ...], ...]:
    """Return the raters by the set of languages they rated, groups and raters in order."""
    languages: dict[str, set[str]] = {}
    for row in rows:
        languages.setdefault(row.rater, set()).add(row.language)
    groups: dict[tuple[str, ...], list[str]] = {}
    for rater in sorted(languages):
        groups.setdefault(tuple(sorted(languages[rater])), []).append(rater)
    return tuple(tuple(groups[key]) for key in sorted(groups))


def _language(name: str, rows: Sequence[Rating], places: Mapping[str, int]) -> LanguagePanel:
    utterances = tuple(sorted({row.utt_id for row in rows}))
    stimuli: dict[str, dict[str, list[Rating]]] = {}
    for row in rows:
        stimuli.setdefault(row.system, {}).setdefault(row.utt_id, []).append(row)
    systems = {}
    for system, rated in sorted(stimuli.items()):
        missing = [utt_id for utt_id in utterances if utt_id not in rated]
        if missing:
            raise PanelInvalid(f"{system} has no rating in {missing[0]}")
        systems[system] = _system([rated[utt_id] for utt_id in utterances], places)
    return LanguagePanel(name, utterances, systems)


def _system(stimuli: Sequence[Sequence[Rating]], places: Mapping[str, int]) -> SystemRatings:
    most = max(map(len, stimuli))
    raters = np.full((len(stimuli), most), len(places), dtype=np.int64)
    marks = np.zeros((len(stimuli), most, 5), dtype=np.int64)
    for row, ratings in enumerate(stimuli):
        for column, rating in enumerate(ratings):
            raters[row, column] = places[rating.rater]
            marks[row, column] = [in_steps(mark) for mark in rating.marks.capped()]
    return SystemRatings(raters, marks)


def in_steps(mark: Fraction) -> int:
    """Return a mark in hundredths. Raises PanelInvalid when it is no whole number of them."""
    steps = mark * STEPS_PER_MARK
    if steps.denominator != 1:
        raise PanelInvalid(f"a mark of {mark} is no whole number of hundredths")
    return steps.numerator


def in_parts(mark: Fraction) -> int:
    """Return a mean mark in the parts that means are kept in, half to even."""
    return round(mark * (STEPS_PER_MARK << MEAN_BITS))
