"""Does an entrant differ from the leader? The paired bootstrap on the same utterances, from stored tallies."""

from __future__ import annotations

from typing import Any

from grading.models import Evaluation, EvaluationTallies, Recipe
from grading.scoring import bootstrap, registry
from grading.scoring.tracks.base import Difference

COMPARED = 50
SIGNIFICANT = 0.05

Json = dict[str, Any]


def from_leader(evaluations: dict[str, Evaluation], recipe: Recipe) -> dict[str, Json]:
    """Return each entrant's difference from the first one's, by name; the first has none.

    `differs` is yes where Holm's adjusted p-value is below 0.05, None where it cannot be told.
    """
    names = list(evaluations)
    if len(names) < 2:  # noqa: PLR2004  nobody to compare with
        return {}
    track = registry.get(recipe.scorer)
    stored = EvaluationTallies.objects.filter(evaluation__in=evaluations.values())
    bytes_of = {row.evaluation_id: bytes(row.data) for row in stored}
    tallies = [track.tallies(bytes_of[evaluations[name].pk]) for name in names]
    found = track.paired(
        tallies[0],
        tallies[1:],
        recipe.read_params,
        seed=int(evaluations[names[0]].seed),
    )
    leader = evaluations[names[0]].submission.entrant.code
    adjusted = bootstrap.holm([one.p_value for one in found])
    return {
        name: _as_json(leader, one, p_adjusted)
        for name, one, p_adjusted in zip(names[1:], found, adjusted, strict=True)
    }


def _as_json(leader: str, difference: Difference, p_adjusted: float | None) -> Json:
    return {
        "leader": leader,
        "delta": difference.delta,
        "low": difference.low,
        "high": difference.high,
        "p_value": difference.p_value,
        "p_adjusted": p_adjusted,
        "differs": None if p_adjusted is None else p_adjusted < SIGNIFICANT,
    }
