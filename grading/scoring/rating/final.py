"""The final board of judge and people: scores kept apart, intervals, places and bands.

Two lists that are never one: systems that people were to rate, by the combined score, and systems
that the judge alone heard, by its score. Nothing is filled in: a system lacking a mark is withheld.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap, ranking
from grading.scoring.rating import crossed
from grading.scoring.rating.panel import Rating, read_panel
from grading.scoring.tracks.base import Interval
from grading.scoring.tracks.nvv_t2_marks import LanguageMarks, Marks, language_marks
from grading.scoring.tracks.nvv_t2_scores import (
    SpeechScore,
    combined_score,
    order_key,
    speech_score,
    stored,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grading.scoring.rating.panel import Panel
    from grading.scoring.tracks.nvv_t2_params import SpeechParams

ENTRANT_OUT = "ENTRANT_OUT"
RATINGS_INCOMPLETE = "RATINGS_INCOMPLETE"
RATED, JUDGED = "rated", "judged"
SIGNIFICANT = 0.05
FINAL = ""
"""The view of the final score; every other view is named after its language."""

JudgeMarks = Mapping[str, Mapping[str, Marks]]
"""One system's marks by the judge, collapsed and capped: language -> utterance -> marks."""


@dataclass(frozen=True, slots=True)
class System:
    """One system of the final. `judge` is empty where the judge gave no complete set of marks.

    `is_rated` says that people were to rate it; `official` that it takes a place; `is_out` that
    its entrant was disqualified or withdrew. `intervals` are the judge's own, by view.
    """

    name: str
    judge: JudgeMarks
    is_rated: bool
    official: bool = True
    is_out: bool = False
    intervals: Mapping[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What people rate: utterances by language, and how many ratings each of them needs.

    Below `needed` a system is withheld; below `wanted` it is provisional.
    """

    rated: Mapping[str, Sequence[str]]
    needed: int = 3
    wanted: int = 5


@dataclass(frozen=True, slots=True)
class Rules:
    """What a final board is computed by: the recipe's parameters, the plan, bands and draws."""

    params: SpeechParams
    plan: Plan
    seed: int
    bands: ranking.Rule = "leader"
    replicates: int = bootstrap.REPLICATES


@dataclass(frozen=True, slots=True)
class FinalLine:
    """One row of one view. Scores are 0 to 100 at 12 decimals; `shares` 0 to 1 by dimension.

    `score` is the combined one in the list of rated systems, else the judge's; None is withheld
    for `withheld_reason`. `ratings_least` is the number of ratings of the utterance with fewest.
    """

    name: str
    listing: str
    view: str
    position: int
    place: int | None
    band: int | None
    range: tuple[int, int] | None
    score: float | None
    interval: Interval
    judge: float | None
    people: float | None
    withheld_reason: str
    ratings_least: int | None
    is_provisional: bool
    shares: Mapping[str, float]
    difference: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON values; every digit of it goes into the snapshot's digest."""
        return {
            "system": self.name,
            "listing": self.listing,
            "view": self.view,
            "position": self.position,
            "place": self.place,
            "band": self.band,
            "range": list(self.range) if self.range else None,
            "score": self.score,
            "low": self.interval.low,
            "high": self.interval.high,
            "interval_reason": self.interval.reason,
            "judge": self.judge,
            "people": self.people,
            "withheld_reason": self.withheld_reason,
            "ratings_least": self.ratings_least,
            "is_provisional": self.is_provisional,
            "shares": dict(self.shares),
            "difference": dict(self.difference),
        }


@dataclass(frozen=True, slots=True)
class _Scored:
    """One system in one view before it is placed: the three scores and its interval."""

    system: System
    judge: SpeechScore
    people: SpeechScore | None
    final: SpeechScore
    interval: Interval
    least: int | None


@dataclass(frozen=True, slots=True)
class _Marks:
    """Means of marks by system and language."""

    judge: Mapping[str, Mapping[str, LanguageMarks]]
    people: Mapping[str, Mapping[str, LanguageMarks]]
    least: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class _Resampled:
    """Intervals by system and view, and differences from the leader of the final view."""

    intervals: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)
    differences: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def final_board(
    systems: Sequence[System], ratings: Iterable[Rating], rules: Rules
) -> list[FinalLine]:
    """Return every row of every view: the final one, then each language, rated systems first.

    `ratings` are those that count, raw, in any order; of utterances outside the plan and of
    systems that people were not to rate none is looked at. Raises PanelInvalid on ratings that
    cannot be resampled.
    """
    kept = _kept(ratings, systems, rules.plan)
    marks = _marks(systems, kept, rules)
    resampled = _resample(systems, kept, marks, rules)
    lines: list[FinalLine] = []
    for view in (FINAL, *rules.params.languages):
        params = rules.params if view == FINAL else replace(rules.params, languages=(view,))
        scored = [_scored(one, view, marks, resampled, params) for one in systems]
        for listing in (RATED, JUDGED):
            chosen = [one for one in scored if one.system.is_rated == (listing == RATED)]
            found = resampled.differences if (listing, view) == (RATED, FINAL) else {}
            lines += _Table(listing, view, params, rules, found).lines(chosen)
    return lines


