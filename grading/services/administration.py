"""Acts of organizers on entrants and dates that also change boards: the board follows each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantKind
from competition.models import Entrant, Phase
from competition.services import deadlines, entry
from grading.services import boards


def decide(*, actor: User, entrant: Entrant, accept: bool, reason: str, now: datetime) -> Entrant:
    """Accept or refuse an entrant; refuses what competition.services.entry.decide_entrant does."""
    with _boards_follow(entrant.competition_id, now):
        return entry.decide_entrant(
            actor=actor, entrant=entrant, accept=accept, reason=reason, now=now
        )


def set_kind(
    *, actor: User, entrant: Entrant, kind: EntrantKind, reason: str, now: datetime
) -> Entrant:
    """Make an entrant official, unofficial or a baseline; refuses what entry.set_kind does."""
    with _boards_follow(entrant.competition_id, now):
        return entry.set_kind(actor=actor, entrant=entrant, kind=kind, reason=reason, now=now)


def disqualify(*, actor: User, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Disqualify an entrant, whose line stays on the boards; refuses what entry.disqualify does."""
    with _boards_follow(entrant.competition_id, now):
        return entry.disqualify(actor=actor, entrant=entrant, reason=reason, now=now)


def reinstate(*, actor: User, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Take a disqualification or withdrawal back; refuses what entry.reinstate does."""
    with _boards_follow(entrant.competition_id, now):
        return entry.reinstate(actor=actor, entrant=entrant, reason=reason, now=now)


def move_deadline(
    *, actor: User, phase: Phase, field: str, new: datetime | None, reason: str, now: datetime
) -> Phase:
    """Move a date of a phase; refuses what competition.services.deadlines.move does."""
    with _boards_follow(phase.track.competition_id, now):
        return deadlines.move(
            actor=actor, phase=phase, field=field, new=new, reason=reason, now=now
        )


@contextmanager
def _boards_follow(competition_id: int, now: datetime) -> Iterator[None]:
    """Mark the competition's boards in the transaction of the act; the log entry comes last."""
    with audit.audited():
        yield
        boards.want_rebuild_of_competition(competition_id=competition_id, now=now)
