"""The final of a phase: which systems people rate, its numbered snapshots, and acts upon it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from competition.enums import BoardAct
from competition.models import Phase
from grading.enums import FinalCheckOutcome, FinalList, SelectionReason
from grading.models.evaluation import Evaluation, Recipe, finite
from grading.models.querysets import FinalSelectionQuerySet
from grading.models.submission import Submission

REASON_LENGTH = 300
MOST_SYSTEMS = 14
"""12 of the board, and beside them a human reference and a low anchor."""


class FinalSelection(models.Model):
    """Which systems people rate in a phase, decided once and never changed.

    `rule` holds what was decided by: n, limit, what was left out and why. `board_number` is the
    snapshot of the board that the places and scores were taken from, under `recipe`.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    phase = models.OneToOneField(Phase, on_delete=models.PROTECT, related_name="final_selection")
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="+")
    board_number = models.PositiveBigIntegerField()
    n = models.PositiveIntegerField()
    limit = models.PositiveIntegerField()
    rule = models.JSONField(default=dict)
    recorded_at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = FinalSelectionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(n__gte=1, limit__gte=F("n")), name="grading_selection_numbers"
            ),
        ]

    def __str__(self) -> str:
        return f"final selection of {self.phase}"


class FinalSystem(models.Model):
    """One selected system: its submission, why it was chosen, and its public score at that time.

    A reference or an anchor may be without a score; everything else was chosen by one.
    """

    selection = models.ForeignKey(FinalSelection, on_delete=models.PROTECT, related_name="systems")
    position = models.PositiveIntegerField()
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.CharField(max_length=16, choices=SelectionReason.choices)
    place = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)

    class Meta:
        ordering = ["selection_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["selection", "submission"], name="grading_final_system_once"
            ),
            models.UniqueConstraint(
                fields=["selection", "position"], name="grading_final_system_position"
            ),
            models.UniqueConstraint(
                fields=["selection", "reason"],
                condition=Q(reason__in=[SelectionReason.REFERENCE, SelectionReason.ANCHOR]),
                name="grading_final_system_one_of",
            ),
            models.CheckConstraint(
                condition=Q(position__gte=1, position__lte=MOST_SYSTEMS),
                name="grading_final_system_most",
            ),
            models.CheckConstraint(
                condition=Q(reason__in=SelectionReason.values), name="grading_final_system_reason"
            ),
            models.CheckConstraint(
                condition=Q(reason__in=[SelectionReason.REFERENCE, SelectionReason.ANCHOR])
                | Q(score__isnull=False, evaluation__isnull=False),
                name="grading_final_system_scored",
            ),
            # Chosen by a place means having one; a baseline or a reference has none.
            models.CheckConstraint(
                condition=Q(
                    reason__in=[SelectionReason.TOP, SelectionReason.OVERLAP], place__isnull=False
                )
                | Q(
                    reason__in=[
                        SelectionReason.BASELINE,
                        SelectionReason.REFERENCE,
                        SelectionReason.ANCHOR,
                    ],
                    place__isnull=True,
                ),
                name="grading_final_system_place",
            ),
            models.CheckConstraint(
                condition=finite("score") & finite("low") & finite("high"),
                name="grading_final_system_finite",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission} in {self.selection}"


class FinalBoard(models.Model):
    """The head of a phase's final board. Marks raise `wanted`; a rebuild adds a numbered snapshot.

    Only what is published is seen outside: the newest snapshot, or that of `held_number` while
    the board is frozen.
    """

    phase = models.OneToOneField(Phase, on_delete=models.PROTECT, related_name="final_board")
    wanted = models.PositiveBigIntegerField(default=0)
    built = models.PositiveBigIntegerField(default=0)
    built_at = models.DateTimeField(null=True)
    rung_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    held_number = models.PositiveBigIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(built__lte=F("wanted")), name="grading_final_board_number"
            ),
            models.CheckConstraint(
                condition=Q(held_number__isnull=True)
                | Q(published_at__isnull=False, held_number__lte=F("built")),
                name="grading_final_board_held",
            ),
        ]

    def __str__(self) -> str:
        return f"final board of {self.phase}"


