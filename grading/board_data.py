"""The object that is published as data.json and that the board page renders: one for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from competition.models import Phase
from competition.timeline import frozen_since, is_closed
from grading.models import Board, Evaluation, Recipe, Standing
from grading.presentation import Sight, columns_of, shown_languages, shown_row, sight_of
from grading.scoring import bootstrap, registry
from grading.scoring.reasons import REASONS
from grading.scoring.tracks.columns import Column, View

FORMAT = "plaudit.board/1"

Json = dict[str, Any]


def build(
    board: Board,
    recipe: Recipe | None,
    standings: Sequence[Standing],
    now: datetime,
    *,
    is_organizer: bool = False,
    corrections: Sequence[Json] = (),
) -> Json:
    """Return the board as one JSON object: what it is, how it was made, and the rows of each view.

    While nothing is shown there are no rows at all: their order would already tell.
    """
    sight = sight_of(board.phase, now=now, is_organizer=is_organizer)
    return {
        **head(board, recipe, sight, now, is_organizer=is_organizer),
        **declared(recipe, () if sight == Sight.HIDDEN else standings),
        "views": _views(recipe, standings, sight),
        "corrections": list(corrections),
    }


def head(
    board: Board, recipe: Recipe | None, sight: Sight, now: datetime, *, is_organizer: bool = False
) -> Json:
    """Return what a board's object says beside its columns and rows."""
    phase = board.phase
    return {
        "format": FORMAT,
        **_identity(phase),
        "number": board.wanted,
        "built_at": now.isoformat(),
        "feedback": sight.value,
        "is_closed": is_closed(phase, now),
        "frozen_from": _frozen_from(phase, now, is_organizer=is_organizer),
        "selection": phase.selection,
        "band_rule": phase.band_rule,
        "interval": {"level": 0.95, "replicates": bootstrap.REPLICATES},
        "recipe": _recipe(recipe),
        **declared(recipe),
        "acts": _acts(phase),
        "corrections": [],
    }


def _identity(phase: Phase) -> Json:
    track, competition = phase.track, phase.track.competition
    return {
        "competition": competition.slug,
        "track": track.slug,
        "phase": phase.slug,
        "phase_code": phase.code,
        "opens_at": phase.opens_at.isoformat(),
        "closes_at": phase.closes_at.isoformat(),
    }


def _frozen_from(phase: Phase, now: datetime, *, is_organizer: bool) -> str | None:
    since = None if is_organizer else frozen_since(phase, now)
    return since.isoformat() if since else None


def _acts(phase: Phase) -> list[Json]:
    """Return what organizers did to the board, newest first."""
    return [
        {"act": change.act, "at": change.at.isoformat(), "reason": change.reason}
        for change in phase.board_changes.all()
    ]


def _recipe(recipe: Recipe | None) -> Json | None:
    if recipe is None:
        return None
    return {
        "digest": recipe.digest,
        "track": recipe.scorer,
        "version": recipe.version,
        "params": recipe.params,
        "references": {
            "name": recipe.references.name,
            "version": recipe.references.version,
            "utterances": recipe.references.counts,
        },
    }


def declared(recipe: Recipe | None, standings: Sequence[Standing] = ()) -> Json:
    """Return what the track says of its boards: direction, columns, parts, why scores are withheld."""
    if recipe is None:
        return {"lower_is_better": False, "columns": [], "tabs": [], "reasons": {}}
    track = registry.get(recipe.scorer)
    columns = columns_of(recipe)
    views = track.views(recipe.read_params)
    overall = [View("", track.overall)] if views else []
    used = {code for one in standings for code in _codes(one.evaluation)}
    known = {**REASONS, **track.reasons}
    return {
        "lower_is_better": bool(columns[0].lower_is_better),
        "columns": told(columns),
        "tabs": [asdict(view) for view in (*views, *overall)],
        "reasons": {code: text for code, text in known.items() if code in used},
    }


def _codes(evaluation: Evaluation) -> Iterator[str]:
    """Give every code that says why an evaluation, or a part of it, has no score or no interval."""
    yield evaluation.withheld_reason
    yield evaluation.interval_reason
    for part in evaluation.languages.values():
        yield part.get("withheld_reason", "")
        yield part.get("interval_reason", "")


def told(columns: Sequence[Column]) -> list[Json]:
    """Return columns as JSON."""
    return [asdict(column) for column in columns]


def _views(recipe: Recipe | None, standings: Sequence[Standing], sight: Sight) -> dict[str, Json]:
    if recipe is None:
        return {}
    views: dict[str, Json] = {}
    one_of_each = {one.evaluation_id: one.evaluation for one in standings}
    languages = {key: shown_languages(one, sight) for key, one in one_of_each.items()}
    parts = registry.get(recipe.scorer).views(recipe.read_params)
    for view in ("", *(part.key for part in parts)):
        chosen = [one for one in standings if one.view == view and sight != Sight.HIDDEN]
        views[view or "final"] = {
            "ranked": sum(one.place is not None for one in chosen),
            "rows": [
                shown_row(one, sight, languages=languages[one.evaluation_id]) for one in chosen
            ],
        }
    return views
