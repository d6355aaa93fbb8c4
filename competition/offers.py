"""Where a team takes part and what it could enter, as the team's own page shows it."""

from __future__ import annotations

from datetime import datetime

from accounts.models import Team, User
from competition.enums import CompetitionState
from competition.models import Competition, Entrant


def entries_of(team: Team, user: User) -> list[Entrant]:
    """Return the team's entrants in competitions that the person may see, the latest first."""
    visible = Competition.objects.visible_to(user)
    found = Entrant.objects.filter(team=team, competition__in=visible.values("pk"))
    return list(found.select_related("competition").order_by("-registered_at", "-pk"))


def enterable(team: Team, user: User, now: datetime) -> list[Competition]:
    """Return the open and coming competitions that neither the team nor the person is in."""
    visible = Competition.objects.visible_to(user).filter(state=CompetitionState.PUBLISHED)
    running = visible.filter(tracks__phases__closes_at__gt=now).distinct()
    places = user.entries.filter(left_at__isnull=True).values("competition_id")
    free = running.exclude(entrants__team=team).exclude(pk__in=places)
    return list(free.prefetch_related("tracks__phases").order_by("slug"))
