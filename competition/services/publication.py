"""Acts of organizers on a board beside its scores: freeze, unfreeze, publish, take down. Each has a reason."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import BoardAct
from competition.models import BoardChange, Phase
from competition.services import deadlines
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import WrongState
from competition.timeline import frozen_since, is_closed

EVENTS = {
    BoardAct.FREEZE: "board.frozen",
    BoardAct.UNFREEZE: "board.unfrozen",
    BoardAct.PUBLISH: "board.published",
    BoardAct.TAKE_DOWN: "board.taken-down",
}


def act(
    *, actor: User | None, phase: Phase, kind: BoardAct, reason: str, now: datetime
) -> BoardChange:
    """Do one act on a phase's board and keep who did it, when and why.

    Freezing holds the public board back at what was scored until now, also beyond the phase's end.
    Publishing ends that, and a taking down, for good. Refuses NotOrganizer, ReasonMissing, and
    WrongState when there is nothing to freeze, unfreeze, publish or take down.
    """
    require_organizer(actor, phase.track.competition)
    text = require_reason(reason)
    with audit.audited():
        rows = Phase.objects.select_for_update(of=("self",)).select_related("track__competition")
        locked = rows.get(pk=phase.pk)
        if kind not in possible(locked, now):
            raise WrongState(_("The board is not in the state for this."), act=kind.value)
        _change(locked, kind, actor, text, now)
        locked.save(update_fields=["held_from", "hidden_at", "frozen_from"])
        change = BoardChange.objects.create(
            phase=locked, act=kind, reason=text, actor=actor, at=now
        )
        audit.record(
            scope=locked.track.competition.audit_scope,
            kind=EVENTS[kind],
            actor=actor,
            target=f"phase:{locked.code}",
            payload={"reason": audit.keyed_hash(text)},
            now=now,
        )
    return change


def possible(phase: Phase, now: datetime) -> set[BoardAct]:
    """Return what may be done to the phase's board now."""
    is_frozen, is_hidden = frozen_since(phase, now) is not None, phase.hidden_at is not None
    allowed = set()
    if phase.held_from is None:
        allowed.add(BoardAct.FREEZE)
    if is_frozen:
        allowed.add(BoardAct.UNFREEZE)
    if is_hidden or (is_closed(phase, now) and (is_frozen or not _is_published(phase))):
        allowed.add(BoardAct.PUBLISH)
    if not is_hidden:
        allowed.add(BoardAct.TAKE_DOWN)
    return allowed


def _is_published(phase: Phase) -> bool:
    """Return whether the last word on the board is a publication after the phase's end."""
    last = next(iter(phase.board_changes.all()), None)
    return last is not None and last.act == BoardAct.PUBLISH and is_closed(phase, last.at)


def _change(phase: Phase, kind: BoardAct, actor: User | None, reason: str, now: datetime) -> None:
    if kind == BoardAct.FREEZE:
        phase.held_from = frozen_since(phase, now) or now
    elif kind == BoardAct.TAKE_DOWN:
        phase.hidden_at = now
    else:
        phase.held_from = None
        if kind == BoardAct.PUBLISH:
            phase.hidden_at = None
        else:
            _end_planned_freeze(phase, actor, reason, now)


def _end_planned_freeze(phase: Phase, actor: User | None, reason: str, now: datetime) -> None:
    """Take a freeze that the definition planned out of force; its date stays in the history."""
    if frozen_since(phase, now) is None:
        return
    change = ("frozen_from", phase.frozen_from, None)
    phase.frozen_from = None
    deadlines.keep_history(actor=actor, phase=phase, change=change, reason=reason, now=now)
