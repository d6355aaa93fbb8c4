"""Who is in which team, as pages and lists need it: few queries, whatever the number of rows."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, Prefetch, Q, QuerySet

from accounts.models import Team, TeamInvitation, TeamMembership, User


def memberships_of(user: User) -> QuerySet[TeamMembership]:
    """Return a person's places in teams, by team name, with the team and its `member_count`."""
    taken = Q(memberships__left_at__isnull=True)
    teams = Team.objects.annotate(member_count=Count("memberships", filter=taken))
    return (
        user.memberships.filter(left_at__isnull=True)
        .prefetch_related(Prefetch("team", queryset=teams))
        .order_by("team__name_key")
    )


def members_of(team: Team) -> QuerySet[TeamMembership]:
    """Return the places of a team that are taken, captains first, with their people."""
    places = team.memberships.filter(left_at__isnull=True).select_related("user")
    return places.order_by("role", "joined_at", "pk")


def open_invitations(team: Team, now: datetime) -> QuerySet[TeamInvitation]:
    """Return the invitations that can still be accepted, newest first."""
    waiting = team.invitations.filter(
        accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=now
    )
    return waiting.order_by("-created_at", "-pk")
