from __future__ import annotations

from django.db import models
from django.db.models import Q

from competition.models import Entrant, Phase
from grading.models.evaluation import Evaluation, finite


class Board(models.Model):
    """The snapshot of one phase's board. Scores raise `wanted`; a rebuild writes if the number still holds."""

    phase = models.OneToOneField(Phase, on_delete=models.PROTECT, related_name="board")
    wanted = models.PositiveBigIntegerField(default=0)
    built = models.PositiveBigIntegerField(default=0)
    built_at = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(built__lte=models.F("wanted")), name="grading_board_number"
            ),
        ]

    def __str__(self) -> str:
        return f"board of {self.phase}"


class Standing(models.Model):
    """One row of a board. `view` is empty for the final score, else a language. `audience` tells the
    public snapshot (which a freeze holds back) from the current one that organizers see."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="standings")
    audience = models.CharField(max_length=8, default="public")
    view = models.CharField(max_length=8, blank=True)
    position = models.PositiveIntegerField()
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="standings")
    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="standings")
    place = models.PositiveIntegerField(null=True, blank=True)
    band = models.PositiveIntegerField(null=True, blank=True)
    range_first = models.PositiveIntegerField(null=True, blank=True)
    range_last = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    components = models.JSONField(default=dict)
    difference = models.JSONField(default=dict)

    class Meta:
        ordering = ["board_id", "view", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["board", "audience", "view", "entrant"], name="grading_standing_once"
            ),
            models.UniqueConstraint(
                fields=["board", "audience", "view", "position"], name="grading_standing_position"
            ),
            models.CheckConstraint(
                condition=Q(audience__in=["public", "current"]), name="grading_standing_audience"
            ),
            models.CheckConstraint(
                condition=finite("score") & finite("low") & finite("high"),
                name="grading_standing_finite",
            ),
            models.CheckConstraint(
                condition=Q(place__isnull=True) | Q(score__isnull=False),
                name="grading_standing_place",
            ),
            # SQLite stores NaN as NULL; half an interval is what would be left of it.
            models.CheckConstraint(
                condition=Q(low__isnull=True, high__isnull=True)
                | Q(low__isnull=False, high__isnull=False, high__gte=models.F("low")),
                name="grading_standing_interval",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} on {self.board}"
