from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from accounts.models import Team
from competition.enums import EntrantKind, EntrantState, MemberRole
from competition.models.competition import Competition
from competition.models.querysets import EntrantQuerySet


class Entrant(models.Model):
    """A team in a competition. Its row is the lock under which quota is counted.

    `charged_at` is the moment of its first charged submission: from then on its members are fixed.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="entrants")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="entrants")
    state = models.CharField(
        max_length=16, choices=EntrantState.choices, default=EntrantState.PENDING
    )
    kind = models.CharField(
        max_length=16, choices=EntrantKind.choices, default=EntrantKind.OFFICIAL
    )
    reason = models.CharField(max_length=300, blank=True)
    registered_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    charged_at = models.DateTimeField(null=True, blank=True)

    objects = EntrantQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "registered_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "team"], name="competition_entrant_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=EntrantState.values), name="competition_entrant_state"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=EntrantKind.values), name="competition_entrant_kind"
            ),
            models.CheckConstraint(
                condition=~Q(state=EntrantState.DISQUALIFIED) | ~Q(reason=""),
                name="competition_entrant_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} in {self.competition}"


class EntrantMember(models.Model):
    """A person is an active member of at most one entrant per competition."""

    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="members")
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="entries"
    )
    role = models.CharField(max_length=16, choices=MemberRole.choices, default=MemberRole.MEMBER)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=MemberRole.values), name="competition_member_role"
            ),
            models.UniqueConstraint(
                fields=["competition", "user"],
                condition=Q(left_at__isnull=True),
                name="competition_member_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.entrant}"


class EntrantChange(models.Model):
    """History of an entrant's kind and state: official or not, disqualified, withdrawn, with the reason."""

    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="changes")
    field = models.CharField(max_length=16)
    old = models.CharField(max_length=16)
    new = models.CharField(max_length=16)
    reason = models.CharField(max_length=300, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.entrant} {self.field}"
