"""What is given to whom: plans, their slots, and the tasks that raters take."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from grading.enums import TaskKind, TaskState
from grading.models.querysets import OfRaterQuerySet
from grading.models.rating import RatedSystem, RatedText, RatingProtocol, Stimulus
from grading.models.rating_people import Rater, RatingSession

LEASED = [TaskState.NEXT, TaskState.OPEN]


class PlanRow(models.Model):
    """A whole plan for one rater in one language: every text once, systems equal within one.

    Who holds it works through its slots in order. It is free again once its holder was not seen for
    longer than the protocol allows, or rates no more.
    """

    protocol = models.ForeignKey(RatingProtocol, on_delete=models.CASCADE, related_name="plans")
    language = models.CharField(max_length=16)
    number = models.PositiveIntegerField()
    rater = models.ForeignKey(
        Rater, on_delete=models.PROTECT, null=True, blank=True, related_name="plans"
    )
    held_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["protocol_id", "language", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["protocol", "language", "number"], name="grading_plan_number"
            ),
            models.UniqueConstraint(
                fields=["rater", "language"],
                condition=Q(rater__isnull=False),
                name="grading_plan_one_held",
            ),
            models.CheckConstraint(
                condition=Q(rater__isnull=True, held_at__isnull=True)
                | Q(rater__isnull=False, held_at__isnull=False),
                name="grading_plan_held",
            ),
        ]

    def __str__(self) -> str:
        return f"plan {self.number} ({self.language}) of {self.protocol}"


class PlanSlot(models.Model):
    """One stimulus to be rated once: the unit that a rater takes.

    Free is what is neither done nor under a lease that still runs. `open_to_all` marks what the
    holder of its row cannot rate (a conflict, a text heard already, broken audio) and what was added
    in place of an excluded rating (`row` empty): whoever may, takes it.
    """

    protocol = models.ForeignKey(RatingProtocol, on_delete=models.CASCADE, related_name="slots")
    language = models.CharField(max_length=16)
    row = models.ForeignKey(
        PlanRow, on_delete=models.CASCADE, null=True, blank=True, related_name="slots"
    )
    position = models.PositiveIntegerField()
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="slots")
    system = models.ForeignKey(RatedSystem, on_delete=models.PROTECT, related_name="slots")
    rated_text = models.ForeignKey(RatedText, on_delete=models.PROTECT, related_name="slots")
    open_to_all = models.BooleanField(default=False)
    lease_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["row_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["row", "position"],
                condition=Q(row__isnull=False),
                name="grading_slot_position",
            ),
            models.UniqueConstraint(
                fields=["row", "rated_text"],
                condition=Q(row__isnull=False),
                name="grading_slot_text_once",
            ),
            models.CheckConstraint(
                condition=Q(row__isnull=False) | Q(open_to_all=True), name="grading_slot_held"
            ),
            models.CheckConstraint(
                condition=Q(done_at__isnull=True) | Q(lease_until__isnull=True),
                name="grading_slot_done",
            ),
        ]
        indexes = [
            models.Index(
                fields=["protocol", "language", "system"],
                condition=Q(done_at__isnull=True),
                name="grading_slot_free",
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk}"


class RatingTask(models.Model):
    """One thing that a rater was given to rate. A lease that has run out is seen by its date alone.

    `delivered_at` is when its sound was first sent, `opened_at` when it was shown: an answer counts
    from the later. `draft` is what the form held when it was last saved, not yet an answer. Of two
    sounds that are compared `system_first` says which is heard first, drawn when the task is made;
    in a null pair both are the same.
    """

    code = models.CharField(max_length=32, unique=True, default=new_code, editable=False)
    session = models.ForeignKey(RatingSession, on_delete=models.PROTECT, related_name="tasks")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="tasks")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=TaskKind.choices)
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="tasks")
    rated_text = models.ForeignKey(
        RatedText, on_delete=models.PROTECT, null=True, blank=True, related_name="tasks"
    )
    slot = models.ForeignKey(
        PlanSlot, on_delete=models.PROTECT, null=True, blank=True, related_name="tasks"
    )
    repeat_of = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="repeats"
    )
    state = models.CharField(max_length=16, choices=TaskState.choices, default=TaskState.NEXT)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    system_first = models.BooleanField(null=True, blank=True)
    second_delivered_at = models.DateTimeField(null=True, blank=True)
    draft = models.JSONField(null=True, blank=True)
    draft_at = models.DateTimeField(null=True, blank=True)

    objects = OfRaterQuerySet.as_manager()

    class Meta:
        ordering = ["session_id", "position"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=TaskState.values), name="grading_task_state"
            ),
            models.CheckConstraint(condition=Q(kind__in=TaskKind.values), name="grading_task_kind"),
            models.UniqueConstraint(fields=["session", "position"], name="grading_task_position"),
            models.UniqueConstraint(
                fields=["rater"], condition=Q(state=TaskState.OPEN), name="grading_task_one_open"
            ),
            models.UniqueConstraint(
                fields=["rater"], condition=Q(state=TaskState.NEXT), name="grading_task_one_next"
            ),
            models.UniqueConstraint(
                fields=["rater", "rated_text"],
                condition=Q(kind=TaskKind.SCORED),
                name="grading_task_text_once",
            ),
            models.UniqueConstraint(
                fields=["slot"],
                condition=Q(state__in=[*LEASED, TaskState.ANSWERED]),
                name="grading_task_slot_once",
            ),
            models.CheckConstraint(
                condition=Q(kind=TaskKind.SCORED, rated_text__isnull=False, repeat_of__isnull=True)
                | Q(
                    kind=TaskKind.REPEAT,
                    rated_text__isnull=True,
                    slot__isnull=True,
                    repeat_of__isnull=False,
                )
                | Q(
                    kind__in=[TaskKind.TRAP, TaskKind.KNOWN, TaskKind.NULL],
                    rated_text__isnull=True,
                    slot__isnull=True,
                    repeat_of__isnull=True,
                ),
                name="grading_task_fields",
            ),
            models.CheckConstraint(
                condition=Q(state__in=LEASED, lease_until__isnull=False, ended_at__isnull=True)
                | (~Q(state__in=LEASED) & Q(lease_until__isnull=True, ended_at__isnull=False)),
                name="grading_task_lease",
            ),
            models.CheckConstraint(
                condition=Q(state=TaskState.NEXT, opened_at__isnull=True)
                | Q(state=TaskState.RELEASED)
                | Q(
                    state__in=[
                        TaskState.OPEN,
                        TaskState.ANSWERED,
                        TaskState.LATE,
                        TaskState.BROKEN,
                    ],
                    opened_at__isnull=False,
                ),
                name="grading_task_opened",
            ),
            # A null pair has no order to undo, and only a pair has a second sound.
            models.CheckConstraint(
                condition=~Q(kind=TaskKind.NULL)
                | Q(system_first=False, system_first__isnull=False),
                name="grading_task_null",
            ),
            models.CheckConstraint(
                condition=Q(second_delivered_at__isnull=True) | Q(system_first__isnull=False),
                name="grading_task_second",
            ),
            models.CheckConstraint(
                condition=Q(draft__isnull=True, draft_at__isnull=True)
                | Q(draft__isnull=False, draft_at__isnull=False),
                name="grading_task_draft",
            ),
        ]
        indexes = [
            models.Index(fields=["rater", "state"], name="grading_task_rater"),
        ]

    def __str__(self) -> str:
        return f"task {self.code}"

    @property
    def sounds(self) -> tuple[Stimulus, ...]:
        """What is heard, in the order in which it is heard: one sound, or the two of a pair."""
        return self.stimulus.sounds(
            system_first=self.system_first, is_twice=self.kind == TaskKind.NULL
        )
