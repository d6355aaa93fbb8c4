"""Acts of organizers on entrants, dates and boards: the board follows each, and people are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from accounts.models import User
from accounts.services import audit
from competition.enums import BoardAct, EntrantKind
from competition.models import BoardChange, Entrant, Phase
from competition.services import deadlines, entry, publication
from grading.services import boards, checkpoints, news, notices


def decide(*, actor: User, entrant: Entrant, accept: bool, reason: str, now: datetime) -> Entrant:
    """Accept or refuse an entrant; refuses what competition.services.entry.decide_entrant does."""
    with _boards_follow(entrant.competition_id, now):
        decided = entry.decide_entrant(
            actor=actor, entrant=entrant, accept=accept, reason=reason, now=now
        )
        act = "accepted" if accept else "refused"
        news.entrant_changed(entrant=decided, act=act, reason=decided.reason, now=now)
    return decided


def set_kind(
    *, actor: User, entrant: Entrant, kind: EntrantKind, reason: str, now: datetime
) -> Entrant:
    """Make an entrant official, unofficial or a baseline; refuses what entry.set_kind does."""
    before = entrant.kind
    with _boards_follow(entrant.competition_id, now):
        changed = entry.set_kind(actor=actor, entrant=entrant, kind=kind, reason=reason, now=now)
        if changed.kind != before:
            news.entrant_changed(entrant=changed, act=kind.value, reason=reason.strip(), now=now)
    return changed


def disqualify(*, actor: User, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Disqualify an entrant, whose line stays on the boards; refuses what entry.disqualify does."""
    with _boards_follow(entrant.competition_id, now):
        out = entry.disqualify(actor=actor, entrant=entrant, reason=reason, now=now)
        news.entrant_changed(entrant=out, act="disqualified", reason=out.reason, now=now)
    return out


def withdraw(*, actor: User, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Take an entrant out at its wish, told to its people; refuses what entry.withdraw does."""
    people = list(notices.members(entrant))
    with _boards_follow(entrant.competition_id, now):
        out = entry.withdraw(actor=actor, entrant=entrant, reason=reason, now=now)
        news.entrant_changed(
            entrant=out, act="withdrawn", reason=out.reason, now=now, people=people
        )
    return out


def reinstate(*, actor: User, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Take a disqualification or withdrawal back; refuses what entry.reinstate does."""
    with _boards_follow(entrant.competition_id, now):
        back = entry.reinstate(actor=actor, entrant=entrant, reason=reason, now=now)
        news.entrant_changed(entrant=back, act="reinstated", reason=reason.strip(), now=now)
    return back


def remove_member(*, actor: User, entrant: Entrant, user: User, reason: str, now: datetime) -> None:
    """Take a person out of an entrant, who is told too; refuses what entry.remove_member does."""
    people = list(notices.members(entrant))
    with audit.audited():
        entry.remove_member(actor=actor, entrant=entrant, user=user, reason=reason, now=now)
        news.entrant_changed(
            entrant=entrant,
            act="member-removed",
            reason=reason.strip(),
            now=now,
            people=people,
            person=user,
        )


def move_deadline(
    *, actor: User, phase: Phase, field: str, new: datetime | None, reason: str, now: datetime
) -> Phase:
    """Move a date of a phase; refuses what competition.services.deadlines.move does."""
    competition = phase.track.competition
    with _boards_follow(competition.pk, now):
        moved = deadlines.move(
            actor=actor, phase=phase, field=field, new=new, reason=reason, now=now
        )
        news.deadlines_moved(competition=competition, now=now)
    return moved


def change_board(
    *, actor: User, phase: Phase, act: BoardAct, reason: str, now: datetime
) -> BoardChange:
    """Freeze, unfreeze, publish or take down a board, and sign the log's head as it stands then.

    Refuses what publication.act does.
    """
    with audit.audited():
        change = publication.act(actor=actor, phase=phase, kind=act, reason=reason, now=now)
        news.board_changed(change=change, now=now)
        boards.want_rebuild(phase_id=phase.pk, now=now)
    checkpoints.note_publication(scope=phase.track.competition.audit_scope, now=now)
    return change


@contextmanager
def _boards_follow(competition_id: int, now: datetime) -> Iterator[None]:
    """Mark the competition's boards in the transaction of the act; the log entry comes last."""
    with audit.audited():
        yield
        boards.want_rebuild_of_competition(competition_id=competition_id, now=now)
