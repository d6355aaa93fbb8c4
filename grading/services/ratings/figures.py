"""Numbers of a rating for its organizers: scores with intervals, agreement, severity, votes.

All of them follow from the stored ratings and the protocol's seed. The long ones are kept in the
cache under the hash of what they were computed from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from django.core.cache import cache

from grading.enums import EvaluationState, TaskKind
from grading.models import Evaluation, RatedSystem, RatingProtocol
from grading.scoring import registry
from grading.scoring.rating import crossed, panel
from grading.scoring.rating.agreement import (
    Agreement,
    Icc,
    Severity,
    icc_one_way,
    judge_agreement,
    krippendorff_alpha,
    rater_severity,
)
from grading.scoring.rating.paired import Pair, pairs
from grading.scoring.recipe import seed as seed_of
from grading.scoring.tracks.base import Interval
from grading.scoring.tracks.nvv_t2_marks import Marks, language_marks
from grading.scoring.tracks.nvv_t2_scores import SpeechScore, speech_score, stored
from grading.services.ratings import places, results

COMPLETE, PROVISIONAL, WITHHELD = "complete", "provisional", "withheld"
KEPT_SECONDS = 24 * 3600
NOT_COMPUTED = "NOT_COMPUTED"
STANDS_AT = "N"
"""The place among five from which the mark of a form of one scale is read."""


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """What people gave one system. `least` is the number of ratings of the stimulus with fewest.

    `score` is 0 to 100, None when withheld (fewer ratings than publishing needs) or where the form
    makes none; `means` are the mean marks by letter over all that was rated. `interval` is of the
    score, in a form of one scale of its mean mark.
    """

    system: RatedSystem
    least: int
    ratings: int
    state: str
    score: float | None
    languages: Mapping[str, float]
    interval: Interval
    means: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """One scale of the form: agreement of the raters, and of the judge with them."""

    letter: str
    alpha: float | None
    icc: Icc | None
    judge: Agreement | None

    @property
    def shown(self) -> tuple[float | None, ...]:
        """Alpha, ICC(1,1), ICC(1,k), and the judge's Pearson, Spearman and bias; None where missing."""
        one = (None, None) if self.icc is None else (self.icc.single, self.icc.average)
        judge = self.judge
        two = (None, None, None) if judge is None else (judge.pearson, judge.spearman, judge.bias)
        return (self.alpha, *one, *two)


@dataclass(frozen=True, slots=True)
class NullBias:
    """Null pairs of somebody, or of all: how many, how many were called the same, and the mean mark.

    The mean is above 0 where the second of two equal sounds seemed the better, None without any.
    """

    count: int
    same: int
    mean: float | None

    @classmethod
    def of(cls, marks: Sequence[int]) -> Self:
        """Return what these marks, as they were pressed, come to."""
        mean = float(Fraction(sum(marks), len(marks))) if marks else None
        return cls(len(marks), sum(mark == 0 for mark in marks), mean)


@dataclass(frozen=True, slots=True)
class NullPairs:
    """The null pairs of a protocol, in all and by the rater's pseudonym. They enter no mean."""

    total: NullBias
    raters: Mapping[str, NullBias]

    @classmethod
    def of(cls, rows: Iterable[results.Row]) -> Self:
        """Return what these answers to null pairs come to."""
        by_rater: dict[str, list[int]] = {}
        for row in rows:
            (mark,) = row.shown.values()
            by_rater.setdefault(row.values["task__rater__pseudonym"], []).append(mark)
        everything = [mark for marks in by_rater.values() for mark in marks]
        raters = {name: NullBias.of(by_rater[name]) for name in sorted(by_rater)}
        return cls(NullBias.of(everything), raters)


