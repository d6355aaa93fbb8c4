"""What every service of ratings asks first: which protocol, which rater, and under which lock.

Order of locks: protocol, rater, slot, task.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import Competition
from grading.enums import ProtocolState, RaterState
from grading.models import Rater, RatingProtocol
from grading.prepared import prepared
from grading.scoring.rating.settings import ProtocolSettings, read_settings
from grading.services.final import marks
from grading.services.ratings import errors

AT_WORK = ("opening", "selection")
"""What claims and answers read of a protocol."""
ENDED = (RaterState.EXCLUDED, RaterState.WITHDRAWN)


def competition_of(protocol: RatingProtocol) -> Competition:
    """Return the competition that a protocol belongs to."""
    return protocol.selection.phase.track.competition


def settings_of(protocol: RatingProtocol) -> ProtocolSettings:
    """Return a protocol's numbers: those of its opening once it has opened."""
    if protocol.state == ProtocolState.DRAFT:
        return read_settings(protocol.settings)
    return read_settings(protocol.opening.settings)


def lock_protocol(protocol: RatingProtocol) -> RatingProtocol:
    """Return the protocol's row, locked until the transaction ends."""
    rows = RatingProtocol.objects.select_for_update(of=("self",), no_key=True).select_related(
        "selection__phase__track__competition"
    )
    found: RatingProtocol = rows.get(pk=protocol.pk)
    return found


def lock_rater(rater_id: int, actor: User, *, even_excluded: bool = False) -> Rater:
    """Return the actor's place among the raters, locked. Refuses RaterUnknown, RaterEnded.

    The protocol is read after the lock: closing it takes the locks of all raters.
    """
    found = lock_place(rater_id, actor, even_excluded=even_excluded)
    found.protocol = protocols().get(pk=found.protocol_id)
    return found


def lock_at_work(rater_id: int, actor: User) -> Rater:
    """Return what `lock_rater` does, its protocol with what an answer asks for and no more."""
    found = lock_place(rater_id, actor)
    (found.protocol,) = _at_work(found.protocol_id)
    return found


def lock_place(rater_id: int, actor: User, *, even_excluded: bool = False) -> Rater:
    """Return the actor's place, locked, its protocol still to be read. Refuses as `lock_rater` does."""
    found = _own_place.first(rater_id, actor.pk)
    if found is None:
        raise errors.RaterUnknown(_("You do not rate here."))
    if found.state in ENDED and not (even_excluded and found.state == RaterState.EXCLUDED):
        raise errors.RaterEnded(_("You do not take part in this rating any more."))
    found.user = actor
    return found


@prepared
def _own_place(rater: int, user: int) -> QuerySet[Rater]:
    return Rater.objects.select_for_update(no_key=True).filter(pk=rater, user=user)


@prepared
def _at_work(protocol: int) -> QuerySet[RatingProtocol]:
    return RatingProtocol.objects.filter(pk=protocol).select_related(*AT_WORK)


def protocols() -> QuerySet[RatingProtocol]:
    """Return protocols with what services ask of them."""
    return RatingProtocol.objects.select_related("opening", "selection__phase__track__competition")


def require_open(protocol: RatingProtocol) -> None:
    """Raise ProtocolNotOpen unless raters may rate now."""
    if protocol.state != ProtocolState.OPEN:
        raise not_open()


def not_open() -> errors.ProtocolNotOpen:
    """Return the refusal that says that nothing can be rated at the moment."""
    return errors.ProtocolNotOpen(_("The rating is not open at the moment."))


def record(
    protocol: RatingProtocol, kind: str, actor: User | None, now: datetime, **payload: object
) -> None:
    """Write what happened into the competition's log; inside the caller's block."""
    audit.record(
        scope=competition_of(protocol).audit_scope,
        kind=kind,
        actor=actor,
        target=f"rating:{protocol.code}",
        payload=payload,
        now=now,
    )


def note_change(protocol: RatingProtocol, now: datetime) -> None:
    """Tell the final board that marks which count came or went; last in the caller's transaction."""
    marks.note_change(phase_id=protocol.selection.phase_id, now=now)
