"""Invitations to a team: the secret is mailed, only its digest is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import Team, TeamInvitation, TeamMembership, User
from accounts.services import audit, links, mails
from accounts.services.errors import (
    AlreadyInTeam,
    InvitationElsewhere,
    InvitationInvalid,
    TooManyOpen,
)
from accounts.services.membership import lock_team, place_of, require_captain, require_verified
from accounts.services.names import accepted_email

LIFETIME = timedelta(days=14)
OPEN_LIMIT = 30


def invite(*, actor: User, team: Team, email: str, now: datetime) -> tuple[TeamInvitation, str]:
    """Mail an invitation that replaces an earlier one to the same address; returns it and its secret.

    Refuses NotVerified, NotCaptain, EmailInvalid, AlreadyInTeam, TooManyOpen.
    """
    require_verified(actor)
    address = accepted_email(email)
    secret = secrets.token_urlsafe(24)
    with audit.audited():
        locked = lock_team(team)
        require_captain(locked, actor)
        _require_outside(locked, address)
        _replace_earlier(locked, address, now)
        invitation = TeamInvitation.objects.create(
            team=locked,
            email=address,
            secret_digest=_digest(secret),
            invited_by=actor,
            created_at=now,
            expires_at=now + LIFETIME,
        )
        _tell("invitation.created", actor, invitation, now, email=audit.keyed_hash(address))
        _mail(invitation, secret)
    return invitation, secret


def find_invitation(*, secret: str, now: datetime) -> TeamInvitation:
    """Return the open invitation with this secret. Refuses InvitationInvalid."""
    invitation = (
        TeamInvitation.objects.select_related("team", "invited_by")
        .filter(
            secret_digest=_digest(secret),
            accepted_at__isnull=True,
            revoked_at__isnull=True,
            expires_at__gt=now,
        )
        .first()
    )
    if invitation is None:
        raise InvitationInvalid(
            _("This invitation does not work (any more). Ask the team's captain for a new one.")
        )
    return invitation


def accept_invitation(*, actor: User, secret: str, now: datetime) -> TeamMembership:
    """Join the team as a member; returns the person's place.

    Refuses NotVerified, InvitationInvalid, InvitationElsewhere, AlreadyInTeam.
    """
    require_verified(actor)
    with audit.audited():
        invitation = find_invitation(secret=secret, now=now)
        team = lock_team(invitation.team)
        if invitation.email != actor.email:
            raise InvitationElsewhere(
                _("This invitation was sent to another address than yours. Ask for one to yours.")
            )
        if place_of(team, actor):
            raise AlreadyInTeam(_("You are in this team already."))
        _close(invitation, actor, now)
        place = TeamMembership.objects.create(
            team=team, user=actor, role=TeamRole.MEMBER, joined_at=now
        )
        _tell("invitation.accepted", actor, invitation, now)
    return place


def revoke_invitation(*, actor: User, invitation: TeamInvitation, now: datetime) -> None:
    """Take an invitation back; twice changes nothing. Refuses NotCaptain."""
    with audit.audited():
        require_captain(lock_team(invitation.team), actor)
        rows = TeamInvitation.objects.filter(
            pk=invitation.pk, accepted_at__isnull=True, revoked_at__isnull=True
        )
        if rows.update(revoked_at=now):
            _tell("invitation.revoked", actor, invitation, now)


def _close(invitation: TeamInvitation, actor: User, now: datetime) -> None:
    rows = TeamInvitation.objects.filter(
        pk=invitation.pk, accepted_at__isnull=True, revoked_at__isnull=True
    )
    if not rows.update(accepted_at=now, accepted_by=actor):
        raise InvitationInvalid(_("This invitation was used or taken back a moment ago."))


def _require_outside(team: Team, address: str) -> None:
    if team.memberships.filter(user__email=address, left_at__isnull=True).exists():
        raise AlreadyInTeam(_("This person is in the team already."), field="email")


def _replace_earlier(team: Team, address: str, now: datetime) -> None:
    waiting = team.invitations.filter(
        accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=now
    )
    waiting.filter(email=address).update(revoked_at=now)
    if waiting.count() >= OPEN_LIMIT:
        raise TooManyOpen(
            _("%(limit)s invitations are open. Take one back first.") % {"limit": OPEN_LIMIT},
            limit=OPEN_LIMIT,
        )


def _mail(invitation: TeamInvitation, secret: str) -> None:
    known = User.objects.filter(email=invitation.email).first()
    mails.send(
        to=invitation.email,
        language=(known or invitation.invited_by).language,
        template="accounts/mail/invitation",
        context={
            "team": invitation.team,
            "inviter": invitation.invited_by,
            "link": links.address("invitation-accept", secret),
            "days": LIFETIME.days,
        },
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _tell(
    kind: str, actor: User, invitation: TeamInvitation, now: datetime, **payload: object
) -> None:
    audit.record(
        kind=kind,
        actor=actor,
        target=f"team:{invitation.team.code}",
        payload={"invitation": invitation.code, **payload},
        now=now,
    )
