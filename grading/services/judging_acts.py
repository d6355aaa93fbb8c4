"""What organizers do with a judge's run that stopped: raise its budget, let it go on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Conflict, Invalid
from accounts.services import audit
from competition.services.authority import require_organizer, require_reason
from grading.enums import JudgeRunState, JudgeStop
from grading.models import JudgeRun
from grading.services import doorbell
from grading.services import judging_claims as claims

CANARY_STOPS = (JudgeStop.CANARY_CHANGED, JudgeStop.CANARY_UNANSWERED, JudgeStop.CANARIES_MISSING)


class RunNotStopped(Conflict):
    """The run goes on by itself, or has ended."""

    code = "JUDGING_NOT_STOPPED"


class BudgetTooSmall(Invalid):
    """The budget that is given is used up already, or smaller than it was."""

    code = "BUDGET_TOO_SMALL"


@dataclass(frozen=True, slots=True)
class RaisedBudget:
    """New bounds of one run, None where the old one stays; costs in millionths, audio in milliseconds."""

    most_calls: int | None = None
    most_audio_ms: int | None = None
    most_cost_micro: int | None = None

    def given(self) -> dict[str, int]:
        """Return the bounds that change, by column."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def resume(
    *,
    actor: User | None,
    run: JudgeRun,
    reason: str,
    now: datetime,
    budget: RaisedBudget | None = None,
) -> JudgeRun:
    """Let a stopped run go on, with fresh tries for what failed; written into the log.

    After a stop by canaries they are all asked again first. Refuses NotOrganizer, ReasonMissing,
    BudgetTooSmall, RunNotStopped.
    """
    require_organizer(actor, run.evaluation.submission.phase.track.competition)
    text = require_reason(reason)
    raised = (budget or RaisedBudget()).given()
    _check(run, raised)
    with audit.audited():
        moved = JudgeRun.objects.filter(
            pk=run.pk, state=JudgeRunState.STOPPED, attempt=run.attempt
        ).update(
            state=JudgeRunState.QUEUED,
            stop_reason="",
            stop_detail={},
            round=F("round") + 1,
            has_recovered=False,
            rung_at=now,
            **_fresh_canaries(run),
            **raised,
        )
        if not moved:
            raise RunNotStopped(_("This run goes on by itself, or has ended."))
        claims.record(
            run, "judging.resumed", actor, now, reason=text, stopped=run.stop_reason, **raised
        )
        doorbell.ring(doorbell.JUDGE, run.evaluation_id)
    return JudgeRun.objects.get(pk=run.pk)


def _fresh_canaries(run: JudgeRun) -> dict[str, Any]:
    if run.stop_reason not in CANARY_STOPS:
        return {}
    return {"canary_round": F("canary_round") + 1, "canaries_passed_at": None}


def _check(run: JudgeRun, raised: dict[str, int]) -> None:
    used = {
        "most_calls": run.calls,
        "most_audio_ms": run.audio_ms,
        "most_cost_micro": run.cost_micro,
    }
    for name, most in raised.items():
        before = getattr(run, name)
        if most <= used[name] or (before is not None and most < before):
            said = _("A new bound must be larger than the old one and than what is used.")
            raise BudgetTooSmall(said, field=name)
