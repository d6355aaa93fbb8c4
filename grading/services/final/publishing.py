"""Acts of organizers on a final board: publish, freeze, unfreeze, take down. Each has a reason."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import BoardAct
from competition.models import Phase
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import WrongState
from grading.models import FinalAct, FinalBoard, FinalRanking
from grading.services import news
from grading.services.final import errors, rankings

EVENTS = {
    BoardAct.PUBLISH: "final.published",
    BoardAct.FREEZE: "final.frozen",
    BoardAct.UNFREEZE: "final.unfrozen",
    BoardAct.TAKE_DOWN: "final.taken-down",
}


def act(
    *, actor: User | None, phase: Phase, kind: BoardAct, reason: str, now: datetime
) -> FinalAct:
    """Do one act on a phase's final board and keep who did it, when and why; people are told.

    Publishing shows the newest snapshot and every later one; freezing holds the public one back
    at the newest; taking down hides it until it is published again. Refuses NotOrganizer,
    ReasonMissing, NoSelection, NothingRanked, and WrongState for an act that does not fit.
    """
    require_organizer(actor, phase.track.competition)
    text = require_reason(reason)
    with audit.audited():
        board = FinalBoard.objects.select_for_update().filter(phase=phase).first()
        if board is None:
            raise errors.NoSelection(_("No systems were selected in this phase."))
        ranking = _newest(board, kind)
        if kind not in possible(board):
            raise WrongState(_("The final board is not in the state for this."), act=kind.value)
        _change(board, kind, ranking, now)
        done = FinalAct.objects.create(
            board=board, act=kind, number=ranking.number, reason=text, actor=actor, at=now
        )
        news.final_changed(change=done, now=now)
        audit.record(
            scope=phase.track.competition.audit_scope,
            kind=EVENTS[kind],
            actor=actor,
            target=f"phase:{phase.code}",
            payload={
                "number": ranking.number,
                "digest": ranking.digest,
                "reason": audit.keyed_hash(text),
            },
            now=now,
        )
    return done


def possible(board: FinalBoard) -> set[BoardAct]:
    """Return what may be done to the final board now."""
    if board.published_at is None:
        return {BoardAct.PUBLISH}
    if board.held_number is None:
        return {BoardAct.FREEZE, BoardAct.TAKE_DOWN}
    return {BoardAct.UNFREEZE, BoardAct.TAKE_DOWN}


def _newest(board: FinalBoard, kind: BoardAct) -> FinalRanking:
    """Return the newest snapshot; what is published must have somebody in it."""
    ranking = rankings.newest(board)
    if ranking is None or (kind == BoardAct.PUBLISH and not rankings.has_score(ranking)):
        raise errors.NothingRanked(_("No system has a final score yet."))
    return ranking


def _change(board: FinalBoard, kind: BoardAct, ranking: FinalRanking, now: datetime) -> None:
    if kind == BoardAct.PUBLISH:
        board.published_at = now
    elif kind == BoardAct.TAKE_DOWN:
        board.published_at = None
    board.held_number = ranking.number if kind == BoardAct.FREEZE else None
    board.save(update_fields=["published_at", "held_number"])
