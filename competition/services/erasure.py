"""What an account that is erased leaves behind in competitions: its places and roles end."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from competition.enums import CompetitionState, MemberRole, Role
from competition.models import Competition, Entrant, EntrantMember, RoleGrant
from competition.texts import text_of


def lock(actor: User) -> None:
    """Hold the entrants that the person leads and the competitions they organize, in this order."""
    led = EntrantMember.objects.filter(user=actor, left_at__isnull=True, role=MemberRole.CAPTAIN)
    entrants = list(led.order_by("entrant_id").values_list("entrant_id", flat=True))
    list(Entrant.objects.select_for_update().filter(pk__in=entrants).order_by("pk"))
    organized = [one.pk for one in _organized(actor)]
    list(Competition.objects.select_for_update().filter(pk__in=organized).order_by("pk"))


def obstacles(actor: User) -> list[str]:
    """Return, as sentences, what keeps the account for now."""
    led = EntrantMember.objects.filter(user=actor, left_at__isnull=True, role=MemberRole.CAPTAIN)
    entries = [place.entrant for place in led.select_related("entrant__team").order_by("pk")]
    return [
        *(
            _("You are the only captain of %(team)s's entry. Make somebody else captain first.")
            % {"team": entrant.team.name}
            for entrant in entries
            if _needs_captain(entrant, actor)
        ),
        *(
            _("You are the only organizer of “%(title)s”. It needs another one first.")
            % {"title": text_of(competition, "title", get_language() or "en")}
            for competition in _organized(actor)
            if not _organizers(competition).exclude(user=actor).exists()
        ),
    ]


def leave_all(*, actor: User, now: datetime) -> None:
    """End every place and role; the caller has a transaction."""
    EntrantMember.objects.filter(user=actor, left_at__isnull=True).update(left_at=now)
    RoleGrant.objects.filter(user=actor, revoked_at__isnull=True).update(revoked_at=now)


def _needs_captain(entrant: Entrant, actor: User) -> bool:
    others = entrant.members.filter(left_at__isnull=True).exclude(user=actor)
    return others.exists() and not others.filter(role=MemberRole.CAPTAIN).exists()


def _organized(actor: User) -> list[Competition]:
    """Return what the person organizes and what is not over for good, by key."""
    held = actor.grants.filter(role=Role.ORGANIZER, revoked_at__isnull=True)
    found = Competition.objects.filter(pk__in=held.values("competition_id"))
    return list(found.exclude(state=CompetitionState.ARCHIVED).order_by("pk"))


def _organizers(competition: Competition) -> QuerySet[RoleGrant]:
    return competition.grants.filter(
        role=Role.ORGANIZER, revoked_at__isnull=True, user__is_active=True
    )
