from __future__ import annotations

from functools import cached_property
from typing import Any

from django.db import models
from django.db.models import Q

from competition.models import Phase, ReferenceVersion, Track
from grading.enums import EvaluationState, FailureCode, Priority, RecipeRole
from grading.models.submission import Submission
from grading.scoring import registry

LIMIT = 1e9


def finite(field: str) -> Q:
    """Return a condition that lets NULL and finite numbers in; NaN and infinities fail it."""
    return Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gte": -LIMIT, f"{field}__lte": LIMIT})


class Recipe(models.Model):
    """A track bound to scorer version, parameters and reference version; its digest is on every score."""

    digest = models.CharField(max_length=64, unique=True)
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="recipes")
    scorer = models.CharField(max_length=32)
    version = models.CharField(max_length=16)
    params = models.JSONField()
    references = models.ForeignKey(ReferenceVersion, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.digest[:12]

    @cached_property
    def read_params(self) -> Any:
        """The parameters as the scorer's own value; read once per object."""
        return registry.get(self.scorer).params(self.params)


class PhaseRecipe(models.Model):
    """Which recipe a phase scores with: one live, at most one candidate."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="recipes")
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="phases")
    role = models.CharField(max_length=16, choices=RecipeRole.choices)
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=RecipeRole.values), name="grading_phase_recipe_role"
            ),
            models.UniqueConstraint(
                fields=["phase"], condition=Q(role=RecipeRole.LIVE), name="grading_one_live"
            ),
            models.UniqueConstraint(
                fields=["phase"],
                condition=Q(role=RecipeRole.CANDIDATE),
                name="grading_one_candidate",
            ),
            models.UniqueConstraint(fields=["phase", "recipe"], name="grading_phase_recipe_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role} recipe of {self.phase}"


class Evaluation(models.Model):
    """One submission under one recipe. `attempt` fences late writers; NULL score = none or withheld."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="evaluations")
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="evaluations")
    state = models.CharField(
        max_length=16, choices=EvaluationState.choices, default=EvaluationState.QUEUED
    )
    priority = models.PositiveSmallIntegerField(
        choices=Priority.choices, default=Priority.FRESH, db_default=Priority.FRESH.value
    )
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    failure_code = models.CharField(max_length=32, blank=True)

    score = models.FloatField(null=True, blank=True)
    withheld_reason = models.CharField(max_length=64, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    interval_reason = models.CharField(max_length=64, blank=True)
    seed = models.CharField(max_length=20, blank=True)
    components = models.JSONField(default=dict)
    languages = models.JSONField(default=dict)
    second_opinion = models.JSONField(default=dict)
    corrected_at = models.DateTimeField(null=True, blank=True)
    """When this score took the place of an earlier recipe's on the board."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "recipe"], name="grading_evaluation_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=EvaluationState.values), name="grading_evaluation_state"
            ),
            models.CheckConstraint(
                condition=Q(priority__in=Priority.values), name="grading_evaluation_priority"
            ),
            models.CheckConstraint(
                condition=Q(state=EvaluationState.RUNNING, lease_until__isnull=False)
                | (~Q(state=EvaluationState.RUNNING) & Q(lease_until__isnull=True)),
                name="grading_evaluation_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state=EvaluationState.WAITING)
                | Q(finished_at__isnull=True, failure_code=""),
                name="grading_evaluation_waiting",
            ),
            models.CheckConstraint(
                condition=~Q(state=EvaluationState.SCORED)
                | (
                    Q(finished_at__isnull=False)
                    & (
                        (Q(score__isnull=False) & Q(withheld_reason=""))
                        | (Q(score__isnull=True) & ~Q(withheld_reason=""))
                    )
                ),
                name="grading_evaluation_scored",
            ),
            models.CheckConstraint(
                condition=Q(state=EvaluationState.SCORED) | Q(score__isnull=True),
                name="grading_evaluation_unscored",
            ),
            models.CheckConstraint(
                condition=~Q(state=EvaluationState.FAILED)
                | (~Q(failure_code="") & Q(finished_at__isnull=False)),
                name="grading_evaluation_failed",
            ),
            models.CheckConstraint(
                condition=finite("score") & finite("low") & finite("high"),
                name="grading_evaluation_finite",
            ),
            models.CheckConstraint(
                condition=Q(low__isnull=True, high__isnull=True)
                | Q(low__isnull=False, high__isnull=False, high__gte=models.F("low")),
                name="grading_evaluation_interval",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="grading_evaluation_sweep"),
            models.Index(
                fields=["state", "priority", "queued_at"], name="grading_evaluation_queue"
            ),
            models.Index(fields=["recipe", "state"], name="grading_evaluation_recipe"),
        ]

    def __str__(self) -> str:
        return f"evaluation of {self.submission} by {self.recipe}"

    @property
    def failure_reason(self) -> str:
        """The sentence that says why our side could not finish; empty when it did."""
        return str(FailureCode(self.failure_code).label) if self.failure_code else ""


class EvaluationTallies(models.Model):
    """The integer tallies per utterance of one finished evaluation, and their SHA-256."""

    evaluation = models.OneToOneField(Evaluation, on_delete=models.CASCADE, related_name="tallies")
    data = models.BinaryField()
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"tallies of {self.evaluation}"


class WorkerHeartbeat(models.Model):
    """When a worker or beat last said that it lives."""

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=16)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
