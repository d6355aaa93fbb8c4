"""What the services of teams ask of people and their places."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import Team, TeamMembership, User
from accounts.services.errors import NotCaptain, NotVerified


def lock_team(team: Team) -> Team:
    """Return the team's row, locked: its places change one at a time."""
    return Team.objects.select_for_update().get(pk=team.pk)


def place_of(team: Team, user: User) -> TeamMembership | None:
    """Return the place that a person holds in the team now."""
    return team.memberships.filter(user=user, left_at__isnull=True).first()


def require_captain(team: Team, user: User) -> None:
    """Raise NotCaptain unless the person is a captain of the team."""
    place = place_of(team, user)
    if place is None or place.role != TeamRole.CAPTAIN:
        raise NotCaptain(_("Only a captain of the team can do this."))


def require_verified(user: User) -> None:
    """Raise NotVerified unless the person has confirmed the e-mail address."""
    if not user.is_verified:
        raise NotVerified(
            _("Confirm your e-mail address first: open the link in the mail that we sent you.")
        )
