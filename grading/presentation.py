"""What a reader may see of a score: the one place that pages, API, CSV and data.json go through. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from competition.enums import EntrantState, Feedback
from competition.models import Phase
from competition.timeline import is_closed
from grading.models import Evaluation, Standing
from grading.scoring import registry

SHOWN_DECIMALS = 2

Json = dict[str, Any]


class Sight(StrEnum):
    """How much of a score somebody sees: all of it, two decimals without counts, or nothing yet."""

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
    low, high = part.get("interval") or (None, None)
    score = part.get("score")
    return Numbers(
        score=score,
        withheld_reason="" if score is not None else "LANGUAGE_WITHOUT_UTTERANCES",
        low=low,
        high=high,
        interval_reason=part.get("interval_reason", ""),
        components={key: part.get(key) for key in evaluation.components},
        languages=evaluation.languages,
    )


def shown_score(evaluation: Evaluation, sight: Sight, view: str = "") -> Json:
    """Return the JSON of a scored evaluation for somebody with this sight.

    With HIDDEN every number is None and `hidden` is true.
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
    return {**_shown_numbers(numbers, sight, _columns(evaluation)), **provenance}


def shown_parts(evaluation: Evaluation, sight: Sight) -> dict[str, float]:
    """Return the points that each weighted part brings to the final score, as far as they show.

    Points have the score's own unit and its decimals. Empty when nothing shows, for a withheld
    score, and for a track whose parts do not add up to its score.
    """
    track = registry.get(evaluation.recipe.scorer)
    if sight == Sight.HIDDEN or evaluation.score is None:
        return {}
    params = track.params(evaluation.recipe.params)
    points: dict[str, float] = track.points(evaluation.languages, params)
    return points if sight == Sight.EXACT else _two_decimals(points)


def shown_row(standing: Standing, sight: Sight) -> Json:
    """Return one row of a board: place, band and range as computed, numbers as far as they show."""
    evaluation, entrant = standing.evaluation, standing.entrant
    row = {
        "position": standing.position,
        "place": standing.place,
        "band": standing.band,
        "range": _range(standing),
        "entrant": {
            "code": entrant.code,
            "team": entrant.team.name,
            "affiliation": entrant.team.affiliation,
            "kind": entrant.kind,
            "state": entrant.state,
        },
        "submission": evaluation.submission.code,
        "system": evaluation.submission.system,
        "submitted_at": _moment(evaluation.submission.created_at),
        "utterances": _utterances(evaluation, standing.view),
    }
    if entrant.state != EntrantState.ACCEPTED:
        return {**row, **_without_numbers(shown_score(evaluation, Sight.HIDDEN, standing.view))}
    score = shown_score(evaluation, sight, standing.view)
    return {**row, **score, "difference": _shown_difference(standing.difference, sight)}


def _without_numbers(score: Json) -> Json:
    return {**score, "hidden": False, "withheld_reason": "ENTRANT_OUT", "difference": {}}


def _shown_numbers(numbers: Numbers, sight: Sight, columns: Sequence[str]) -> Json:
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
        "languages": {name: dict(part) for name, part in numbers.languages.items()},
        "hidden": False,
        "has_counts": True,
    }
    return exact if sight == Sight.EXACT else _rounded(exact, columns)


def _rounded(exact: Json, columns: Sequence[str]) -> Json:
    """Return the same with two decimals, and of the languages only what the board has columns for."""
    kept = {*columns, "interval", "interval_reason", "utterances"}
    return {
        **exact,
        "score": _two_decimals(exact["score"]),
        "interval": _two_decimals(exact["interval"]),
        "components": _two_decimals(
            {key: value for key, value in exact["components"].items() if key in kept}
        ),
        "languages": {
            name: _two_decimals({key: value for key, value in part.items() if key in kept})
            for name, part in exact["languages"].items()
        },
        "has_counts": False,
    }


def _two_decimals(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, SHOWN_DECIMALS)
    if isinstance(value, Mapping):
        return {key: _two_decimals(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_two_decimals(part) for part in value]
    return value


def _shown_difference(difference: Json, sight: Sight) -> Json:
    """Return yes or no, and the numbers behind it where all numbers show."""
    if sight == Sight.EXACT or not difference:
        return difference
    kept = {key: difference.get(key) for key in ("leader", "differs", "delta", "low", "high")}
    return {} if sight == Sight.HIDDEN else _two_decimals(kept)


def _columns(evaluation: Evaluation) -> list[str]:
    return [column.key for column in registry.get(evaluation.recipe.scorer).columns]


def _range(standing: Standing) -> list[int] | None:
    if standing.range_first is None or standing.range_last is None:
        return None
    return [standing.range_first, standing.range_last]


def _utterances(evaluation: Evaluation, view: str) -> int:
    parts = evaluation.languages
    chosen = [parts.get(view, {})] if view else list(parts.values())
    return sum(part.get("utterances", 0) for part in chosen)


def _day(moment: datetime | None) -> str | None:
    """Return the UTC day of a moment, as 2026-12-01."""
    return moment.astimezone(UTC).date().isoformat() if moment else None


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
