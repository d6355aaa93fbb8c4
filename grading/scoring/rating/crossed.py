"""Crossed bootstrap: raters and utterances resampled together, the whole pipeline computed anew.

Both a rater's severity and an utterance's difficulty run through many ratings, so that counting
ratings (1.96·sd/√n) makes intervals far too short. The draws follow from the seed alone (see
`bootstrap`); everything is whole numbers up to one division for each mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.rating.panel import MEAN_BITS, STEPS_PER_MARK, PanelInvalid, in_parts
from grading.scoring.tracks.base import Difference, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from grading.scoring.rating.panel import LanguagePanel, Panel, SystemRatings
    from grading.scoring.tracks.nvv_t2_marks import Marks
    from grading.scoring.tracks.nvv_t2_params import SpeechParams

FEWER_THAN_TWO_RATERS = "FEWER_THAN_TWO_RATERS"

JudgeMarks = Mapping[str, Mapping[str, Mapping[str, "Marks"]]]
"""What the judge gave: language -> system -> utterance -> marks, collapsed and capped."""

_WHOLE = float(STEPS_PER_MARK << MEAN_BITS)


@dataclass(frozen=True, slots=True)
class Replicates:
    """Resampled scores of one system, 0 to 100: final and by language.

    `degenerate` marks replicates in which, in some language, no drawn rater had rated any drawn
    utterance; its marks then count as the worst.
    """

    final: bootstrap.Floats
    languages: Mapping[str, bootstrap.Floats]
    degenerate: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judge's marks of one language, in parts: of the panel's utterances, and of the others."""

    inside: Mapping[str, bootstrap.Integers]
    outside: Mapping[str, bootstrap.Integers]
    others: int


class _Chunk:
    """Some replicates: how often each rater, and each utterance of one language, was drawn."""

    def __init__(
        self, raters: bootstrap.Integers, inside: bootstrap.Integers, outside: bootstrap.Integers
    ) -> None:
        self._raters = raters
        self._inside = inside
        self._outside = outside

    def people(self, rated: SystemRatings) -> tuple[bootstrap.Floats, NDArray[np.bool_]]:
        """Return the means (replicates, 5) of people's marks, and where there were none."""
        weights = self._raters[:, rated.raters]
        given = weights.sum(axis=2)
        counted = np.where(given > 0, self._inside, 0)
        total = counted.sum(axis=1)
        divisor = np.maximum(given, 1)
        means = np.empty((len(total), rated.marks.shape[2]))
        for place in range(means.shape[1]):
            sums = (weights * rated.marks[:, :, place]).sum(axis=2) << MEAN_BITS
            stimuli = (sums + divisor // 2) // divisor
            means[:, place] = (counted * stimuli).sum(axis=1) / np.maximum(total, 1)
        return means / _WHOLE, total == 0

    def judge(self, judged: _Judged, system: str) -> bootstrap.Floats:
        """Return the means (replicates, 5) of the judge's marks."""
        sums = self._inside @ judged.inside[system] + self._outside @ judged.outside[system]
        return sums / (len(judged.inside[system]) + judged.others) / _WHOLE


def resample(
    panel: Panel,
    params: SpeechParams,
    *,
    seed: int,
    judge: JudgeMarks | None = None,
    replicates: int = bootstrap.REPLICATES,
) -> dict[str, Replicates]:
    """Return resampled scores of every system of the panel, all on the same draws.

    Raters are drawn within their groups, utterances within their language. With the judge's marks
    the scores are the combined ones: utterances are drawn once, those of the panel and the judge's
    others apart, and people's part uses the draws of the panel's. Raises PanelInvalid when a
    language or a system is not whole.
    """
    systems = _systems(panel, params)
    judged = [None if judge is None else _judged(part, judge) for part in panel.languages]
    found: dict[str, list[Replicates]] = {name: [] for name in systems}
    sizes = _sizes(panel, judged)
    for counts in bootstrap.multiplicities(sizes, seed=seed, replicates=replicates):
        chunks = _chunks(panel, judged, counts)
        for name in systems:
            found[name].append(_scores(name, panel, params, judged, chunks))
    return {name: _joined(parts) for name, parts in found.items()}


def resample_means(
    panel: Panel,
    *,
    letter: str,
    seed: int,
    replicates: int = bootstrap.REPLICATES,
    worst: float = 1.0,
) -> dict[str, Replicates]:
    """Return the resampled mean mark of every system on one scale, on the scale's own marks.

    The draws are those of `resample`. A system's mean is over all its utterances, so that languages
    weigh by how many they have; `degenerate` as there, with `worst`, the lowest mark of the scale.
    """
    place = "APNQE".index(letter)
    sizes = _sizes(panel, [None] * len(panel.languages))
    found: dict[str, list[Replicates]] = {name: [] for name in sorted(panel.languages[0].systems)}
    for counts in bootstrap.multiplicities(sizes, seed=seed, replicates=replicates):
        chunks = _chunks(panel, [None] * len(panel.languages), counts)
        for name, parts in found.items():
            parts.append(_mean_marks(name, panel, chunks, (place, worst)))
    return {name: _joined(parts) for name, parts in found.items()}


def _mean_marks(
    system: str, panel: Panel, chunks: Sequence[_Chunk], scale: tuple[int, float]
) -> Replicates:
    place, worst = scale
    languages: dict[str, bootstrap.Floats] = {}
    empties: list[NDArray[np.bool_]] = []
    for part, chunk in zip(panel.languages, chunks, strict=True):
        means, empty = chunk.people(part.systems[system])
        languages[part.language] = np.where(empty, worst, means[:, place])
        empties.append(empty)
    weights = [len(part.utterances) for part in panel.languages]
    total = np.zeros(len(empties[0]))
    for weight, values in zip(weights, languages.values(), strict=True):
        total = total + weight * values
    return Replicates(total / sum(weights), languages, np.any(empties, axis=0))


def _systems(panel: Panel, params: SpeechParams) -> list[str]:
    """Return the systems, which must be the same in every language of the score."""
    names = tuple(part.language for part in panel.languages)
    if names != tuple(sorted(params.languages)):
        raise PanelInvalid(f"ratings are of the languages {names}, wanted are {params.languages}")
    systems = sorted(panel.languages[0].systems)
    for part in panel.languages:
        if sorted(part.systems) != systems:
            raise PanelInvalid(f"not every system was rated in {part.language}")
    return systems


def _judged(part: LanguagePanel, judge: JudgeMarks) -> _Judged:
    marks = judge.get(part.language, {})
    others = sorted({u for name in part.systems for u in marks.get(name, ())} - {*part.utterances})
    return _Judged(
        inside={name: _in_parts(name, marks, part.utterances) for name in part.systems},
        outside={name: _in_parts(name, marks, others) for name in part.systems},
        others=len(others),
    )


def _in_parts(
    system: str, marks: Mapping[str, Mapping[str, Marks]], utterances: Sequence[str]
) -> bootstrap.Integers:
    given = marks.get(system, {})
    missing = [utt_id for utt_id in utterances if utt_id not in given]
    if missing:
        raise PanelInvalid(f"the judge has no marks of {system} in {missing[0]}")
    rows = [[in_parts(mark) for mark in given[utt_id]] for utt_id in utterances]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 5)


