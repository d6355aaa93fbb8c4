"""Organizers, auditors and raters of one competition."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantKind, Role
from competition.models import Competition, EntrantMember, RoleGrant
from competition.services.authority import lock_people, require_organizer
from competition.services.errors import ConflictOfInterest, RoleHeld


def grant(
    *, actor: User | None, competition: Competition, user: User, role: Role, now: datetime
) -> RoleGrant:
    """Give a person a role in the competition.

    Refuses NotOrganizer, RoleHeld, and ConflictOfInterest for an organizer or auditor who is a
    member of an official entrant.
    """
    require_organizer(actor, competition)
    with audit.audited():
        lock_people([user])
        if role != Role.RATER:
            _require_outside(competition, user)
        held = competition.grants.filter(user=user, role=role, revoked_at__isnull=True)
        if held.exists():
            raise RoleHeld(_("This person has the role already."))
        made = RoleGrant.objects.create(
            competition=competition, user=user, role=role, granted_at=now
        )
        _tell("role.granted", actor, made, now)
    return made


def revoke(*, actor: User | None, grant: RoleGrant, now: datetime) -> RoleGrant:
    """Take a role back; the row stays, twice changes nothing. Refuses NotOrganizer."""
    require_organizer(actor, grant.competition)
    with audit.audited():
        rows = RoleGrant.objects.filter(pk=grant.pk, revoked_at__isnull=True)
        if rows.update(revoked_at=now):
            _tell("role.revoked", actor, grant, now)
    grant.refresh_from_db()
    return grant


def _require_outside(competition: Competition, user: User) -> None:
    places = EntrantMember.objects.filter(
        competition=competition,
        user=user,
        left_at__isnull=True,
        entrant__kind=EntrantKind.OFFICIAL,
    )
    if places.exists():
        raise ConflictOfInterest(
            _("%(name)s is in an official entry and cannot oversee this competition.")
            % {"name": user.name}
        )


def _tell(kind: str, actor: User | None, given: RoleGrant, now: datetime) -> None:
    audit.record(
        scope=given.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"person:{audit.person(given.user)}",
        payload={"role": str(given.role)},
        now=now,
    )
