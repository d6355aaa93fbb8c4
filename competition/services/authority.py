"""What the services of competitions ask before they act."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.names import accepted_line
from competition.enums import EntrantKind, MemberRole, Role
from competition.models import Competition, Entrant, EntrantMember, RoleGrant
from competition.rules import is_organizer
from competition.services.errors import (
    ConflictOfInterest,
    NotCaptain,
    NotOrganizer,
    ReasonMissing,
)

REASON_LIMIT = 300


def require_organizer(actor: User | None, competition: Competition) -> None:
    """Raise NotOrganizer unless the actor organizes the competition, or is the server itself (None)."""
    if actor is not None and not is_organizer(actor, competition):
        raise NotOrganizer(_("Only an organizer of this competition can do this."))


def require_captain(actor: User, entrant: Entrant) -> None:
    """Raise NotCaptain unless the actor is a captain of the entrant."""
    places = entrant.members.filter(user=actor, left_at__isnull=True, role=MemberRole.CAPTAIN)
    if not places.exists():
        raise NotCaptain(_("Only a captain of the team can do this."))


def require_reason(reason: str) -> str:
    """Return the reason as it is kept; raises ReasonMissing, NameInvalid."""
    text = accepted_line(reason, limit=REASON_LIMIT, field="reason")
    if not text:
        raise ReasonMissing(_("Give a reason; it is kept in the history."), field="reason")
    return text


def require_no_interest(entrant: Entrant, users: list[User]) -> None:
    """Raise ConflictOfInterest when an overseer would be a member of an official entrant.

    Locks the people: a role that is granted in the same instant waits.
    """
    if entrant.kind != EntrantKind.OFFICIAL:
        return
    lock_people(users)
    grants = RoleGrant.objects.filter(
        competition=entrant.competition,
        user__in=users,
        role__in=[Role.ORGANIZER, Role.AUDITOR],
        revoked_at__isnull=True,
    )
    holder = grants.select_related("user").first()
    if holder is not None:
        raise ConflictOfInterest(
            _("%(name)s oversees this competition and cannot be in an official entry.")
            % {"name": holder.user.name}
        )


def lock_people(users: list[User]) -> None:
    """Lock the rows of people, in one order, until the transaction ends."""
    rows = User.objects.select_for_update().filter(pk__in=[user.pk for user in users])
    list(rows.order_by("pk").values_list("pk"))


def place_of(entrant: Entrant, user: User) -> EntrantMember | None:
    """Return the person's active place in the entrant."""
    return entrant.members.filter(user=user, left_at__isnull=True).first()
