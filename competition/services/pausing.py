"""Scoring of a competition stops and goes on: uploads are taken and checked all the while."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import Competition
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import WrongState


def pause(
    *, actor: User | None, competition: Competition, reason: str, now: datetime
) -> Competition:
    """Let nothing of the competition be scored from now on; what runs ends.

    Refuses NotOrganizer, ReasonMissing, WrongState when it is paused already.
    """
    return _set(actor, competition, reason, now, paused=True)


def resume(
    *, actor: User | None, competition: Competition, reason: str, now: datetime
) -> Competition:
    """Let scoring go on. Refuses NotOrganizer, ReasonMissing, WrongState when it is not paused."""
    return _set(actor, competition, reason, now, paused=False)


def _set(
    actor: User | None, competition: Competition, reason: str, now: datetime, *, paused: bool
) -> Competition:
    require_organizer(actor, competition)
    text = require_reason(reason)
    with audit.audited():
        locked = Competition.objects.select_for_update().get(pk=competition.pk)
        if (locked.paused_at is not None) == paused:
            raise WrongState(
                _("Scoring is paused already.") if paused else _("Scoring is not paused.")
            )
        locked.paused_at, locked.paused_reason = (now, text) if paused else (None, "")
        locked.save(update_fields=["paused_at", "paused_reason"])
        audit.record(
            scope=locked.audit_scope,
            kind="scoring.paused" if paused else "scoring.resumed",
            actor=actor,
            target=f"competition:{locked.code}",
            payload={"reason": audit.keyed_hash(text)},
            now=now,
        )
    return locked
