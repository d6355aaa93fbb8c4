"""What a reader may see of a score: the one place that pages, API, CSV and data.json go through. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from competition.enums import EntrantState, Feedback
from competition.models import Entrant, Phase
from competition.timeline import is_closed
from grading.kept import Kept
from grading.models import Evaluation, Recipe, Standing
from grading.scoring import registry
from grading.scoring.ranking import Ranked
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES
from grading.scoring.tracks.columns import Column
from grading.scoring.tracks.composed import ComposedRow
from grading.scoring.tracks.nvv_t2_judge import RECORDED

SHOWN_DECIMALS = 2
"""How many decimals of a score show while the phase is open, where no column says it."""

Json = dict[str, Any]


_COLUMNS: Kept[tuple[Column, ...]] = Kept(256)


class Sight(StrEnum):
    """How much of a score somebody sees: all of it, few decimals without counts, or nothing yet."""

    EXACT = "exact"
    ROUNDED = "rounded"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one evaluation, or of one language of it, as stored."""

    score: float | None
    withheld_reason: str
    low: float | None
    high: float | None
    interval_reason: str
    components: Mapping[str, Any]
    languages: Mapping[str, Mapping[str, Any]]


def sight_of(phase: Phase, *, now: datetime, is_organizer: bool) -> Sight:
    """Return what somebody sees of scores in the phase at `now`.

    While references are hidden and the phase is open, a score is an oracle; `feedback` says how
    much of it is given away. Organizers see everything, everybody does after the end.
    """
    if is_organizer or is_closed(phase, now) or phase.feedback == Feedback.FULL:
        return Sight.EXACT
    return Sight.ROUNDED if phase.feedback == Feedback.ROUNDED else Sight.HIDDEN


def numbers_of(evaluation: Evaluation, view: str = "") -> Numbers:
    """Return an evaluation's numbers: the final ones, or those of the language `view` names."""
    if not view:
        return Numbers(
            score=evaluation.score,
            withheld_reason=evaluation.withheld_reason,
            low=evaluation.low,
            high=evaluation.high,
            interval_reason=evaluation.interval_reason,
            components=evaluation.components,
            languages=evaluation.languages,
        )
    part = evaluation.languages.get(view, {})
    whole = {one.key: evaluation.components.get(one.key) for one in _of_the_row(evaluation)}
    low, high = part.get("interval") or (None, None)
    score = part.get("score")
    return Numbers(
        score=score,
        withheld_reason="" if score is not None else _why_withheld(part),
        low=low,
        high=high,
        interval_reason=part.get("interval_reason", ""),
        components={key: part.get(key, whole.get(key)) for key in evaluation.components},
        languages=evaluation.languages,
    )


def _why_withheld(part: Mapping[str, Any]) -> str:
    return str(part.get("withheld_reason") or LANGUAGE_WITHOUT_UTTERANCES)


def shown_score(
    evaluation: Evaluation, sight: Sight, view: str = "", *, languages: Json | None = None
) -> Json:
    """Return the JSON of a scored evaluation for somebody with this sight.

    With HIDDEN every number is None and `hidden` is true. `languages` is `shown_languages` of the
    two, from whoever has it already.
    """
    numbers = numbers_of(evaluation, view)
    provenance = {
        "track": evaluation.recipe.scorer,
        "version": evaluation.recipe.version,
        "recipe_digest": evaluation.recipe.digest,
        "seed": int(evaluation.seed) if evaluation.seed else None,
        "measured_at": _moment(evaluation.finished_at),
        "corrected_on": _day(evaluation.corrected_at),
    }
    if languages is None:
        languages = shown_languages(evaluation, sight)
    columns = columns_of(evaluation.recipe)
    return {**_shown_numbers(numbers, sight, columns, languages), **provenance}


def shown_languages(evaluation: Evaluation, sight: Sight) -> Json:
    """Return the numbers of each language for somebody with this sight; the same in every view.

    Rounded, there is only what the board has columns for, with their decimals.
    """
    if sight == Sight.HIDDEN:
        return {}
    if sight == Sight.EXACT:
        return {name: dict(part) for name, part in evaluation.languages.items()}
    columns = columns_of(evaluation.recipe)
    return {name: _rounded(part, columns) for name, part in evaluation.languages.items()}


