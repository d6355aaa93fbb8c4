"""Teams: people who enter competitions together, invited by e-mail."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import Team, TeamMembership, User
from accounts.names import fold
from accounts.services import audit
from accounts.services.errors import (
    LastCaptain,
    NameTaken,
    NotCaptain,
    NotInTeam,
    NotVerified,
    TooManyOpen,
)
from accounts.services.invitations import (
    accept_invitation,
    find_invitation,
    invite,
    revoke_invitation,
)
from accounts.services.membership import lock_team, place_of, require_captain, require_verified
from accounts.services.names import accepted_line, accepted_name

__all__ = [
    "NotCaptain",
    "NotVerified",
    "accept_invitation",
    "create_team",
    "find_invitation",
    "invite",
    "leave_team",
    "remove_member",
    "rename_team",
    "revoke_invitation",
    "set_role",
]

NAME_LIMIT = 80
AFFILIATION_LIMIT = 160
TEAMS_LIMIT = 20


def create_team(*, actor: User, name: str, affiliation: str, now: datetime) -> Team:
    """Make a team with the actor as its captain.

    Refuses NotVerified, NameInvalid, NameTaken (also a name that looks like another team's),
    TooManyOpen.
    """
    require_verified(actor)
    team = Team(created_at=now)
    _name(team, name, affiliation)
    with audit.audited():
        User.objects.select_for_update().get(pk=actor.pk)
        _require_room(actor)
        _save(team)
        TeamMembership.objects.create(team=team, user=actor, role=TeamRole.CAPTAIN, joined_at=now)
        _tell("team.created", actor, team, now)
    return team


def rename_team(*, actor: User, team: Team, name: str, affiliation: str, now: datetime) -> Team:
    """Change name and affiliation. Refuses NotCaptain, NameInvalid, NameTaken."""
    with audit.audited():
        locked = lock_team(team)
        require_captain(locked, actor)
        _name(locked, name, affiliation)
        _save(locked)
        _tell("team.renamed", actor, team, now)
    return locked


def remove_member(*, actor: User, team: Team, user: User, now: datetime) -> None:
    """Take a member out of the team. Refuses NotCaptain, NotInTeam, LastCaptain."""
    with audit.audited():
        locked = lock_team(team)
        require_captain(locked, actor)
        _end(locked, user, now)
        _tell("team.member-removed", actor, team, now, person=audit.person(user))


def leave_team(*, actor: User, team: Team, now: datetime) -> None:
    """Leave the team. Refuses NotInTeam, and LastCaptain while others stay without a captain."""
    with audit.audited():
        _end(lock_team(team), actor, now)
        _tell("team.member-left", actor, team, now)


def set_role(
    *, actor: User, team: Team, user: User, role: TeamRole, now: datetime
) -> TeamMembership:
    """Make a member captain, or a captain member. Refuses NotCaptain, NotInTeam, LastCaptain."""
    with audit.audited():
        locked = lock_team(team)
        require_captain(locked, actor)
        place = _place(locked, user)
        if role != TeamRole.CAPTAIN:
            _require_other_captain(locked, user)
        place.role = role
        place.save(update_fields=["role"])
        payload = {"person": audit.person(user), "role": str(role)}
        _tell("team.role-changed", actor, team, now, **payload)
    return place


def _name(team: Team, name: str, affiliation: str) -> None:
    team.name = accepted_name(name, limit=NAME_LIMIT)
    team.name_key = fold(team.name)
    team.affiliation = accepted_line(affiliation, limit=AFFILIATION_LIMIT, field="affiliation")


def _save(team: Team) -> None:
    taken = NameTaken(
        _("Another team has this name, or one that looks the same. Choose another."), field="name"
    )
    if Team.objects.filter(name_key=team.name_key).exclude(pk=team.pk).exists():
        raise taken
    try:
        team.save()
    except IntegrityError as error:  # two at once: the constraint on name_key let the first one in
        raise taken from error


def _require_room(actor: User) -> None:
    if actor.memberships.filter(left_at__isnull=True).count() >= TEAMS_LIMIT:
        raise TooManyOpen(
            _("You are in %(limit)s teams. Leave one first.") % {"limit": TEAMS_LIMIT},
            limit=TEAMS_LIMIT,
        )


def _end(team: Team, user: User, now: datetime) -> None:
    place = _place(team, user)
    if team.memberships.filter(left_at__isnull=True).exclude(pk=place.pk).exists():
        _require_other_captain(team, user)
    place.left_at = now
    place.save(update_fields=["left_at"])


def _place(team: Team, user: User) -> TeamMembership:
    place = place_of(team, user)
    if place is None:
        raise NotInTeam(_("This person is not in the team."))
    return place


def _require_other_captain(team: Team, user: User) -> None:
    captains = team.memberships.filter(left_at__isnull=True, role=TeamRole.CAPTAIN)
    if not captains.exclude(user=user).exists():
        raise LastCaptain(_("A team needs a captain. Make somebody else captain first."))


def _tell(kind: str, actor: User, team: Team, now: datetime, **payload: object) -> None:
    audit.record(kind=kind, actor=actor, target=f"team:{team.code}", payload=payload, now=now)
