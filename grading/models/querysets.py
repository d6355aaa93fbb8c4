from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q

from accounts.models import User
from competition.enums import Role
from competition.models import EntrantMember
from competition.models.querysets import Viewer, administers, granted


class OfEntrantQuerySet(models.QuerySet[Any]):
    """Rows of an entrant; `visible_to` is the only way pages and the API reach them."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep what the person may see: their entrant's own, and all of a competition they organize.

        Auditors see the log, not what was uploaded; administrators see all.
        """
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        own = EntrantMember.objects.filter(user=user, left_at__isnull=True).values("entrant")
        organized = granted(user, (Role.ORGANIZER,))
        return self.filter(Q(entrant__in=own) | Q(entrant__competition__in=organized))


class SubmissionQuerySet(OfEntrantQuerySet):
    """Submissions."""


class UploadSessionQuerySet(OfEntrantQuerySet):
    """Uploads in parts."""


class OfOrganizersQuerySet(models.QuerySet[Any]):
    """Rows for organizers alone; `competition` is the path to the competition they belong to."""

    competition = ""

    def visible_to(self, user: Viewer) -> Self:
        """Keep those of competitions that the person organizes; administrators see all."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(**{f"{self.competition}__in": granted(user, (Role.ORGANIZER,))})


class RescoringQuerySet(OfOrganizersQuerySet):
    """Corrections of a phase: what is proposed, switched to or dropped."""

    competition = "phase__track__competition"


class RescoreCheckQuerySet(OfOrganizersQuerySet):
    """Scores computed again on appeal."""

    competition = "evaluation__submission__phase__track__competition"
