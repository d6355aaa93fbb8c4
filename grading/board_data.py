"""The object that is published as data.json and that the board page renders: one for all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from competition.models import Phase
from competition.timeline import frozen_since, is_closed
from grading.models import Board, Recipe, Standing
from grading.presentation import Sight, shown_row, sight_of
from grading.scoring import bootstrap, registry

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
    phase = board.phase
    sight = sight_of(phase, now=now, is_organizer=is_organizer)
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
        "columns": _columns(recipe),
        "views": _views(recipe, standings, sight),
        "acts": _acts(phase),
        "corrections": list(corrections),
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


def _columns(recipe: Recipe | None) -> list[Json]:
    if recipe is None:
        return []
    return [
        {
            "key": column.key,
            "label": column.label,
            "unit": column.unit,
            "lower_is_better": column.lower_is_better,
            "digits": column.digits,
        }
        for column in registry.get(recipe.scorer).columns
    ]


def _views(recipe: Recipe | None, standings: Sequence[Standing], sight: Sight) -> dict[str, Json]:
    if recipe is None:
        return {}
    views: dict[str, Json] = {}
    for view in ("", *registry.get(recipe.scorer).languages):
        chosen = [one for one in standings if one.view == view and sight != Sight.HIDDEN]
        views[view or "final"] = {
            "ranked": sum(one.place is not None for one in chosen),
            "rows": [shown_row(one, sight) for one in chosen],
        }
    return views
