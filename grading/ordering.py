"""The one order of scores, used to choose an entrant's best, to rank, to show and to export."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from grading.models import Evaluation, Recipe
from grading.scoring import registry
from grading.scoring.tracks.base import Composed


def final_key(evaluation: Evaluation) -> tuple[Any, ...]:
    """Return the key of the final score: the smaller, the better; withheld scores last."""
    one = evaluation
    return score_key(one.recipe, one.score, one.withheld_reason, one.components, one.languages)


def view_key(evaluation: Evaluation, view: str) -> tuple[Any, ...]:
    """Return the key in one view of the board: "" for the final score, else a language."""
    if not view:
        return final_key(evaluation)
    part = evaluation.languages.get(view, {})
    score = part.get("score")
    reason = "" if score is not None else "LANGUAGE_MISSING"
    return score_key(evaluation.recipe, score, reason, part, evaluation.languages)


def score_key(
    recipe: Recipe,
    score: float | None,
    withheld_reason: str,
    components: Mapping[str, Any],
    languages: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> tuple[Any, ...]:
    """Return the key of these numbers under a recipe; the order needs no languages."""
    composed = Composed(score, withheld_reason, components, languages)
    return registry.get(recipe.scorer).order_key(composed, recipe.read_params)
