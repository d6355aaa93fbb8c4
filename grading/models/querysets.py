from __future__ import annotations

from typing import Any, Self

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef

from accounts.models import User
from competition.enums import Role
from competition.models import EntrantMember, RoleGrant


class SubmissionQuerySet(models.QuerySet[Any]):
    """Submissions; `visible_to` is the only way pages and the API reach them."""

    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Keep what the person may see: their entrants' own, and all of a competition they organize.

        An auditor sees no submission's content, so none here; staff see all.
        """
        if not isinstance(user, User):
            return self.none()
        if user.is_superuser:
            return self
        return self.filter(Exists(_own(user)) | Exists(_organized(user)))


def _own(user: User) -> models.QuerySet[EntrantMember]:
    return EntrantMember.objects.filter(
        entrant=OuterRef("entrant"), user=user, left_at__isnull=True
    )


def _organized(user: User) -> models.QuerySet[RoleGrant]:
    return RoleGrant.objects.filter(
        competition=OuterRef("entrant__competition"),
        user=user,
        role=Role.ORGANIZER,
        revoked_at__isnull=True,
    )
