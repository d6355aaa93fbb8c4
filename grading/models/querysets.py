from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q

from accounts.models import User
from competition.enums import Role
from competition.models import EntrantMember, EntrantMerge
from competition.models.querysets import OVERSEERS, Viewer, administers, granted


class OfEntrantQuerySet(models.QuerySet[Any]):
    """Rows of an entrant; `visible_to` is the only way pages and the API reach them."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep what the person may see: their entrant's own, and all of a competition they organize.

        What an entrant sent that went into theirs is their entrant's own too. Auditors see the log, not what was uploaded; administrators see all.
        """
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        own = EntrantMember.objects.filter(user=user, left_at__isnull=True).values("entrant")
        organized = granted(user, (Role.ORGANIZER,))
        taken_in = EntrantMerge.objects.filter(kept__in=own).values("merged")
        return self.filter(
            Q(entrant__in=own) | Q(entrant__in=taken_in) | Q(entrant__competition__in=organized)
        )


class SubmissionQuerySet(OfEntrantQuerySet):
    """Submissions."""


class UploadSessionQuerySet(OfEntrantQuerySet):
    """Uploads in parts."""


class FileSetQuerySet(OfEntrantQuerySet):
    """Submissions that come file by file."""


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


class JudgeRunQuerySet(models.QuerySet[Any]):
    """Runs of a judge: the entrant's own, and all of a competition for its organizers."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep what the person may see; what it cost is the organizers' alone (presentation)."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        own = EntrantMember.objects.filter(user=user, left_at__isnull=True).values("entrant")
        organized = granted(user, (Role.ORGANIZER,))
        entrant = "evaluation__submission__entrant"
        return self.filter(
            Q(**{f"{entrant}__in": own}) | Q(**{f"{entrant}__competition__in": organized})
        )


class JudgeAnswerQuerySet(OfOrganizersQuerySet):
    """Answers of a judge; a clip that several sent has one, so it may belong to many competitions."""

    competition = "ratings__run__evaluation__submission__phase__track__competition"


class FinalSelectionQuerySet(OfOrganizersQuerySet):
    """Selections of systems for rating by people."""

    competition = "phase__track__competition"


class FilingQuerySet(models.QuerySet[Any]):
    """Papers filed for verification: the entrant's own, and all of a competition for its organizers."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep what the person may see; administrators see all."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        own = EntrantMember.objects.filter(user=user, left_at__isnull=True).values("entrant")
        organized = granted(user, (Role.ORGANIZER,))
        entrant = "system__submission__entrant"
        return self.filter(
            Q(**{f"{entrant}__in": own}) | Q(**{f"{entrant}__competition__in": organized})
        )


class RatingProtocolQuerySet(OfOrganizersQuerySet):
    """Ratings of a selection by people."""

    competition = "selection__phase__track__competition"


class RaterQuerySet(models.QuerySet[Any]):
    """People who rate: a person's own places. Organizers count them by pseudonym."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep the person's own places; nobody else's, whoever asks."""
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(user=user)


class OfRaterQuerySet(models.QuerySet[Any]):
    """What was given to a rater: a person's own sittings and tasks."""

    def visible_to(self, user: Viewer) -> Self:
        """Keep what was given to the person; nobody else's, whoever asks."""
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(rater__user=user)


class OfOverseersQuerySet(models.QuerySet[Any]):
    """Rows for organizers and auditors; `competition` is the path to the competition they belong to."""

    competition = ""

    def visible_to(self, user: Viewer) -> Self:
        """Keep those of competitions that the person organizes or audits; administrators see all."""
        if administers(user):
            return self.all()
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(**{f"{self.competition}__in": granted(user, OVERSEERS)})


class HeldOutSetQuerySet(OfOverseersQuerySet):
    """Held-out clips with references; auditors see no texts of them."""

    competition = "track__competition"


class VerificationQuerySet(OfOverseersQuerySet):
    """Checks of a standing against held-out clips."""

    competition = "phase__track__competition"
