from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property

from accounts.codes import new_code
from competition.enums import CompetitionState, Role
from competition.models.querysets import CompetitionQuerySet


class Competition(models.Model):
    """An edition of a challenge, as its definition file says. `texts` maps language -> {title, summary, …}.

    While `paused_at` is set uploads are taken and checked, and nothing is scored.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    slug = models.SlugField(max_length=64, unique=True)
    state = models.CharField(
        max_length=16, choices=CompetitionState.choices, default=CompetitionState.DRAFT
    )
    texts = models.JSONField(default=dict)
    contact = models.EmailField(max_length=254, blank=True)
    accept_automatically = models.BooleanField(default=True)
    terms_version = models.CharField(max_length=32)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_reason = models.CharField(max_length=300, blank=True, db_default="")
    definition = models.TextField()
    definition_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    loaded_at = models.DateTimeField()

    objects = CompetitionQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=CompetitionState.values), name="competition_state"
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True, paused_reason="")
                | (Q(paused_at__isnull=False) & ~Q(paused_reason="")),
                name="competition_paused_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @cached_property
    def has_several_tracks(self) -> bool:
        """Whether a phase has to be named together with its track."""
        return len(self.tracks.all()) > 1

    @property
    def audit_scope(self) -> str:
        """The name of this competition's audit chain."""
        return f"competition:{self.code}"


class RoleGrant(models.Model):
    """A person is organizer, auditor or rater of one competition; revoking keeps the row."""

    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="grants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="grants"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    granted_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="competition_role"),
            models.UniqueConstraint(
                fields=["competition", "user", "role"],
                condition=Q(revoked_at__isnull=True),
                name="competition_role_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.competition}"


class Terms(models.Model):
    """One version of the terms; `texts` maps language -> text. Never edited."""

    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="terms")
    version = models.CharField(max_length=32)
    texts = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "version"], name="competition_terms_version"
            ),
        ]

    def __str__(self) -> str:
        return f"terms {self.version} of {self.competition}"


class TermsAcceptance(models.Model):
    """A person accepted one version of the terms, with the name they typed."""

    terms = models.ForeignKey(Terms, on_delete=models.PROTECT, related_name="acceptances")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    typed_name = models.CharField(max_length=120)
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["terms", "user"], name="competition_acceptance_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} accepted {self.terms}"


class Announcement(models.Model):
    """News that an organizer tells everybody; `texts` maps language -> {title, body}."""

    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="announcements"
    )
    texts = models.JSONField()
    published_at = models.DateTimeField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-published_at"]

    def __str__(self) -> str:
        return f"announcement of {self.competition}"