class Figures:
    """The numbers of a protocol as its ratings are now, with or without quality control."""

    def __init__(self, protocol: RatingProtocol, *, screened: bool) -> None:
        self.protocol = protocol
        self.screened = screened
        self.inspected = results.inspected(protocol)
        self.settings = places.settings_of(protocol)
        self._rows = self.inspected.counted(screened=screened)
        self._systems = list(
            protocol.systems.select_related("submission__entrant__team").order_by("pseudonym")
        )
        self._rated = protocol.rated_utterances

    @property
    def has_scores(self) -> bool:
        """Whether the form makes scores of 0 to 100; else its result is the mean mark."""
        return self.protocol.declared.has_score

    @property
    def votes(self) -> dict[str, int]:
        """How many scored votes count, and how many do not, by reason."""
        return results.kept_and_dropped(self.inspected)

    @cached_property
    def raters(self) -> dict[str, bool]:
        """The raters whose votes count, by pseudonym: whether each is simulated, so that nobody gave them."""
        return {row.values["task__rater__pseudonym"]: row.is_simulated for row in self._rows}

    @cached_property
    def systems(self) -> list[SystemFigures]:
        """The systems by pseudonym, each with its score or the state that withholds it."""
        intervals = self._intervals()
        return [self._of_system(system, intervals) for system in self._systems]

    @cached_property
    def scales(self) -> list[Scale]:
        """The scales of the form with agreement over all systems and languages."""
        judged = self._judged()
        return [self._of_scale(letter, judged) for letter in self.protocol.declared.letters]

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest mark of the form's first scale."""
        mark = self.protocol.declared.marks[0]
        return mark.low, mark.high

    @cached_property
    def null_pairs(self) -> NullPairs | None:
        """What raters made of one clip heard twice, None in a form without such pairs."""
        if not self.protocol.declared.is_pair:
            return None
        found = self.inspected.found
        return NullPairs.of(
            row
            for row in self.inspected.rows
            if row.values["task__kind"] == TaskKind.NULL
            and not row.is_excluded
            and not (self.screened and row.is_void(found))
        )

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair of the systems that are not withheld, paired by utterance.

        An utterance's value is its marks' mean over raters: weighted as in the score, of a form of
        one scale that scale's.
        """
        rows = {
            system.pseudonym: self._rows_of(system)
            for system in self._systems
            if self._least(self._rows_of(system)) >= self.settings.least
        }
        digest = results.digest(protocol=self.protocol, screened=self.screened)
        key = f"rating-pairs:{self.protocol.code}:{digest}:{len(rows)}"
        kept: list[Pair] | None = cache.get(key)
        if kept is None:
            kept = pairs({name: self._values(given) for name, given in rows.items()})
            cache.set(key, kept, KEPT_SECONDS)
        return kept

    def _values(self, rows: Sequence[results.Row]) -> dict[Hashable, Fraction]:
        weights = self._weights()
        stimuli: dict[Hashable, list[Fraction]] = {}
        laid_out = results.panel_of(rows) if self.has_scores else results.opinions_of(rows)
        for one in laid_out:
            marks = one.marks.capped()._asdict()
            value = sum((weight * marks[name] for name, weight in weights.items()), Fraction(0))
            stimuli.setdefault((one.language, one.utt_id), []).append(value)
        return {item: sum(given, Fraction(0)) / len(given) for item, given in stimuli.items()}

    def _weights(self) -> Mapping[str, Fraction]:
        if self.has_scores:
            weights: Mapping[str, Fraction] = self.protocol.selection.recipe.read_params.weights
            return weights
        # The one mark of such a form stands at all five places.
        return {STANDS_AT: Fraction(1)}

    @cached_property
    def severity(self) -> dict[str, Severity]:
        """Raters by pseudonym: how far their mean mark is from that of the others on the same clips."""
        return rater_severity(
            (
                row.values["task__rater__pseudonym"],
                row.values["task__stimulus__key"],
                Fraction(sum(row.marks.values()), len(row.marks)),
            )
            for row in self._rows
        )

    def _of_system(self, system: RatedSystem, intervals: Mapping[str, Interval]) -> SystemFigures:
        rows = self._rows_of(system)
        least = self._least(rows)
        state = COMPLETE if least >= self.settings.wanted else PROVISIONAL
        if least < self.settings.least:
            state = WITHHELD
        score = self._score(rows) if self.has_scores else None
        has_interval = state != WITHHELD if score is None else score.score is not None
        return SystemFigures(
            system=system,
            least=least,
            ratings=len(rows),
            state=state,
            score=stored(score.score) if score is not None and score.score is not None else None,
            languages={name: stored(value) for name, value in score.languages.items()}
            if score is not None
            else {},
            interval=intervals.get(system.submission.code, Interval(None, None, NOT_COMPUTED))
            if has_interval
            else Interval(None, None, NOT_COMPUTED),
            means=_means(rows) if state != WITHHELD else {},
        )

    def _rows_of(self, system: RatedSystem) -> list[results.Row]:
        return [
            row
            for row in self._rows
            if row.values["task__stimulus__system__submission"] == system.submission_id
        ]

    def _least(self, rows: Sequence[results.Row]) -> int:
        counts = {(language, utt_id): 0 for language, ids in self._rated.items() for utt_id in ids}
        for row in rows:
            counts[row.values["task__stimulus__language"], row.values["task__stimulus__name"]] += 1
        return min(counts.values(), default=0)

    def _score(self, rows: Sequence[results.Row]) -> SpeechScore:
        given: dict[str, dict[str, list[Marks]]] = {}
        for one in results.panel_of(rows):
            given.setdefault(one.language, {}).setdefault(one.utt_id, []).append(one.marks)
        means = {
            language: language_marks(given.get(language, {}), rated=ids, needed=self.settings.least)
            for language, ids in self._rated.items()
        }
        return speech_score(means, self.protocol.selection.recipe.read_params)

    def _intervals(self) -> dict[str, Interval]:
        """Return the crossed bootstrap intervals of the systems that are whole, by submission code."""
        whole = [
            system
            for system in self._systems
            if self._least(self._rows_of(system)) >= self.settings.least
        ]
        if not whole:
            return {}
        rows = [row for system in whole for row in self._rows_of(system)]
        digest = results.digest(protocol=self.protocol, screened=self.screened)
        key = f"rating-intervals:{self.protocol.code}:{digest}:{len(whole)}"
        kept = cache.get(key)
        if kept is None:
            kept = self._resampled(rows) if self.has_scores else self._resampled_opinions(rows)
            cache.set(key, kept, KEPT_SECONDS)
        return {name: Interval(*bounds) for name, bounds in kept.items()}

    def _resampled(
        self, rows: Iterable[results.Row]
    ) -> dict[str, tuple[float | None, float | None, str]]:
        laid_out = panel.read_panel(results.panel_of(rows))
        params = self.protocol.selection.recipe.read_params
        if [part.language for part in laid_out.languages] != sorted(params.languages):
            return {}
        drawn = crossed.resample(
            laid_out,
            params,
            seed=seed_of(results.settings_digest(self.protocol), self.protocol.code),
            replicates=self.settings.draws,
        )
        return _bounds(drawn, laid_out)

    def _resampled_opinions(
        self, rows: Iterable[results.Row]
    ) -> dict[str, tuple[float | None, float | None, str]]:
        """Return the intervals of the mean mark of the form's one scale, in marks."""
        laid_out = panel.read_panel(results.opinions_of(rows))
        drawn = crossed.resample_means(
            laid_out,
            letter=STANDS_AT,
            worst=self.range[0],
            seed=seed_of(results.settings_digest(self.protocol), self.protocol.code),
            replicates=self.settings.draws,
        )
        return _bounds(drawn, laid_out)

    def _of_scale(self, letter: str, judged: Mapping[str, Marks]) -> Scale:
        units: dict[str, list[int]] = {}
        for row in self._rows:
            units.setdefault(_item(row), []).append(row.marks[letter])
        people = {item: Fraction(sum(given), len(given)) for item, given in units.items()}
        judge = {item: getattr(marks, letter) for item, marks in judged.items()}
        values = [units[item] for item in sorted(units)]
        return Scale(
            letter,
            krippendorff_alpha(values),
            icc_one_way(values),
            judge_agreement(judge, people) if judge else None,
        )

    def _judged(self) -> dict[str, Marks]:
        """Return the judge's marks of everything that is rated, by system and utterance.

        None where no judge is asked what raters are.
        """
        if not self.protocol.declared.is_judged:
            return {}
        evaluations = Evaluation.objects.filter(
            submission__in=[system.submission_id for system in self._systems],
            recipe=self.protocol.selection.recipe,
            state=EvaluationState.SCORED,
            tallies__isnull=False,
        ).select_related("tallies", "submission")
        found = {}
        track = registry.get(self.protocol.selection.recipe.scorer)
        for evaluation in evaluations:
            marks = track.tallies(bytes(evaluation.tallies.data)).ratings()
            for utt_id, given in marks.items():
                found[f"{evaluation.submission.code}/{utt_id}"] = given
        return found


def _bounds(
    drawn: Mapping[str, crossed.Replicates], laid_out: panel.Panel
) -> dict[str, tuple[float | None, float | None, str]]:
    found = {}
    for name, one in drawn.items():
        bounds = crossed.interval(one.final, one.degenerate, laid_out)
        found[name] = (bounds.low, bounds.high, bounds.reason)
    return found


def _item(row: results.Row) -> str:
    system = row.values["task__stimulus__system__submission__code"]
    return f"{system}/{row.values['task__stimulus__name']}"


def _means(rows: Sequence[results.Row]) -> dict[str, float]:
    """Return the mean mark of each scale: over stimuli, of the means over raters."""
    stimuli: dict[str, list[dict[str, int]]] = {}
    for row in rows:
        stimuli.setdefault(_item(row), []).append(row.marks)
    if not stimuli:
        return {}
    letters = list(next(iter(stimuli.values()))[0])
    return {
        letter: float(
            sum(
                (
                    Fraction(sum(marks[letter] for marks in given), len(given))
                    for given in stimuli.values()
                ),
                Fraction(0),
            )
            / len(stimuli)
        )
        for letter in letters
    }
