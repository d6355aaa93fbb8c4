"""Intervals of a latency board's headline: clips drawn again, by language and subtask.

Means are drawn as sums of whole numbers. Percentiles are taken anew of every replicate from how
often each clip was drawn. A median of ten runs, and a sum that has one in it, is not drawn: ten
runs cannot say how other runs would have come out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.formats.measurements import LLM, NANOSECONDS, RTF, STT
from grading.scoring.metrics.latency import RATIO_SCALE, Outcome
from grading.scoring.tracks import nested_strata
from grading.scoring.tracks.base import Difference, Interval
from grading.scoring.tracks.latency_figures import FIGURES, MEANS, P50, P90, clip_value, leg_of
from grading.scoring.tracks.nested_strata import FINAL, Drawn
from grading.scoring.tracks.pillars_strata import Replicated, withheld

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Composed
    from grading.scoring.tracks.latency_params import LatencyParams
    from grading.scoring.tracks.latency_tallies import ClipTally, LatencyTallies

RUNS_NOT_RESAMPLED = "RUNS_NOT_RESAMPLED"
TOO_MANY_TO_RESAMPLE = "TOO_MANY_TO_RESAMPLE"
MOST_PROBED = 5_000
RATIO_UNIT = 10**7
"""Ratios are drawn in units of 10⁻⁷, so that the sums of 250,000 fit the integers that are drawn."""

_PARTS: Mapping[str, Fraction] = {P50: Fraction(1, 2), P90: Fraction(9, 10)}


def kind_fault(params: LatencyParams, tallies: LatencyTallies) -> str:
    """Return why the headline has no interval whatever was measured, empty where it may have one."""
    measure = FIGURES[params.headline].measure
    if measure in _PARTS:
        probed = sum(clip.leg == STT for clip in tallies.clips)
        return TOO_MANY_TO_RESAMPLE if probed > MOST_PROBED else ""
    return "" if params.headline in MEANS else RUNS_NOT_RESAMPLED


def intervals(
    tallies: LatencyTallies,
    composed: Composed,
    params: LatencyParams,
    *,
    seed: int,
    replicates: int,
) -> dict[str, Interval]:
    """Return the interval of `final` and of each language, in the score's unit, or the reason for none."""
    reasons = {name: str(part["withheld_reason"]) for name, part in composed.languages.items()}
    fault = composed.withheld_reason or kind_fault(params, tallies)
    if fault:
        return withheld(reasons, fault)
    return nested_strata.intervals(
        draw([tallies], params, seed=seed, replicates=replicates)[0],
        reasons=reasons,
        sizes=_sizes(tallies, params),
        is_pooled=params.headline not in MEANS,
    )


def _sizes(tallies: LatencyTallies, params: LatencyParams) -> dict[str, int]:
    return nested_strata.fewest(
        (key, len(clips)) for key, clips in _strata(tallies, params).items()
    )


def _strata(tallies: LatencyTallies, params: LatencyParams) -> dict[str, list[ClipTally]]:
    """Return the clips of the headline's leg by language, for a language model by subtask too."""
    part = FIGURES[params.headline].part
    strata: dict[str, list[ClipTally]] = {}
    for clip in tallies.clips:
        if clip.leg == leg_of(part) and clip.language in params.languages:
            key = f"{clip.language}/{clip.subtask}" if part == LLM else clip.language
            strata.setdefault(key, []).append(clip)
    return dict(sorted(strata.items()))


def draw(
    systems: Sequence[LatencyTallies], params: LatencyParams, *, seed: int, replicates: int
) -> list[Drawn]:
    """Return the replicates of systems whose headline is whole, all on the same draws."""
    if params.headline in MEANS:
        return _draw_means(systems, params, seed=seed, replicates=replicates)
    return _draw_percentiles(systems, params, seed=seed, replicates=replicates)


