"""Deadlines move with a reason; the old moment stays in the history."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import DeadlineChange, Phase
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import DeadlineInvalid

FIELDS: Final = ("opens_at", "closes_at", "frozen_from")


def move(
    *,
    actor: User | None,
    phase: Phase,
    field: str,
    new: datetime | None,
    reason: str,
    now: datetime,
) -> Phase:
    """Set `opens_at`, `closes_at` (exclusive) or `frozen_from` (None: never); the same again changes nothing.

    Refuses NotOrganizer, ReasonMissing, and DeadlineInvalid: an end before the beginning or in the
    past, a freeze outside the window, another beginning once the phase has opened.
    """
    require_organizer(actor, phase.track.competition)
    text = require_reason(reason)
    with audit.audited():
        rows = Phase.objects.select_for_update(of=("self",)).select_related("track__competition")
        locked = rows.get(pk=phase.pk)
        old = _value(locked, field)
        if old == new:
            return locked
        check_move(locked, field, new, now)
        setattr(locked, field, new)
        locked.save(update_fields=[field])
        keep_history(actor=actor, phase=locked, change=(field, old, new), reason=text, now=now)
    return locked


def check_move(phase: Phase, field: str, new: datetime | None, now: datetime) -> None:
    """Raise DeadlineInvalid when the moment does not fit the phase as it stands."""
    if new is None and field != "frozen_from":
        raise DeadlineInvalid(_("A phase needs a beginning and an end."), field="new")
    check_time(phase, field, new, now)
    moments = {"opens_at": phase.opens_at, "closes_at": phase.closes_at, field: new}
    opens_at, closes_at = moments["opens_at"], moments["closes_at"]
    if opens_at is None or closes_at is None or closes_at <= opens_at:
        raise DeadlineInvalid(_("A phase closes after it opens."), field="new")
    frozen_from = new if field == "frozen_from" else phase.frozen_from
    if frozen_from is not None and not opens_at <= frozen_from < closes_at:
        raise DeadlineInvalid(_("A board is frozen while its phase is open."), field="new")


def check_time(phase: Phase, field: str, new: datetime | None, now: datetime) -> None:
    """Raise DeadlineInvalid for another beginning once opened, and for an end in the past."""
    if field == "opens_at" and phase.opens_at <= now:
        raise DeadlineInvalid(_("The phase has opened already."), field="new")
    if field == "closes_at" and new is not None and new < now:
        raise DeadlineInvalid(_("A phase cannot close in the past."), field="new")


def keep_history(
    *,
    actor: User | None,
    phase: Phase,
    change: tuple[str, datetime | None, datetime | None],
    reason: str,
    now: datetime,
) -> None:
    """Write the history row and the audit event of one moved moment; inside the caller's block."""
    field, old, new = change
    DeadlineChange.objects.create(
        phase=phase, field=field, old=old, new=new, reason=reason, actor=actor, at=now
    )
    audit.record(
        scope=phase.track.competition.audit_scope,
        kind="deadline.moved",
        actor=actor,
        target=f"phase:{phase.code}",
        payload={"field": field, "old": _text(old), "new": _text(new)},
        now=now,
    )


def _value(phase: Phase, field: str) -> datetime | None:
    if field not in FIELDS:
        raise DeadlineInvalid(_("This is no deadline of a phase."), field="field")
    value: datetime | None = getattr(phase, field)
    return value


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