def columns_of(recipe: Recipe) -> tuple[Column, ...]:
    """Return the columns of a recipe's boards, the score's first; read once a recipe."""

    def read() -> tuple[Column, ...]:
        return registry.get(recipe.scorer).columns_of(recipe.read_params)

    return _COLUMNS.get((recipe.scorer, recipe.digest), read)


def judge_of(recipe: Recipe) -> Json | None:
    """Return the judge whose marks make a recipe's scores, None where no judge's do."""
    return judge_in(recipe.scorer, recipe.params)


def judge_in(scorer: str, params: Mapping[str, Any]) -> Json | None:
    """Return the judge that a recipe's parameters name, as `judge_of`.

    `is_stand_in` and `is_recorded` are what everybody who reads such a score has to know;
    `is_provisional`: the marks alone make the score, until people have rated.
    """
    track, named = registry.get(scorer), params.get("judge")
    judge: Mapping[str, Any] = named if isinstance(named, Mapping) else {}
    if not track.needs_marks and not judge:
        return None
    return {
        "label": judge.get("label", ""),
        "is_stand_in": bool(judge.get("is_stand_in")),
        "is_recorded": judge.get("kind") == RECORDED,
        "is_provisional": track.needs_marks,
    }


def shown_parts(evaluation: Evaluation, sight: Sight) -> dict[str, float]:
    """Return the points that each weighted part brings to the final score, as far as they show.

    Points have the score's own unit and its decimals. Empty when nothing shows, for a withheld
    score, and for a track whose parts do not add up to its score.
    """
    track = registry.get(evaluation.recipe.scorer)
    if sight == Sight.HIDDEN or evaluation.score is None:
        return {}
    params = evaluation.recipe.read_params
    points: dict[str, float] = track.points(evaluation.languages, params)
    decimals = columns_of(evaluation.recipe)[0].kept_decimals
    return points if sight == Sight.EXACT else _cut(points, decimals)


def shown_row(standing: Standing, sight: Sight, *, languages: Json | None = None) -> Json:
    """Return one row of a board: place, band and range as computed, numbers as far as they show.

    `languages` as for `shown_score`.
    """
    evaluation, entrant = standing.evaluation, standing.entrant
    row = {
        "position": standing.position,
        "place": standing.place,
        "band": standing.band,
        "range": _range(standing),
        "entrant": _entrant_json(entrant),
        "submission": evaluation.submission.code,
        "system": evaluation.submission.system,
        "submitted_at": _moment(evaluation.submission.created_at),
        "utterances": _utterances(evaluation, standing.view),
    }
    if entrant.state != EntrantState.ACCEPTED:
        return {**row, **_without_numbers(shown_score(evaluation, Sight.HIDDEN, standing.view))}
    score = shown_score(evaluation, sight, standing.view, languages=languages)
    decimals = columns_of(evaluation.recipe)[0].kept_decimals
    return {**row, **score, "difference": _shown_difference(standing.difference, sight, decimals)}


@dataclass(frozen=True, slots=True)
class Composite:
    """One row of a composed board, with the evaluations that it is made of by pillar."""

    position: int
    ranked: Ranked
    row: ComposedRow
    entrant: Entrant
    used: Mapping[str, Evaluation]
    recipe: Recipe


def shown_composite(made: Composite, columns: Sequence[Column], sight: Sight) -> Json:
    """Return one row of a composed board, as `shown_row` has them; `pillars` says what it is made of."""
    entrant, row, place = made.entrant, made.row, made.ranked
    is_in = entrant.state == EntrantState.ACCEPTED
    numbers = Numbers(
        score=row.score if is_in else None,
        withheld_reason=row.withheld_reason if is_in else "ENTRANT_OUT",
        low=row.low if is_in else None,
        high=row.high if is_in else None,
        interval_reason=row.interval_reason if is_in else "",
        components=row.components if is_in else {},
        languages={},
    )
    corrected = [one.corrected_at for one in made.used.values() if one.corrected_at]
    finished = [one.finished_at for one in made.used.values() if one.finished_at]
    return {
        "position": made.position,
        "place": place.place,
        "band": place.band,
        "range": None if place.range is None else list(place.range),
        "entrant": _entrant_json(entrant),
        "submission": None,
        "system": " + ".join(dict.fromkeys(one.submission.system for one in made.used.values())),
        "submitted_at": None,
        "utterances": None,
        **_shown_numbers(numbers, sight, columns, {}),
        "has_counts": False,
        "track": made.recipe.scorer,
        "version": made.recipe.version,
        "recipe_digest": made.recipe.digest,
        "seed": None,
        "measured_at": _moment(max(finished, default=None)),
        "corrected_on": _day(max(corrected, default=None)),
        "difference": {},
        "pillars": {key: _pillar_json(one) for key, one in made.used.items()},
    }