def _draw_means(
    systems: Sequence[LatencyTallies], params: LatencyParams, *, seed: int, replicates: int
) -> list[Drawn]:
    figure = params.headline
    return nested_strata.draw_means(
        [
            {key: _column(clips, figure) for key, clips in _strata(system, params).items()}
            for system in systems
        ],
        unit=RATIO_UNIT if FIGURES[figure].measure == RTF else NANOSECONDS,
        seed=seed,
        replicates=replicates,
    )


def _column(clips: Sequence[ClipTally], figure: str) -> list[int]:
    values = [clip_value(clip, figure) or 0 for clip in clips]
    if FIGURES[figure].measure != RTF:
        return values
    return [round(Fraction(value * RATIO_UNIT, RATIO_SCALE)) for value in values]


def _draw_percentiles(
    systems: Sequence[LatencyTallies], params: LatencyParams, *, seed: int, replicates: int
) -> list[Drawn]:
    strata = [_strata(system, params) for system in systems]
    part = _PARTS[FIGURES[params.headline].measure]
    names = list(strata[0])
    ordered = [
        {
            **{name: _Ordered.of(clips[name]) for name in names},
            FINAL: _Ordered.of([clip for name in names for clip in clips[name]]),
        }
        for clips in strata
    ]
    chunks: list[dict[str, list[Replicated]]] = [
        {name: [] for name in (*names, FINAL)} for _ in systems
    ]
    sizes = [len(strata[0][name]) for name in names]
    for drawn in bootstrap.multiplicities(sizes, seed=seed, replicates=replicates):
        counts = dict(zip(names, drawn, strict=True)) | {FINAL: np.concatenate(drawn, axis=1)}
        for of_system, found in zip(ordered, chunks, strict=True):
            for name, pieces in found.items():
                pieces.append(of_system[name].percentiles(counts[name], part))
    return [{name: _joined(pieces) for name, pieces in found.items()} for found in chunks]


def _joined(pieces: Sequence[Replicated]) -> Replicated:
    return Replicated(
        np.concatenate([one.scores for one in pieces]),
        np.concatenate([one.degenerate for one in pieces]),
    )


@dataclass(frozen=True, slots=True)
class _Ordered:
    """The endpoints that count, fastest first: their ns, and the place of each among the clips."""

    values: bootstrap.Integers
    places: bootstrap.Integers

    @classmethod
    def of(cls, clips: Sequence[ClipTally]) -> _Ordered:
        known = sorted(
            (clip.streaming_endpoint, place)
            for place, clip in enumerate(clips)
            if clip.streaming_outcome == Outcome.FINAL and clip.streaming_endpoint is not None
        )
        values, places = np.array(known, dtype=np.int64).reshape(-1, 2).T
        return cls(values, places)

    def percentiles(self, counts: bootstrap.Integers, part: Fraction) -> Replicated:
        """Return the nearest-rank percentile (ms) of each replicate; where none was drawn, the worst."""
        if not len(self.values):
            return Replicated(np.zeros(len(counts)), np.ones(len(counts), dtype=np.bool_))
        reached = np.cumsum(counts[:, self.places], axis=1)
        totals = reached[:, -1]
        # ⌈part · total⌉ in whole numbers.
        ranks = -(-part.numerator * totals // part.denominator)
        places = np.minimum((reached < ranks[:, np.newaxis]).sum(axis=1), len(self.values) - 1)
        places = np.where(totals == 0, len(self.values) - 1, places)
        return Replicated(self.values[places] / NANOSECONDS, totals == 0)


def differences(
    systems: Sequence[LatencyTallies],
    composed: Sequence[Composed],
    params: LatencyParams,
    *,
    seed: int,
    replicates: int,
) -> list[Difference]:
    """Return the paired differences of the others from the first, in the score's unit."""

    def drawn(places: list[int]) -> list[Drawn]:
        whole = [systems[place] for place in places]
        return draw(whole, params, seed=seed, replicates=replicates)

    fault = kind_fault(params, systems[0])
    scores = [one.score for one in composed]
    return nested_strata.differences(scores, None if fault else drawn, _sizes(systems[0], params))
