"""Who may do and see what in a competition: predicates of (user, object). They agree with `visible_to`."""

from __future__ import annotations

from django.db.models import Q

from accounts.models import AuditEvent, User
from accounts.services.audit import SITE
from competition.enums import Role
from competition.models import Competition, Entrant, Phase, ReferenceVersion, Track
from competition.models.querysets import (
    OVERSEERS,
    PUBLIC_COMPETITIONS,
    PUBLIC_ENTRANTS,
    Viewer,
    administers,
)


def has_role(user: Viewer, competition: Competition, *roles: Role) -> bool:
    """Return whether the person holds one of the roles in the competition."""
    if not isinstance(user, User) or not user.is_active:
        return False
    grants = competition.grants.filter(user=user, role__in=roles, revoked_at__isnull=True)
    return grants.exists()


def is_organizer(user: Viewer, competition: Competition) -> bool:
    """Return whether the person may act for the competition: its organizer, or an administrator."""
    return administers(user) or has_role(user, competition, Role.ORGANIZER)


def is_auditor(user: Viewer, competition: Competition) -> bool:
    """Return whether the person reads everything of the log and changes nothing."""
    return has_role(user, competition, Role.AUDITOR)


def is_overseer(user: Viewer, competition: Competition) -> bool:
    """Return whether the person organizes or audits the competition, or administers the site."""
    return administers(user) or has_role(user, competition, *OVERSEERS)


def is_member(user: Viewer, entrant: Entrant) -> bool:
    """Return whether the person is an active member of the entrant, or of the one that it went into."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.entries.filter(
        Q(entrant=entrant) | Q(entrant__taken_in__merged=entrant), left_at__isnull=True
    ).exists()


def can_see_competition(user: Viewer, competition: Competition) -> bool:
    """Return whether the person may know of the competition."""
    return competition.state in PUBLIC_COMPETITIONS or is_overseer(user, competition)


def can_see_track(user: Viewer, track: Track) -> bool:
    """Return whether the person may know of the track."""
    return can_see_competition(user, track.competition)


def can_see_phase(user: Viewer, phase: Phase) -> bool:
    """Return whether the person may know of the phase."""
    return can_see_competition(user, phase.track.competition)


def can_see_entrant(user: Viewer, entrant: Entrant) -> bool:
    """Return whether the person may know of the entrant."""
    if entrant.state in PUBLIC_ENTRANTS and can_see_competition(user, entrant.competition):
        return True
    return is_overseer(user, entrant.competition) or is_member(user, entrant)


def can_see_references(user: Viewer, references: ReferenceVersion) -> bool:
    """Return whether the person may see hidden references: organizers alone."""
    return is_organizer(user, references.track.competition)


def can_see_event(user: Viewer, event: AuditEvent) -> bool:
    """Return whether the person may read the event: overseers of its competition, administrators."""
    if administers(user):
        return True
    scope = event.chain.scope
    if scope == SITE:
        return False
    competition = Competition.objects.filter(code=scope.removeprefix("competition:")).first()
    return competition is not None and is_overseer(user, competition)
