"""What a board says of its corrections: when, why, from which recipe to which."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from competition.models import Phase
from grading.enums import RescoringState
from grading.models import Rescoring

Json = dict[str, Any]


def of_phase(phase: Phase) -> list[Json]:
    """Return the corrections of a phase's board, the latest first."""
    switched = Rescoring.objects.filter(phase=phase, state=RescoringState.SWITCHED)
    return [as_json(one) for one in switched.select_related("recipe", "replaced")]


def as_json(rescoring: Rescoring) -> Json:
    """Return one switch as data.json tells it: UTC day, reason, digests, rows without a score."""
    moment = rescoring.ended_at
    return {
        "date": moment.astimezone(UTC).date().isoformat() if moment else None,
        "what": rescoring.reason,
        "from": rescoring.replaced.digest,
        "to": rescoring.recipe.digest,
        "without_score": list(rescoring.accepted_failures),
    }
