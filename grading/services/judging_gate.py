"""What all workers share of one endpoint: how many calls are in flight, and when the next may begin.

The database keeps it, so that it holds on one machine and on many. A slot is an attempt that is in
flight; that of a worker that was killed lapses.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from grading.enums import AttemptState
from grading.models import JudgeAttempt, JudgeGate
from grading.scoring.tracks.nvv_t2_judge import Limits

AHEAD = timedelta(seconds=1)
"""How long before its turn a call may be given a slot."""
FULL_SECONDS = 0.1


def locked(endpoint: str, now: datetime) -> JudgeGate:
    """Return the endpoint's gate, locked for the caller's transaction."""
    if not JudgeGate.objects.filter(endpoint=endpoint).exists():
        try:
            with transaction.atomic():
                JudgeGate.objects.create(endpoint=endpoint, free_at=now)
        except IntegrityError:  # another worker made it in this very moment
            pass
    return JudgeGate.objects.select_for_update().get(endpoint=endpoint)


def seconds_to_wait(gate: JudgeGate, limits: Limits, now: datetime) -> float:
    """Return in how many seconds to ask again for a slot; 0 where there is one now."""
    if gate.paused_until and gate.paused_until > now:
        return (gate.paused_until - now).total_seconds()
    if gate.free_at - now > AHEAD:
        return (gate.free_at - now - AHEAD).total_seconds()
    flying = JudgeAttempt.objects.filter(
        endpoint=gate.endpoint, state=AttemptState.IN_FLIGHT, expires_at__gt=now
    )
    return FULL_SECONDS if flying.count() >= limits.concurrency else 0.0


def take_turn(gate: JudgeGate, limits: Limits, now: datetime) -> datetime:
    """Return when the call may begin; the next one begins a minute divided by the rate later."""
    begins = max(now, gate.free_at)
    gate.free_at = begins + timedelta(seconds=60 / limits.calls_per_minute)
    gate.save(update_fields=["free_at"])
    return begins


def pause(*, endpoint: str, until: datetime) -> None:
    """Let nobody begin a call before `until`; a longer pause stands."""
    JudgeGate.objects.filter(
        Q(paused_until__isnull=True) | Q(paused_until__lt=until), endpoint=endpoint
    ).update(paused_until=until)
