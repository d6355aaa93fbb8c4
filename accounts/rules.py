"""Who may see what of accounts: predicates of (user, object). They agree with `visible_to`."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from accounts.enums import TeamRole
from accounts.models import Team, User


def is_in_team(user: User | AnonymousUser | None, team: Team) -> bool:
    """Return whether the person is a member of the team now."""
    return _holds(user, team, *TeamRole)


def is_team_captain(user: User | AnonymousUser | None, team: Team) -> bool:
    """Return whether the person is a captain of the team now."""
    return _holds(user, team, TeamRole.CAPTAIN)


def can_see_team(user: User | AnonymousUser | None, team: Team) -> bool:
    """Return whether the person may open the team's page: its members, and administrators."""
    if isinstance(user, User) and user.is_active and user.is_superuser:
        return True
    return is_in_team(user, team)


def _holds(user: User | AnonymousUser | None, team: Team, *roles: TeamRole) -> bool:
    if not isinstance(user, User) or not user.is_active:
        return False
    return team.memberships.filter(user=user, role__in=roles, left_at__isnull=True).exists()
