"""How a person stands to a competition, as pages need it: what to do next, which teams could enter."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from accounts.enums import TeamRole
from accounts.models import Team, User
from competition.calendar import phases_of, season
from competition.enums import EntrantState
from competition.guidance import Situation
from competition.models import Competition, Entrant, EntrantMember
from competition.queries import entrant_of, has_accepted_terms
from competition.rules import is_organizer


def led_teams(user: User) -> QuerySet[Team]:
    """Return the teams that the person is a captain of."""
    mine = user.memberships.filter(role=TeamRole.CAPTAIN, left_at__isnull=True)
    return Team.objects.filter(pk__in=mine.values("team_id"))


def could_join(entrant: Entrant) -> QuerySet[User]:
    """Return the members of the entrant's team who are in no entrant of the competition yet."""
    team = User.objects.filter(memberships__team=entrant.team_id, memberships__left_at__isnull=True)
    taken = EntrantMember.objects.filter(competition=entrant.competition_id, left_at__isnull=True)
    return team.exclude(pk__in=taken.values("user_id")).order_by("name", "pk")


def joinable(user: User, competition: Competition) -> Entrant | None:
    """Return the standing entrant of a team the person is in, without taking part yet."""
    teams = user.memberships.filter(left_at__isnull=True).values("team_id")
    standing = competition.entrants.filter(
        team__in=teams, state__in=[EntrantState.PENDING, EntrantState.ACCEPTED]
    )
    return standing.select_related("team").first()


def situation(user: User | None, competition: Competition, now: datetime) -> Situation:
    """Return all that decides what the viewer should do next."""
    current = season(phases_of(competition), now)
    if user is None:
        return Situation(person=None, season=current)
    entrant = entrant_of(user, competition)
    team_roles = set() if entrant else _team_roles(user)
    return Situation(
        person=user,
        season=current,
        is_organizer=is_organizer(user, competition),
        entrant=entrant,
        has_terms=has_accepted_terms(user, competition),
        leads_team=TeamRole.CAPTAIN in team_roles,
        is_in_team=bool(team_roles),
        joinable=joinable(user, competition) if team_roles else None,
    )


def _team_roles(user: User) -> set[str]:
    return set(user.memberships.filter(left_at__isnull=True).values_list("role", flat=True))