def _kept(ratings: Iterable[Rating], systems: Sequence[System], plan: Plan) -> list[Rating]:
    """Return the ratings of rated systems that are in, of the plan's utterances, in order."""
    names = {one.name for one in systems if one.is_rated and not one.is_out}
    wanted = {(language, utt_id) for language, ids in plan.rated.items() for utt_id in ids}
    return sorted(
        (one for one in ratings if one.system in names and (one.language, one.utt_id) in wanted),
        key=lambda one: one[:4],
    )


def _marks(systems: Sequence[System], ratings: Sequence[Rating], rules: Rules) -> _Marks:
    plan, params = rules.plan, rules.params
    given: dict[str, dict[str, dict[str, list[Marks]]]] = {}
    for one in ratings:
        by_language = given.setdefault(one.system, {}).setdefault(one.language, {})
        by_language.setdefault(one.utt_id, []).append(one.marks)
    judge, people, least = {}, {}, {}
    for system in systems:
        judge[system.name] = _judged(system, params)
        if system.is_rated:
            mine = given.get(system.name, {})
            people[system.name] = {
                name: language_marks(
                    mine.get(name, {}), rated=plan.rated.get(name, ()), needed=plan.needed
                )
                for name in params.languages
            }
            least[system.name] = {name: _least(mine.get(name, {}), plan, name) for name in mine}
    return _Marks(judge, people, least)


def _judged(system: System, params: SpeechParams) -> dict[str, LanguageMarks]:
    return {
        name: language_marks(
            {utt_id: [marks] for utt_id, marks in system.judge[name].items()},
            rated=system.judge[name],
        )
        for name in params.languages
        if name in system.judge
    }


def _least(given: Mapping[str, Sequence[Marks]], plan: Plan, language: str) -> int:
    return min((len(given.get(one, ())) for one in plan.rated.get(language, ())), default=0)


def _resample(
    systems: Sequence[System], ratings: Sequence[Rating], marks: _Marks, rules: Rules
) -> _Resampled:
    """Resample the systems whose marks are complete in every language, all on the same draws."""
    scores = _whole(systems, marks, rules.params)
    if not scores:
        return _Resampled()
    whole = [one for one in systems if one.name in scores]
    panel = read_panel(one for one in ratings if one.system in scores)
    judge = {
        language: {one.name: one.judge[language] for one in whole}
        for language in rules.params.languages
    }
    found = crossed.resample(
        panel, rules.params, seed=rules.seed, judge=judge, replicates=rules.replicates
    )
    intervals = {name: _intervals(one, panel) for name, one in found.items()}
    return _Resampled(intervals, _differences(found, scores, _leader(whole, scores, rules.params)))


def _whole(
    systems: Sequence[System], marks: _Marks, params: SpeechParams
) -> dict[str, SpeechScore]:
    """Return the combined score of every rated system that has one."""
    rated = [one.name for one in systems if one.is_rated and not one.is_out]
    scores = {
        name: combined_score(
            speech_score(marks.judge[name], params),
            speech_score(marks.people[name], params),
            params,
        )
        for name in rated
    }
    return {name: one for name, one in scores.items() if one.score is not None}


def _intervals(found: crossed.Replicates, panel: Panel) -> dict[str, Interval]:
    values = {FINAL: found.final, **found.languages}
    return {view: crossed.interval(one, found.degenerate, panel) for view, one in values.items()}