def _pillar_json(evaluation: Evaluation) -> Json:
    return {
        "submission": evaluation.submission.code,
        "system": evaluation.submission.system,
        "recipe_digest": evaluation.recipe.digest,
        "seed": int(evaluation.seed) if evaluation.seed else None,
    }


def _entrant_json(entrant: Entrant) -> Json:
    return {
        "code": entrant.code,
        "team": entrant.team.name,
        "affiliation": entrant.team.affiliation,
        "kind": entrant.kind,
        "state": entrant.state,
    }


def _without_numbers(score: Json) -> Json:
    return {**score, "hidden": False, "withheld_reason": "ENTRANT_OUT", "difference": {}}


def _shown_numbers(
    numbers: Numbers, sight: Sight, columns: Sequence[Column], languages: Json
) -> Json:
    interval = None if numbers.low is None else [numbers.low, numbers.high]
    if sight == Sight.HIDDEN:
        return {
            "score": None,
            "withheld_reason": "",
            "interval": None,
            "interval_reason": "",
            "components": {},
            "languages": {},
            "hidden": True,
            "has_counts": False,
        }
    exact = {
        "score": numbers.score,
        "withheld_reason": numbers.withheld_reason,
        "interval": interval,
        "interval_reason": numbers.interval_reason,
        "components": dict(numbers.components),
        "languages": languages,
        "hidden": False,
        "has_counts": True,
    }
    return exact if sight == Sight.EXACT else _all_rounded(exact, columns)


def _all_rounded(exact: Json, columns: Sequence[Column]) -> Json:
    """Return the same with the decimals of the columns; languages are rounded already."""
    decimals = columns[0].kept_decimals
    return {
        **exact,
        "score": _cut(exact["score"], decimals),
        "interval": _cut(exact["interval"], decimals),
        "components": _rounded(exact["components"], columns),
        "has_counts": False,
    }


def _rounded(part: Mapping[str, Any], columns: Sequence[Column]) -> Json:
    """Return what the board has columns for, each with its column's decimals."""
    decimals = {column.key: column.kept_decimals for column in columns}
    kept = {**decimals, **dict.fromkeys(("interval", "interval_reason"), columns[0].kept_decimals)}
    kept["utterances"] = 0
    return {key: _cut(value, kept[key]) for key, value in part.items() if key in kept}


def _cut(value: Any, decimals: int) -> Any:
    if isinstance(value, float):
        return round(value, decimals) + 0.0  # never -0.0, which PostgreSQL does not store
    if isinstance(value, Mapping):
        return {key: _cut(part, decimals) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(part, decimals) for part in value]
    return value


def _shown_difference(difference: Json, sight: Sight, decimals: int) -> Json:
    """Return yes or no, and the numbers behind it where all numbers show."""
    if sight == Sight.EXACT or not difference:
        return difference
    kept = {key: difference.get(key) for key in ("leader", "differs", "delta", "low", "high")}
    return {} if sight == Sight.HIDDEN else _cut(kept, decimals)


def _of_the_row(evaluation: Evaluation) -> list[Column]:
    """Return the columns that say where a row comes from: the same in every part of a board."""
    return [one for one in columns_of(evaluation.recipe) if one.place == "panel"]


def _range(standing: Standing) -> list[int] | None:
    if standing.range_first is None or standing.range_last is None:
        return None
    return [standing.range_first, standing.range_last]


def _utterances(evaluation: Evaluation, view: str) -> int:
    parts = evaluation.languages
    if not view and isinstance(evaluation.components.get("utterances"), int):
        return int(evaluation.components["utterances"])
    chosen = [parts.get(view, {})] if view else list(parts.values())
    return sum(part.get("utterances", 0) for part in chosen)


def _day(moment: datetime | None) -> str | None:
    """Return the UTC day of a moment, as 2026-12-01."""
    return moment.astimezone(UTC).date().isoformat() if moment else None


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
