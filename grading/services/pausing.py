"""Scoring of a competition is paused and goes on; what waited is rung for at once."""

from __future__ import annotations

from datetime import datetime

from accounts.models import User
from accounts.services import audit
from competition.models import Competition
from competition.services import pausing
from grading.enums import EvaluationState
from grading.models import Evaluation
from grading.rules import waits_for_judge
from grading.services import doorbell, news

RUNG_AT_ONCE = 500
"""How many waiting evaluations are rung for when scoring goes on; the sweep rings for the rest."""


def pause(*, actor: User, competition: Competition, reason: str, now: datetime) -> Competition:
    """Pause scoring and tell the teams why; refuses what competition.services.pausing.pause does."""
    with audit.audited():
        paused = pausing.pause(actor=actor, competition=competition, reason=reason, now=now)
        news.scoring_changed(competition=paused, paused=True, reason=paused.paused_reason, now=now)
    return paused


def resume(*, actor: User, competition: Competition, reason: str, now: datetime) -> Competition:
    """Let scoring go on, ring for what waited and tell the teams; refuses what pausing.resume does."""
    with audit.audited():
        resumed = pausing.resume(actor=actor, competition=competition, reason=reason, now=now)
        news.scoring_changed(competition=resumed, paused=False, reason=reason.strip(), now=now)
        ours = Evaluation.objects.filter(
            submission__phase__track__competition=competition
        ).order_by("queued_at")
        bells = {
            doorbell.EVALUATE: ours.filter(state=EvaluationState.QUEUED),
            doorbell.JUDGE: ours.filter(waits_for_judge()),
        }
        for bell, waiting in bells.items():
            for evaluation_id in waiting.values_list("pk", flat=True)[:RUNG_AT_ONCE]:
                doorbell.ring(bell, evaluation_id)
    return resumed
