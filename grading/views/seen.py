"""A score as its reader may see it, with the names that a page uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.models import Evaluation
from grading.presentation import Sight, shown_parts, shown_score


@dataclass(frozen=True, slots=True)
class Seen:
    """The visible numbers of one evaluation; everything missing is None or empty."""

    score: float | None
    low: float | None
    high: float | None
    components: Mapping[str, float]
    languages: Mapping[str, Mapping[str, Any]]
    parts: Mapping[str, float]
    withheld_reason: str
    interval_reason: str
    is_hidden: bool
    is_exact: bool
    has_counts: bool


def seen(evaluation: Evaluation, sight: Sight) -> Seen:
    """Return what somebody with this sight sees of a scored evaluation."""
    shown = shown_score(evaluation, sight)
    low, high = shown["interval"] or (None, None)
    return Seen(
        score=shown["score"],
        low=low,
        high=high,
        components=shown["components"],
        languages=shown["languages"],
        parts=shown_parts(evaluation, sight),
        withheld_reason=shown["withheld_reason"],
        interval_reason=shown["interval_reason"],
        is_hidden=shown["hidden"],
        is_exact=sight == Sight.EXACT,
        has_counts=shown["has_counts"],
    )