def _sizes(panel: Panel, judged: Sequence[_Judged | None]) -> list[int]:
    sizes = [len(group) for group in panel.groups]
    for part, marks in zip(panel.languages, judged, strict=True):
        sizes.append(len(part.utterances))
        if marks is not None and marks.others:
            sizes.append(marks.others)
    return sizes


def _chunks(
    panel: Panel, judged: Sequence[_Judged | None], counts: Sequence[bootstrap.Integers]
) -> list[_Chunk]:
    """Return the draws of each language; the last rater is nobody and is never drawn."""
    drawn = iter(counts)
    groups = [next(drawn) for _ in panel.groups]
    nobody = np.zeros((len(groups[0]), 1), dtype=np.int64)
    raters = np.concatenate([*groups, nobody], axis=1)
    chunks = []
    for marks in judged:
        inside = next(drawn)
        outside = next(drawn) if marks is not None and marks.others else nobody[:, :0]
        chunks.append(_Chunk(raters, inside, outside))
    return chunks


def _scores(
    system: str,
    panel: Panel,
    params: SpeechParams,
    judged: Sequence[_Judged | None],
    chunks: Sequence[_Chunk],
) -> Replicates:
    languages: dict[str, bootstrap.Floats] = {}
    degenerate = np.zeros(0, dtype=np.bool_)
    share = float(params.judge_weight)
    for part, marks, chunk in zip(panel.languages, judged, chunks, strict=True):
        means, empty = chunk.people(part.systems[system])
        scores = _score(means, params)
        if marks is not None:
            scores = share * _score(chunk.judge(marks, system), params) + (1 - share) * scores
        languages[part.language] = scores
        degenerate = degenerate | empty if len(degenerate) else empty
    total = np.zeros(len(degenerate))
    for scores in languages.values():
        total = total + scores
    return Replicates(total / len(languages), languages, degenerate)


def _score(means: bootstrap.Floats, params: SpeechParams) -> bootstrap.Floats:
    shares = np.clip((means - 1) / 4, 0, 1)
    total = np.zeros(len(means))
    for place, weight in enumerate(params.weights.values()):
        total = total + float(weight) * shares[:, place]
    return 100 * total


def _joined(parts: Sequence[Replicates]) -> Replicates:
    return Replicates(
        np.concatenate([part.final for part in parts]),
        {
            name: np.concatenate([part.languages[name] for part in parts])
            for name in parts[0].languages
        },
        np.concatenate([part.degenerate for part in parts]),
    )


def interval(values: bootstrap.Floats, degenerate: NDArray[np.bool_], panel: Panel) -> Interval:
    """Return the 95 % interval of resampled scores, or the reason why there is none."""
    if min(map(len, panel.groups)) < 2:  # noqa: PLR2004 - one rater has no spread
        return Interval(None, None, FEWER_THAN_TWO_RATERS)
    clips = min(len(part.utterances) for part in panel.languages)
    return bootstrap.interval(values, degenerate, clips)


def differences(
    found: Mapping[str, Replicates], scores: Mapping[str, float], leader: str
) -> dict[str, Difference]:
    """Compare every other system with the leader on the same draws of raters and utterances.

    Differences are other minus leader in points of the final score; `scores` are the scores
    themselves. p-values are not adjusted: see `bootstrap.holm`.
    """
    base = found[leader].final
    compared = {}
    for name in sorted(found.keys() - {leader}):
        values = found[name].final - base
        low, high = bootstrap.bounds(values)
        delta = round(scores[name] - scores[leader], bootstrap.DECIMALS)
        compared[name] = Difference(delta, low, high, bootstrap.p_value(values))
    return compared
