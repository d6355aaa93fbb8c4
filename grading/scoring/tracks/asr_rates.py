"""Rates of parts, exact, and the rates of their resamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.metrics.error_rates import Unit, mean_of_utterances
from grading.scoring.tracks.asr_tallies import ErrorTallies, Part, add
from grading.scoring.tracks.base import ClipsDiffer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

CORPUS = "corpus"
UTTERANCES = "utterances"
KINDS = (CORPUS, UTTERANCES)
DECIMALS = 12
WORST = 1.0
# Of a rate of one utterance in whole numbers: sums of any file that is accepted fit 63 bits.
_UTTERANCE_BITS = 24
_FEW_SYSTEMS = 2


class Measure(NamedTuple):
    """What is measured: a unit, as edits over tokens of the whole or as the mean of utterances."""

    unit: Unit
    kind: str = CORPUS


Measures = Callable[[str], Sequence[Measure]]
"""The measures of a language, as many in each."""


class Replicates(NamedTuple):
    """Rates of the replicates of each system (systems, replicates), and where one was 0/0."""

    values: bootstrap.Floats
    degenerate: NDArray[np.bool_]


def rate(parts: Sequence[Part], measure: Measure) -> Fraction | None:
    """Return the rate of some parts together; None where their references hold nothing."""
    if measure.kind == CORPUS:
        return add(parts, measure.unit).rate
    return mean_of_utterances(
        chain.from_iterable(part.counts[measure.unit].utterances() for part in parts)
    )


def as_number(value: Fraction | None) -> float | None:
    """Return a rate as it is stored: rounded to 12 decimals, half to even, from the exact one."""
    return None if value is None else float(round(value, DECIMALS))


def as_float(value: Fraction | None) -> float | None:
    """Return a rate as the nearest float: the integers divided once."""
    return None if value is None else float(value)


class Resampled:
    """The sums of every replicate, for one system or for several on the same draws."""

    def __init__(
        self,
        systems: Sequence[ErrorTallies],
        measures: Measures,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> None:
        """Draw the utterances within each language and corpus. Raises ClipsDiffer."""
        first = systems[0]
        if any(_clips(system) != _clips(first) for system in systems[1:]):
            raise ClipsDiffer("the systems were scored on different utterances")
        strata = [
            np.array(_columns(systems, place, measures(part.language)), dtype=np.int64)
            for place, part in enumerate(first.parts)
        ]
        draw = bootstrap.resample if len(systems) <= _FEW_SYSTEMS else bootstrap.resample_many
        tables = draw(strata, seed=seed, replicates=replicates) if strata else []
        self._kinds = [[one.kind for one in measures(part.language)] for part in first.parts]
        self._parts = first.parts
        self._sums = [table.reshape(len(systems), -1, replicates) for table in tables]

    def rates(
        self, measure: int = 0, *, language: str | None = None, corpus: str | None = None
    ) -> Replicates:
        """Return the rates of a language, of a corpus or of everything, in the measure of this place.

        A replicate whose references hold nothing has the rate 1.
        """
        places = [
            place
            for place, part in enumerate(self._parts)
            if language in (None, part.language) and corpus in (None, part.corpus)
        ]
        over = sum(self._sums[place][:, 2 * measure] for place in places)
        under = sum(self._sums[place][:, 2 * measure + 1] for place in places)
        bits = _UTTERANCE_BITS if self._kinds[places[0]][measure] == UTTERANCES else 0
        empty = np.asarray(under == 0)
        quotient = np.asarray(over) / np.where(empty, 1, under) / 2.0**bits
        return Replicates(np.where(empty, WORST, quotient), empty)

    def fewest(self, *, language: str | None = None, corpus: str | None = None) -> int:
        """Return the least number of utterances of any stratum of these, 0 without any."""
        sizes = [
            len(part.utt_ids)
            for part in self._parts
            if language in (None, part.language) and corpus in (None, part.corpus)
        ]
        return min(sizes, default=0)


def _columns(
    systems: Sequence[ErrorTallies], place: int, measures: Sequence[Measure]
) -> list[Sequence[int]]:
    return [
        column
        for system in systems
        for measure in measures
        for column in _ratio(system.parts[place], measure)
    ]


def _ratio(part: Part, measure: Measure) -> tuple[Sequence[int], Sequence[int]]:
    """Return what is summed above and below the line, one number for each utterance."""
    column = part.counts[measure.unit]
    if measure.kind == CORPUS:
        return column.edits, column.reference_lengths
    scaled = [round(one.utterance_rate * 2**_UTTERANCE_BITS) for one in column.utterances()]
    return scaled, [1] * len(scaled)


def _clips(tallies: ErrorTallies) -> list[tuple[object, ...]]:
    return [
        (
            part.language,
            part.corpus,
            part.utt_ids,
            {unit: column.reference_lengths for unit, column in part.counts.items()},
        )
        for part in tallies.parts
    ]


def mean(parts: Sequence[Replicates]) -> Replicates:
    """Return the mean of parts, replicate by replicate."""
    total, degenerate = parts[0]
    for part in parts[1:]:
        total = total + part.values
        degenerate = degenerate | part.degenerate
    return Replicates(total / len(parts), degenerate)


def of_language(table: Mapping[str, Measure]) -> Measures:
    """Return measures where each language has one."""
    return lambda language: (table[language],)
