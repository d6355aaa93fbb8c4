"""The one order of scores, used to choose an entrant's best, to rank, to show and to export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grading.models import Evaluation
from grading.scoring import registry
from grading.scoring.tracks.base import Composed


def final_key(evaluation: Evaluation) -> tuple[Any, ...]:
    """Return the key of the final score: the smaller, the better; withheld scores last."""
    return _key(
        evaluation,
        evaluation.score,
        evaluation.withheld_reason,
        evaluation.components,
    )


def view_key(evaluation: Evaluation, view: str) -> tuple[Any, ...]:
    """Return the key in one view of the board: "" for the final score, else a language."""
    if not view:
        return final_key(evaluation)
    part = evaluation.languages.get(view, {})
    score = part.get("score")
    return _key(evaluation, score, "" if score is not None else "LANGUAGE_MISSING", part)


def _key(
    evaluation: Evaluation,
    score: float | None,
    withheld_reason: str,
    components: Mapping[str, Any],
) -> tuple[Any, ...]:
    recipe = evaluation.recipe
    composed = Composed(score, withheld_reason, components, evaluation.languages)
    return registry.get(recipe.scorer).order_key(composed, recipe.read_params)
