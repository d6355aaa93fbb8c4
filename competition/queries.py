"""What pages and other services read of competitions, with a bounded number of statements."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat

from accounts.models import AuditEvent, User
from competition.enums import BoardVisibility, ClipSource, EntrantState, Role
from competition.models import (
    Competition,
    Entrant,
    EntrantMember,
    EntrantMerge,
    Phase,
    PhaseDraw,
    RoleGrant,
    Terms,
    TermsAcceptance,
)
from competition.models.querysets import OVERSEERS, Viewer, administers, granted
from competition.rules import can_see_phase, is_overseer
from competition.timeline import is_closed


def entrant_of(user: Viewer, competition: Competition) -> Entrant | None:
    """Return the entrant that the person is an active member of, its team loaded."""
    if not isinstance(user, User):
        return None
    places = EntrantMember.objects.filter(competition=competition, user=user, left_at__isnull=True)
    place = places.select_related("entrant__team", "entrant__competition").first()
    return place.entrant if place else None


def members_of(entrant: Entrant) -> QuerySet[EntrantMember]:
    """Return the active members with their people, captains first."""
    places = entrant.members.filter(left_at__isnull=True).select_related("user")
    return places.order_by("role", "joined_at", "pk")


def stands_for(entrant_id: int) -> set[int]:
    """Return the keys of the entrant and of all that went into it: what they did and were given is its."""
    taken_in = EntrantMerge.objects.filter(kept=entrant_id).values_list("merged_id", flat=True)
    return {entrant_id, *taken_in}


def heirs(competition: Competition) -> dict[int, int]:
    """Return, by the key of each entrant that went into another, the key of the one that stands for it."""
    rows = EntrantMerge.objects.filter(competition=competition)
    pairs = list(rows.values_list("merged_id", "kept_id"))
    gone = {merged for merged, _kept in pairs}
    return {merged: kept for merged, kept in pairs if kept not in gone}


def roles_of(user: Viewer, competition: Competition) -> set[Role]:
    """Return the roles that the person holds in the competition."""
    if not isinstance(user, User):
        return set()
    grants = competition.grants.filter(user=user, revoked_at__isnull=True)
    return {Role(role) for role in grants.values_list("role", flat=True)}


def role_holders(competition: Competition) -> QuerySet[RoleGrant]:
    """Return the living grants with their people, by role and name."""
    grants = competition.grants.filter(revoked_at__isnull=True).select_related("user")
    return grants.order_by("role", "user__name", "pk")


def current_terms(competition: Competition) -> Terms | None:
    """Return the version of the terms that is in force."""
    return competition.terms.filter(version=competition.terms_version).first()


def has_accepted_terms(user: Viewer, competition: Competition) -> bool:
    """Return whether the person has accepted the terms that are in force."""
    if not isinstance(user, User):
        return False
    return TermsAcceptance.objects.filter(
        user=user,
        terms__competition=competition,
        terms__version=competition.terms_version,
    ).exists()


def has_draw(phase: Phase) -> bool:
    """Return whether the clips of the phase were drawn."""
    return PhaseDraw.objects.filter(phase=phase.pk).exists()


def awaits_draw(phase: Phase) -> bool:
    """Return whether the phase's clips are yet to be drawn: until then nothing can be sent to it."""
    return phase.clips == ClipSource.DRAWN and not has_draw(phase)


def may_see_board(user: Viewer, phase: Phase, now: datetime) -> bool:
    """Return whether the person sees the phase's board now.

    Once the phase has closed all do, unless an organizer took the board down.
    """
    competition = phase.track.competition
    if not can_see_phase(user, phase):
        return False
    if phase.hidden_at is not None:
        return is_overseer(user, competition)
    if phase.board_visibility == BoardVisibility.PUBLIC or is_closed(phase, now):
        return True
    if is_overseer(user, competition):
        return True
    if phase.board_visibility == BoardVisibility.ORGANIZERS:
        return False
    entrant = entrant_of(user, competition)
    return entrant is not None and entrant.state == EntrantState.ACCEPTED


def events_visible_to(user: Viewer) -> QuerySet[AuditEvent]:
    """Return the audit events that the person may read: those of competitions they oversee."""
    events = AuditEvent.objects.select_related("chain")
    if administers(user):
        return events
    overseen = Competition.objects.filter(pk__in=granted(user, OVERSEERS))
    scopes = overseen.annotate(scope=Concat(Value("competition:"), F("code"))).values("scope")
    return events.filter(chain__scope__in=scopes)
