from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from competition.models import Phase
from grading.enums import CheckState, RescoringState
from grading.models.evaluation import Evaluation, Recipe
from grading.models.querysets import RescoreCheckQuerySet, RescoringQuerySet

REASON_LENGTH = 300
SETTLED_CHECKS = [CheckState.SAME, CheckState.DIFFERS, CheckState.FAILED]


class Rescoring(models.Model):
    """One correction of a phase: `recipe` proposed in place of `replaced`, with what became of it.

    `accepted_failures` are the codes of submissions that the organizer let go without a score.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="rescorings")
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="+")
    replaced = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=16, choices=RescoringState.choices, default=RescoringState.OPEN
    )
    reason = models.CharField(max_length=REASON_LENGTH)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    proposed_at = models.DateTimeField()
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    accepted_failures = models.JSONField(default=list)

    objects = RescoringQuerySet.as_manager()

    class Meta:
        ordering = ["-proposed_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=RescoringState.values), name="grading_rescoring_state"
            ),
            models.UniqueConstraint(
                fields=["phase"],
                condition=Q(state=RescoringState.OPEN),
                name="grading_rescoring_one_open",
            ),
            models.CheckConstraint(
                condition=Q(state=RescoringState.OPEN, ended_at__isnull=True)
                | (~Q(state=RescoringState.OPEN) & Q(ended_at__isnull=False)),
                name="grading_rescoring_ended",
            ),
            models.CheckConstraint(
                condition=~Q(recipe=F("replaced")), name="grading_rescoring_changes"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="grading_rescoring_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.state} re-scoring of {self.phase}"


class RescoreCheck(models.Model):
    """One score computed again from scratch on appeal, and whether every digit is the same.

    `found` holds what the second run gave, `differences` the names of what is not the same.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="checks")
    state = models.CharField(max_length=16, choices=CheckState.choices, default=CheckState.QUEUED)
    reason = models.CharField(max_length=REASON_LENGTH)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField()
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    failure_code = models.CharField(max_length=32, blank=True)
    found = models.JSONField(default=dict)
    differences = models.JSONField(default=list)

    objects = RescoreCheckQuerySet.as_manager()

    class Meta:
        ordering = ["-requested_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=CheckState.values), name="grading_check_state"
            ),
            models.UniqueConstraint(
                fields=["evaluation"],
                condition=Q(state__in=[CheckState.QUEUED, CheckState.RUNNING]),
                name="grading_check_one_open",
            ),
            models.CheckConstraint(
                condition=Q(state=CheckState.RUNNING, lease_until__isnull=False)
                | (~Q(state=CheckState.RUNNING) & Q(lease_until__isnull=True)),
                name="grading_check_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=SETTLED_CHECKS, finished_at__isnull=False)
                | (~Q(state__in=SETTLED_CHECKS) & Q(finished_at__isnull=True)),
                name="grading_check_finished",
            ),
            models.CheckConstraint(
                condition=~Q(state=CheckState.FAILED) | ~Q(failure_code=""),
                name="grading_check_failed",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="grading_check_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.state} check of {self.evaluation}"
