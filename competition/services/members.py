"""The people of an entrant: one active entrant per person and competition."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import TeamMembership, User
from accounts.services import audit
from accounts.services.membership import place_of as team_place
from accounts.services.membership import require_verified
from competition.enums import EntrantState, MemberRole
from competition.models import Entrant, EntrantChange, EntrantMember
from competition.rules import is_organizer
from competition.services.authority import (
    place_of,
    require_captain,
    require_no_interest,
    require_reason,
)
from competition.services.errors import (
    AlreadyEntered,
    EntrantOut,
    LastCaptain,
    MembersFixed,
    NotAMember,
    NotInTeam,
)

MEMBER = "member"
"""The field of a history row that says who was taken out."""
STANDING = (EntrantState.PENDING, EntrantState.ACCEPTED)


def place_people(entrant: Entrant, places: Iterable[TeamMembership], now: datetime) -> None:
    """Make everybody of the team a member, captains as captains; the caller has a transaction.

    Refuses AlreadyEntered, ConflictOfInterest.
    """
    listed = list(places)
    require_no_interest(entrant, [place.user for place in listed])
    inside = set(entrant.members.filter(left_at__isnull=True).values_list("user_id", flat=True))
    for place in listed:
        if place.user_id not in inside:
            role = MemberRole.CAPTAIN if place.role == TeamRole.CAPTAIN else MemberRole.MEMBER
            _insert(entrant, place.user, role, now)


def add_member(*, actor: User, entrant: Entrant, user: User, now: datetime) -> EntrantMember:
    """Let a member of the team take part too, by a captain, an organizer, or the person.

    Refuses NotCaptain, NotVerified, NotInTeam, EntrantOut, AlreadyEntered, ConflictOfInterest.
    """
    if actor != user and not is_organizer(actor, entrant.competition):
        require_captain(actor, entrant)
    require_verified(user)
    with audit.audited():
        locked = _lock(entrant)
        if locked.state not in STANDING:
            raise EntrantOut(_("This entry does not stand any more."), state=locked.state)
        if team_place(locked.team, user) is None:
            raise NotInTeam(_("This person is not in the team. Invite them to the team first."))
        require_no_interest(locked, [user])
        member = _insert(locked, user, MemberRole.MEMBER, now)
        _tell("entrant.member-added", actor, locked, now, person=audit.person(user))
    return member


def remove_member(
    *, actor: User, entrant: Entrant, user: User, now: datetime, reason: str = ""
) -> None:
    """Take a person out: a captain before the first charge, an organizer at any time with a reason.

    Refuses NotCaptain, NotAMember, MembersFixed, LastCaptain, ReasonMissing.
    """
    is_act = is_organizer(actor, entrant.competition)
    if is_act:
        require_reason(reason)
    else:
        require_captain(actor, entrant)
    with audit.audited():
        locked = _lock(entrant)
        if not is_act:
            _require_movable(locked)
        _end(locked, user, now)
        if is_act:
            _keep(locked, actor, user, reason.strip(), now)
        payload = {"person": audit.person(user), "reason": audit.keyed_hash(reason)}
        _tell("entrant.member-removed", actor, locked, now, **payload)


def leave(*, actor: User, entrant: Entrant, now: datetime) -> None:
    """Leave the entrant, before its first charge. Refuses NotAMember, MembersFixed, LastCaptain."""
    with audit.audited():
        locked = _lock(entrant)
        _require_movable(locked)
        _end(locked, actor, now)
        _tell("entrant.member-left", actor, locked, now, person=audit.person(actor))


def set_member_role(
    *, actor: User, entrant: Entrant, user: User, role: MemberRole, now: datetime
) -> EntrantMember:
    """Make a member captain, or a captain member. Refuses NotCaptain, NotAMember, LastCaptain."""
    if not is_organizer(actor, entrant.competition):
        require_captain(actor, entrant)
    with audit.audited():
        locked = _lock(entrant)
        place = _place(locked, user)
        if role != MemberRole.CAPTAIN:
            _require_other_captain(locked, place)
        place.role = role
        place.save(update_fields=["role"])
        payload = {"person": audit.person(user), "role": str(role)}
        _tell("entrant.role-changed", actor, locked, now, **payload)
    return place


def _insert(entrant: Entrant, user: User, role: MemberRole, now: datetime) -> EntrantMember:
    try:
        with transaction.atomic():
            return EntrantMember.objects.create(
                entrant=entrant,
                competition=entrant.competition,
                user=user,
                role=role,
                joined_at=now,
            )
    except IntegrityError as error:
        raise AlreadyEntered(
            _("%(name)s takes part in this competition already.") % {"name": user.name},
            person=user.code,
        ) from error


def _end(entrant: Entrant, user: User, now: datetime) -> None:
    place = _place(entrant, user)
    if entrant.members.filter(left_at__isnull=True).exclude(pk=place.pk).exists():
        _require_other_captain(entrant, place)
    place.left_at = now
    place.save(update_fields=["left_at"])


def _keep(entrant: Entrant, actor: User, user: User, reason: str, now: datetime) -> None:
    """Keep an organizer's reason in the entrant's history; it is shown to its people alone."""
    EntrantChange.objects.create(
        entrant=entrant, field=MEMBER, old=user.code, new="", reason=reason, actor=actor, at=now
    )


def _place(entrant: Entrant, user: User) -> EntrantMember:
    place = place_of(entrant, user)
    if place is None:
        raise NotAMember(_("This person does not take part with this team."))
    return place


def _require_movable(entrant: Entrant) -> None:
    if entrant.charged_at is not None:
        raise MembersFixed(
            _("A submission of this team has been counted. Only an organizer can take people out.")
        )


def _require_other_captain(entrant: Entrant, place: EntrantMember) -> None:
    captains = entrant.members.filter(left_at__isnull=True, role=MemberRole.CAPTAIN)
    if not captains.exclude(pk=place.pk).exists():
        raise LastCaptain(_("A team needs a captain. Make somebody else captain first."))


def _lock(entrant: Entrant) -> Entrant:
    rows = Entrant.objects.select_for_update(of=("self",)).select_related("competition", "team")
    return rows.get(pk=entrant.pk)


def _tell(kind: str, actor: User, entrant: Entrant, now: datetime, **payload: object) -> None:
    audit.record(
        scope=entrant.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"entrant:{entrant.code}",
        payload=payload,
        now=now,
    )