class FinalRanking(models.Model):
    """One snapshot of the final board, never changed.

    `digest` is of the results, `inputs_digest` of the marks they were computed from: the same
    inputs give the same results. `inputs` counts what had arrived, `changes` tells what moved
    since the snapshot before.
    """

    board = models.ForeignKey(FinalBoard, on_delete=models.PROTECT, related_name="rankings")
    number = models.PositiveBigIntegerField()
    made_at = models.DateTimeField()
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="+")
    seed = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    inputs_digest = models.CharField(max_length=64)
    inputs = models.JSONField(default=dict)
    changes = models.JSONField(default=dict)

    class Meta:
        ordering = ["board_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["board", "number"], name="grading_final_number"),
            models.CheckConstraint(
                condition=~Q(digest="") & ~Q(inputs_digest="") & ~Q(seed=""),
                name="grading_final_digests",
            ),
        ]

    def __str__(self) -> str:
        return f"snapshot {self.number} of {self.board}"


class FinalStanding(models.Model):
    """One row of a snapshot, in the final view (`view` empty) or a language's.

    `score` is the combined one in the list of rated systems and the judge's in the other; without
    one the row says why and has no place. No system stands in both lists.
    """

    ranking = models.ForeignKey(FinalRanking, on_delete=models.PROTECT, related_name="standings")
    listing = models.CharField(max_length=8, choices=FinalList.choices)
    view = models.CharField(max_length=8, blank=True)
    position = models.PositiveIntegerField()
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveIntegerField(null=True)
    band = models.PositiveIntegerField(null=True)
    range_first = models.PositiveIntegerField(null=True)
    range_last = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    interval_reason = models.CharField(max_length=64, blank=True)
    judge = models.FloatField(null=True)
    people = models.FloatField(null=True)
    withheld_reason = models.CharField(max_length=64, blank=True)
    ratings_least = models.PositiveIntegerField(null=True)
    is_provisional = models.BooleanField(default=False)
    numbers = models.JSONField(default=dict)

    class Meta:
        ordering = ["ranking_id", "listing", "view", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["ranking", "view", "submission"], name="grading_final_row_once"
            ),
            models.UniqueConstraint(
                fields=["ranking", "listing", "view", "position"],
                name="grading_final_row_position",
            ),
            models.CheckConstraint(
                condition=Q(listing__in=FinalList.values), name="grading_final_row_list"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True, place__isnull=True) & ~Q(withheld_reason="")
                | Q(score__isnull=False, withheld_reason=""),
                name="grading_final_row_withheld",
            ),
            models.CheckConstraint(
                condition=Q(listing=FinalList.RATED, score__isnull=True)
                | Q(listing=FinalList.RATED, judge__isnull=False, people__isnull=False)
                | Q(listing=FinalList.JUDGED, people__isnull=True),
                name="grading_final_row_parts",
            ),
            models.CheckConstraint(
                condition=finite("score")
                & finite("low")
                & finite("high")
                & finite("judge")
                & finite("people"),
                name="grading_final_row_finite",
            ),
            models.CheckConstraint(
                condition=Q(low__isnull=True, high__isnull=True)
                | Q(low__isnull=False, high__isnull=False, high__gte=F("low")),
                name="grading_final_row_interval",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} on {self.ranking}"


class FinalAct(models.Model):
    """The final board was published, frozen, unfrozen or taken down, by whom and why. Never edited."""

    board = models.ForeignKey(FinalBoard, on_delete=models.PROTECT, related_name="acts")
    act = models.CharField(max_length=16, choices=BoardAct.choices)
    number = models.PositiveBigIntegerField()
    reason = models.CharField(max_length=REASON_LENGTH)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(act__in=BoardAct.values), name="grading_final_act"),
            models.CheckConstraint(condition=~Q(reason=""), name="grading_final_act_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.act} of {self.board}"


class FinalCheck(models.Model):
    """A snapshot computed again from stored marks and ratings, and whether every digit is the same.

    `found` is the digest that came out; `differences` names the rows that are not the same.
    """

    ranking = models.ForeignKey(FinalRanking, on_delete=models.PROTECT, related_name="checks")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    requested_at = models.DateTimeField()
    rung_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=16, choices=FinalCheckOutcome.choices, blank=True)
    found = models.CharField(max_length=64, blank=True)
    differences = models.JSONField(default=list)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["ranking"], condition=Q(outcome=""), name="grading_final_check_one_open"
            ),
            models.CheckConstraint(
                condition=Q(outcome="", finished_at__isnull=True, found="")
                | Q(outcome__in=FinalCheckOutcome.values, finished_at__isnull=False) & ~Q(found=""),
                name="grading_final_check_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome or 'open'} check of {self.ranking}"
