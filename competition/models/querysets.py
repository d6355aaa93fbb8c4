"""Rows that a person may see: `visible_to(user)` is the only way for pages and API to get them."""

from __future__ import annotations

from typing import Any, Self, TypeAlias, TypeVar

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet

from accounts.models import User
from competition.enums import CompetitionState, EntrantState, MemberRole, Role

ModelT_co = TypeVar("ModelT_co", bound=Model, covariant=True)

Viewer: TypeAlias = User | AnonymousUser | None
"""Whoever looks: a person, or nobody who is logged in."""

PUBLIC_COMPETITIONS = (CompetitionState.PUBLISHED, CompetitionState.ARCHIVED)
PUBLIC_ENTRANTS = (EntrantState.ACCEPTED, EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)
OVERSEERS = (Role.ORGANIZER, Role.AUDITOR)


def administers(user: Viewer) -> bool:
    """Return whether the person administers the whole site."""
    return isinstance(user, User) and user.is_active and user.is_superuser


def granted(user: Viewer, roles: tuple[Role, ...]) -> QuerySet[Any, Any]:
    """Return the ids of the competitions in which the person holds one of the roles."""
    grants = apps.get_model("competition", "RoleGrant")._default_manager
    if not isinstance(user, User) or not user.is_active:
        return grants.none().values("competition_id")
    return grants.filter(user=user, role__in=roles, revoked_at__isnull=True).values(
        "competition_id"
    )


def _seen(user: Viewer, competition: str) -> Q:
    """Return which competitions a person sees, as a condition on the field of that name."""
    if administers(user):
        return Q()
    prefix = f"{competition}__" if competition else ""
    return Q(**{f"{prefix}state__in": PUBLIC_COMPETITIONS}) | Q(
        **{f"{prefix}pk__in": granted(user, OVERSEERS)}
    )


class CompetitionQuerySet(QuerySet[ModelT_co]):
    """Published and archived ones for everybody; drafts for their organizers and auditors."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the competitions that the person may know of."""
        return self.filter(_seen(user, ""))


class TrackQuerySet(QuerySet[ModelT_co]):
    """Seen like their competition."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the tracks of competitions that the person may know of."""
        return self.filter(_seen(user, "competition"))


class PhaseQuerySet(QuerySet[ModelT_co]):
    """Seen like their competition."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the phases of competitions that the person may know of."""
        return self.filter(_seen(user, "track__competition"))


class EntrantQuerySet(QuerySet[ModelT_co]):
    """Public once accepted, and for good; before that for its members and the overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the entrants that the person may know of."""
        if administers(user):
            return self.all()
        seen = Q(state__in=PUBLIC_ENTRANTS) & _seen(user, "competition")
        if isinstance(user, User) and user.is_active:
            seen |= Q(competition__in=granted(user, OVERSEERS))
            seen |= Q(pk__in=_own(user))
        return self.filter(seen)


class QuestionQuerySet(QuerySet[ModelT_co]):
    """For the asker, the entrant they asked for, and the competition's overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the questions that the person may read with who asked them."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(
            Q(asker=user) | Q(entrant__in=_own(user)) | Q(competition__in=granted(user, OVERSEERS))
        )

    def published(self) -> Self:
        """Return those whose answer everybody reads; their asker is told to nobody."""
        return self.filter(is_public=True)


class ReferenceVersionQuerySet(QuerySet[ModelT_co]):
    """For organizers alone: auditors and participants see no references."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the versions of competitions that the person organizes."""
        if administers(user):
            return self.all()
        return self.filter(track__competition__in=granted(user, (Role.ORGANIZER,)))


class DatasetQuerySet(QuerySet[ModelT_co]):
    """For the competition's overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the datasets of competitions that the person organizes or audits."""
        return self if administers(user) else self.filter(competition__in=granted(user, OVERSEERS))


class DatasetVersionQuerySet(QuerySet[ModelT_co]):
    """For the competition's overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the versions of datasets of competitions that the person organizes or audits."""
        if administers(user):
            return self.all()
        return self.filter(dataset__competition__in=granted(user, OVERSEERS))


class PackQuerySet(QuerySet[ModelT_co]):
    """Those on offer for members of accepted entrants, or of those they are for; all for the overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the packs that the person may know of."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        entrants = apps.get_model("competition", "Entrant")._default_manager
        entered = entrants.filter(pk__in=_own(user), state=EntrantState.ACCEPTED)
        addressed = apps.get_model("competition", "PackAddressee")._default_manager
        keys = entered.values("pk")
        merged = _merges().filter(kept__in=keys).values("merged_id")
        mine = addressed.filter(Q(entrant__in=keys) | Q(entrant__in=merged)).values("pack_id")
        for_all = Q(addressees__isnull=True, competition__in=entered.values("competition_id"))
        return self.filter(
            Q(competition__in=granted(user, OVERSEERS))
            | (Q(offered_at__isnull=False) & (for_all | Q(pk__in=mine)))
        ).distinct()


class PackIssueQuerySet(QuerySet[ModelT_co]):
    """For the recipient, the captains of the entrant or of the one it went into, and the overseers."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the copies that the person may know of."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        led = _own(user).filter(role=MemberRole.CAPTAIN)
        return self.filter(
            Q(person=user)
            | Q(entrant__in=led)
            | Q(entrant__in=_merges().filter(kept__in=led).values("merged_id"))
            | Q(competition__in=granted(user, OVERSEERS))
        )


class DrawWindowQuerySet(QuerySet[ModelT_co]):
    """Seen like their competition: what is committed to is public, the seed until its end is not."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the windows of competitions that the person may know of."""
        return self.filter(_seen(user, "competition"))


def _merges() -> QuerySet[Model, Any]:
    """Return which entrant stands for which that went into it; chains of merges are one step away."""
    return apps.get_model("competition", "EntrantMerge")._default_manager.all()


def _own(user: User) -> QuerySet[Model, Any]:
    places = apps.get_model("competition", "EntrantMember")._default_manager
    return places.filter(user=user, left_at__isnull=True).values("entrant_id")