def _leader(
    systems: Sequence[System], scores: Mapping[str, SpeechScore], params: SpeechParams
) -> str | None:
    official = [one.name for one in systems if one.official]
    return min(official, key=lambda name: (order_key(scores[name], params), name), default=None)


def _differences(
    found: Mapping[str, crossed.Replicates], scores: Mapping[str, SpeechScore], leader: str | None
) -> dict[str, dict[str, Any]]:
    """Return each system's difference from the leader on the same draws, with Holm's p-value."""
    if leader is None:
        return {}
    numbers = {name: stored(one.score) for name, one in scores.items() if one.score is not None}
    compared = crossed.differences(found, numbers, leader)
    names = sorted(compared)
    adjusted = bootstrap.holm([compared[name].p_value for name in names])
    return {
        name: {
            "leader": leader,
            "delta": compared[name].delta,
            "low": compared[name].low,
            "high": compared[name].high,
            "p_adjusted": None if p is None else round(p, bootstrap.DECIMALS),
            "differs": None if p is None else p < SIGNIFICANT,
        }
        for name, p in zip(names, adjusted, strict=True)
    }


def _scored(
    system: System, view: str, marks: _Marks, resampled: _Resampled, params: SpeechParams
) -> _Scored:
    """Return the three scores of one system in one view; `params` has that view's languages."""
    judge = speech_score(marks.judge[system.name], params)
    if system.is_out:
        nothing = SpeechScore(None, {}, None, ENTRANT_OUT)
        people = nothing if system.is_rated else None
        return _Scored(system, nothing, people, nothing, Interval(None, None), None)
    if not system.is_rated:
        interval = system.intervals.get(view, Interval(None, None))
        return _Scored(system, judge, None, judge, _shown(judge, interval), None)
    people = speech_score(marks.people[system.name], params)
    final = combined_score(judge, people, params)
    interval = resampled.intervals.get(system.name, {}).get(
        view, Interval(None, None, RATINGS_INCOMPLETE)
    )
    least = min((marks.least[system.name].get(name, 0) for name in params.languages), default=0)
    return _Scored(system, judge, people, final, _shown(final, interval), least)


def _shown(score: SpeechScore, interval: Interval) -> Interval:
    """Return no interval beside a withheld score: it would tell where the score lies."""
    return interval if score.score is not None else Interval(None, None)


@dataclass(frozen=True, slots=True)
class _Table:
    """One list in one view; `params` has the view's languages."""

    listing: str
    view: str
    params: SpeechParams
    rules: Rules
    differences: Mapping[str, Mapping[str, Any]]

    def lines(self, scored: Sequence[_Scored]) -> list[FinalLine]:
        """Return the rows in order, with places and bands."""
        by_name = {one.system.name: one for one in scored}
        ranked = ranking.rank([self._entry(one) for one in scored], self.rules.bands)
        return [
            self._line(by_name[row.entry.name], row, position)
            for position, row in enumerate(ranked, 1)
        ]

    def _entry(self, one: _Scored) -> ranking.Entry:
        has_score = one.final.score is not None
        return ranking.Entry(
            name=one.system.name,
            score=_stored(one.final),
            low=one.interval.low,
            high=one.interval.high,
            key=order_key(one.final, self.params) if has_score else None,
            ranked=has_score and one.system.official,
        )

    def _line(self, one: _Scored, row: ranking.Ranked, position: int) -> FinalLine:
        norms = one.final.norms
        few = one.least is not None and one.least < self.rules.plan.wanted
        return FinalLine(
            name=one.system.name,
            listing=self.listing,
            view=self.view,
            position=position,
            place=row.place,
            band=row.band,
            range=row.range,
            score=_stored(one.final),
            interval=one.interval,
            judge=_stored(one.judge),
            people=None if one.people is None else _stored(one.people),
            withheld_reason=one.final.withheld_reason,
            ratings_least=one.least,
            is_provisional=one.final.score is not None and few,
            shares={} if norms is None else {n: stored(v) for n, v in norms._asdict().items()},
            difference=self.differences.get(one.system.name, {}),
        )


def _stored(score: SpeechScore) -> float | None:
    return None if score.score is None else stored(score.score)
