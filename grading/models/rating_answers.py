"""What raters answered, and what organizers decided about it: rows that are added, never changed."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from grading.enums import BrokenOutcome, ExclusionKind, RatingForm
from grading.models.rating import RatingProtocol, Stimulus
from grading.models.rating_people import Rater, RatingSession
from grading.models.rating_work import RatingTask
from grading.scoring.rating.forms import (
    ACCURACY,
    COMPARISON,
    EFFECT,
    EXPRESSION,
    FORMS,
    MARKS,
    NATURALNESS,
    QUALITY,
    Form,
    Mark,
    form_of,
    turned,
)


def whole(form: Form) -> Q:
    """Return the condition that an answer of a form has its marks, and no others."""
    has = {f"{mark.column}__isnull": mark not in form.marks for mark in MARKS}
    return Q(form=form.name, system_first__isnull=not form.is_pair, **has)


def within(mark: Mark) -> Q:
    """Return a condition that lets NULL in, and whole numbers of the mark's range."""
    name = mark.column
    return Q(**{f"{name}__isnull": True}) | Q(
        **{f"{name}__gte": mark.low, f"{name}__lte": mark.high}
    )


class Rating(models.Model):
    """One answer, or (from `revision` 1 on) a correction of it: the highest revision counts.

    `uuid` was made by the client: the same one twice is the same answer. `is_late` says that the
    lease had run out. `placements` holds what was heard of each vocalization that the text asks
    for, in its order. `took_ms` is the time from showing the stimulus to the answer. `comparison` is
    above 0 where the system is the better of the two, in whichever order they were heard
    (`system_first`); of a null pair, where the second seemed the better.
    """

    uuid = models.UUIDField(unique=True)
    task = models.ForeignKey(RatingTask, on_delete=models.PROTECT, related_name="ratings")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="ratings")
    revision = models.PositiveIntegerField(default=0)
    form = models.CharField(max_length=8, choices=RatingForm.choices)
    accuracy = models.PositiveSmallIntegerField(null=True)
    effect = models.PositiveSmallIntegerField(null=True)
    naturalness = models.PositiveSmallIntegerField(null=True)
    quality = models.PositiveSmallIntegerField(null=True)
    expression = models.PositiveSmallIntegerField(null=True)
    comparison = models.SmallIntegerField(null=True)
    system_first = models.BooleanField(null=True)
    placements = models.JSONField(default=list)
    plays = models.PositiveIntegerField(default=0)
    took_ms = models.PositiveIntegerField()
    is_late = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    repeated = False
    """True on the object that the same answer sent again returned; never stored."""

    class Meta:
        ordering = ["task_id", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["task", "revision"], name="grading_rating_once"),
            models.CheckConstraint(
                condition=reduce(or_, map(whole, FORMS.values())), name="grading_rating_whole"
            ),
            models.CheckConstraint(
                condition=within(ACCURACY) & within(EFFECT), name="grading_rating_a_p"
            ),
            models.CheckConstraint(
                condition=within(NATURALNESS) & within(QUALITY) & within(EXPRESSION),
                name="grading_rating_n_q_e",
            ),
            models.CheckConstraint(condition=within(COMPARISON), name="grading_rating_c"),
            # Nothing was heard, or something was: the two marks cannot disagree.
            models.CheckConstraint(
                condition=Q(accuracy__isnull=True, effect__isnull=True)
                | Q(accuracy=0, effect=0)
                | Q(accuracy__gte=1, effect__gte=1),
                name="grading_rating_absent",
            ),
        ]

    def __str__(self) -> str:
        return f"rating {self.uuid}"

    @property
    def marks(self) -> dict[str, int | None]:
        """The marks by letter, as a file of the form has them; None for what it does not ask for."""
        columns = form_of(self.form).columns
        return {mark.letter: getattr(self, mark.column) for mark in MARKS if mark.letter in columns}

    @property
    def shown(self) -> dict[str, int]:
        """The marks that were given, by letter, as they were pressed: a comparison as it was heard."""
        given = {letter: mark for letter, mark in self.marks.items() if mark is not None}
        if self.system_first is not None:
            given = {
                letter: turned(mark, system_first=self.system_first)
                for letter, mark in given.items()
            }
        return given


class RatingNote(models.Model):
    """What a rater wrote beside an answer: free text, so that it can be removed with their data."""

    rating = models.OneToOneField(Rating, on_delete=models.PROTECT, related_name="note")
    text = models.CharField(max_length=1000)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="grading_note_text"),
        ]

    def __str__(self) -> str:
        return f"note of {self.rating}"


class BrokenReport(models.Model):
    """A rater said that the audio of a task is broken; two of a stimulus wait for an organizer."""

    task = models.OneToOneField(RatingTask, on_delete=models.PROTECT, related_name="broken")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="reports")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=1000, blank=True)
    reported_at = models.DateTimeField()
    outcome = models.CharField(max_length=8, choices=BrokenOutcome.choices, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-reported_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["stimulus", "rater"], name="grading_broken_once"),
            models.CheckConstraint(
                condition=Q(outcome="", decided_at__isnull=True)
                | (Q(outcome__in=BrokenOutcome.values, decided_at__isnull=False) & ~Q(reason="")),
                name="grading_broken_decided",
            ),
        ]

    def __str__(self) -> str:
        return f"report on {self.stimulus}"


class RatingExclusion(models.Model):
    """An organizer left something out of the results, and why; it may be lifted, the row stays."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    protocol = models.ForeignKey(
        RatingProtocol, on_delete=models.PROTECT, related_name="exclusions"
    )
    kind = models.CharField(max_length=8, choices=ExclusionKind.choices)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="exclusions")
    session = models.ForeignKey(
        RatingSession, on_delete=models.PROTECT, null=True, related_name="exclusions"
    )
    task = models.ForeignKey(
        RatingTask, on_delete=models.PROTECT, null=True, related_name="exclusions"
    )
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    excluded_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    lift_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-excluded_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=ExclusionKind.RATER, session__isnull=True, task__isnull=True)
                | Q(kind=ExclusionKind.SESSION, session__isnull=False, task__isnull=True)
                | Q(kind=ExclusionKind.RATING, session__isnull=True, task__isnull=False),
                name="grading_exclusion_target",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="grading_exclusion_reason"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lift_reason="")
                | (Q(lifted_at__isnull=False) & ~Q(lift_reason="")),
                name="grading_exclusion_lifted",
            ),
            *(
                models.UniqueConstraint(
                    fields=[target],
                    condition=Q(kind=kind, lifted_at__isnull=True),
                    name=f"grading_exclusion_{kind}",
                )
                for kind, target in (
                    (ExclusionKind.RATER.value, "rater"),
                    (ExclusionKind.SESSION.value, "session"),
                    (ExclusionKind.RATING.value, "task"),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"exclusion {self.code}"


class QualityReport(models.Model):
    """What quality control found when the protocol closed: once, by the rules stated before.

    `report` names sessions and raters by code with the reasons, `digest` is that of all ratings it
    was computed from. Never changed.
    """

    protocol = models.OneToOneField(
        RatingProtocol, on_delete=models.PROTECT, related_name="quality"
    )
    made_at = models.DateTimeField()
    digest = models.CharField(max_length=64)
    report = models.JSONField()

    def __str__(self) -> str:
        return f"quality report of {self.protocol}"
