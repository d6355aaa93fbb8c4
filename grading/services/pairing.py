"""Two columns of a board drawn against each other: of one board, or of two boards of a competition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from competition.enums import BoardVisibility
from competition.models import Entrant, Phase
from competition.timeline import frozen_since, is_closed
from grading.models import Evaluation, Recipe, Standing
from grading.presentation import Sight, columns_of, shown_score, sight_of
from grading.scoring import registry
from grading.scoring.tracks.columns import SCORE, Column, Scatter
from grading.services import recipes, selection

Json = dict[str, Any]


def scatter_of(
    phase: Phase, recipe: Recipe, standings: Sequence[Standing], now: datetime
) -> Json | None:
    """Return the two columns and a point for each row that has both; None where there is nothing.

    Rows without a score have no point: a board never orders them.
    """
    wanted = registry.get(recipe.scorer).scatter
    if wanted is None:
        return None
    own = [one for one in standings if not one.view and one.score is not None]
    x = _column(recipe, wanted.x)
    other = _other(phase, wanted, now) if wanted.y_kinds else None
    if x is None or (wanted.y_kinds and other is None):
        return None
    y_recipe, found = other or (recipe, {one.entrant: one.evaluation for one in own})
    y = _column(y_recipe, wanted.y)
    sights = (_sight(phase, now), _sight(y_recipe_phase(phase, wanted), now))
    if y is None or Sight.HIDDEN in sights:
        return None
    points = [_point(one, (x, sights[0]), found.get(one.entrant), (y, sights[1])) for one in own]
    return {
        "x": asdict(x),
        "y": asdict(y),
        "y_track": y_recipe_phase(phase, wanted).track.slug,
        "points": [point for point in points if point is not None],
    }


def followers(phase: Phase) -> list[int]:
    """Return the phases whose board draws a column of this one's."""
    kinds = [
        name
        for name in registry.names()
        if (found := registry.get(name).scatter) and phase.track.kind in found.y_kinds
    ]
    if not kinds:
        return []
    drawn = Phase.objects.filter(
        track__competition=phase.track.competition_id, track__kind__in=kinds
    )
    return list(drawn.order_by("pk").values_list("pk", flat=True))


def y_recipe_phase(phase: Phase, wanted: Scatter) -> Phase:
    """Return the phase whose board has the second column: this one, or the first of the kinds."""
    return _phase_of(phase, wanted.y_kinds) or phase


def _phase_of(phase: Phase, kinds: Sequence[str]) -> Phase | None:
    if not kinds:
        return phase
    found = Phase.objects.filter(
        track__competition=phase.track.competition_id, track__kind__in=kinds
    ).select_related("track__competition")
    rows = list(found.order_by("track__position", "position", "pk"))
    if not rows:
        return None
    first = [one for one in rows if one.track_id == rows[0].track_id]
    return next((one for one in first if one.slug == phase.slug), first[-1])


def _other(
    phase: Phase, wanted: Scatter, now: datetime
) -> tuple[Recipe, Mapping[Entrant, Evaluation]] | None:
    found = _phase_of(phase, wanted.y_kinds)
    recipe = recipes.live_recipe(found) if found is not None else None
    if found is None or recipe is None:
        return None
    return recipe, selection.counted(found, before=frozen_since(found, now), recipe=recipe)


def _sight(phase: Phase, now: datetime) -> Sight:
    """Return what everybody sees of a board: nothing where it is not public."""
    is_public = phase.board_visibility == BoardVisibility.PUBLIC or is_closed(phase, now)
    if phase.hidden_at is not None or not is_public:
        return Sight.HIDDEN
    return sight_of(phase, now=now, is_organizer=False)


def _column(recipe: Recipe, key: str) -> Column | None:
    return next((one for one in columns_of(recipe) if one.key == key), None)


def _point(
    row: Standing,
    x: tuple[Column, Sight],
    other: Evaluation | None,
    y: tuple[Column, Sight],
) -> Json | None:
    if other is None or other.score is None:
        return None
    values = [
        _value(one, column, sight) for one, (column, sight) in ((row.evaluation, x), (other, y))
    ]
    if None in values:
        return None
    return {
        "entrant": row.entrant.code,
        "team": row.entrant.team.name,
        "kind": row.entrant.kind,
        "x": values[0],
        "y": values[1],
    }


def _value(evaluation: Evaluation, column: Column, sight: Sight) -> Any:
    shown = shown_score(evaluation, sight)
    return shown["score"] if column.key == SCORE else shown["components"].get(column.key)
