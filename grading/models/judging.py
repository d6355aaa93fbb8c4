"""What a judge was asked, what it answered, and what it cost.

Paid calls are written down before they are sent: a worker that dies leaves no more behind than the
calls that were in flight.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from grading.enums import AttemptKind, AttemptState, JudgeFailure, JudgeRunState, JudgeStop
from grading.models.evaluation import Evaluation
from grading.models.judging_answer import JudgeAnswer
from grading.models.judging_canary import JudgeCanary
from grading.models.querysets import JudgeRunQuerySet

ENDED_RUN = [JudgeRunState.DONE, JudgeRunState.CANCELLED]


class JudgeRun(models.Model):
    """One evaluation's way to the judge's marks: `done` of `needed` are there.

    `round` numbers the passes over what has no answer yet; tries are counted per round. Costs are
    millionths of the definition's currency. `most_*` is the budget, NULL for none. A run that an
    organizer has to look at is `stopped` with a reason; it never turns into a number by itself.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    evaluation = models.OneToOneField(
        Evaluation, on_delete=models.PROTECT, related_name="judge_run"
    )
    definition_digest = models.CharField(max_length=64)
    state = models.CharField(
        max_length=16, choices=JudgeRunState.choices, default=JudgeRunState.QUEUED
    )
    stop_reason = models.CharField(max_length=32, choices=JudgeStop.choices, blank=True)
    stop_detail = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)

    needed = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    answer_format = models.CharField(max_length=16, blank=True)
    round = models.PositiveIntegerField(default=0)
    has_recovered = models.BooleanField(default=False)
    canary_round = models.PositiveIntegerField(default=0)
    canaries_passed_at = models.PositiveIntegerField(null=True, blank=True)

    calls = models.PositiveIntegerField(default=0)
    audio_ms = models.PositiveBigIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost_micro = models.PositiveBigIntegerField(default=0)
    most_calls = models.PositiveIntegerField(null=True, blank=True)
    most_audio_ms = models.PositiveBigIntegerField(null=True, blank=True)
    most_cost_micro = models.PositiveBigIntegerField(null=True, blank=True)

    objects = JudgeRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=JudgeRunState.values), name="grading_judge_run_state"
            ),
            models.CheckConstraint(
                condition=Q(state=JudgeRunState.RUNNING, lease_until__isnull=False)
                | (~Q(state=JudgeRunState.RUNNING) & Q(lease_until__isnull=True)),
                name="grading_judge_run_lease",
            ),
            models.CheckConstraint(
                condition=(Q(state=JudgeRunState.STOPPED) & ~Q(stop_reason=""))
                | (~Q(state=JudgeRunState.STOPPED) & Q(stop_reason="")),
                name="grading_judge_run_stopped",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ENDED_RUN, ended_at__isnull=False)
                | (~Q(state__in=ENDED_RUN) & Q(ended_at__isnull=True)),
                name="grading_judge_run_ended",
            ),
            models.CheckConstraint(
                condition=~Q(state=JudgeRunState.DONE) | Q(done=F("needed"), needed__gte=1),
                name="grading_judge_run_complete",
            ),
            models.CheckConstraint(
                condition=Q(done__lte=F("needed")), name="grading_judge_run_progress"
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="grading_judge_run_sweep")]

    def __str__(self) -> str:
        return f"{self.state} judge run of {self.evaluation}"


class JudgeRating(models.Model):
    """The answer that gives one utterance of a run its marks, by profile and replicate."""

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="ratings")
    utt_id = models.CharField(max_length=200)
    profile = models.CharField(max_length=40)
    replicate = models.PositiveSmallIntegerField()
    answer = models.ForeignKey(JudgeAnswer, on_delete=models.PROTECT, related_name="ratings")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "utt_id", "profile", "replicate"], name="grading_judge_rating_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.profile} {self.replicate} of {self.utt_id}"


class JudgeAttempt(models.Model):
    """One call to the judge, written before it is sent. What was in flight with a lost worker is `lost`.

    `key` says what was asked: an answer's cache key, or a canary of one check. Nothing is asked
    twice at a time.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="attempts")
    claim = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=AttemptKind.choices)
    key = models.CharField(max_length=80)
    canary = models.ForeignKey(
        JudgeCanary, on_delete=models.PROTECT, null=True, blank=True, related_name="attempts"
    )
    round = models.PositiveIntegerField()
    endpoint = models.CharField(max_length=200)
    state = models.CharField(
        max_length=12, choices=AttemptState.choices, default=AttemptState.IN_FLIGHT
    )
    started_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    audio_ms = models.PositiveIntegerField()
    was_sent = models.BooleanField(default=True)
    failure = models.CharField(max_length=16, choices=JudgeFailure.choices, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_micro = models.PositiveBigIntegerField(default=0)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    marks = models.JSONField(default=dict)
    raw = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["key"],
                condition=Q(state=AttemptState.IN_FLIGHT),
                name="grading_judge_attempt_in_flight",
            ),
            models.CheckConstraint(
                condition=Q(state__in=AttemptState.values), name="grading_judge_attempt_state"
            ),
            models.CheckConstraint(
                condition=Q(state=AttemptState.IN_FLIGHT, ended_at__isnull=True)
                | (~Q(state=AttemptState.IN_FLIGHT) & Q(ended_at__isnull=False)),
                name="grading_judge_attempt_ended",
            ),
            models.CheckConstraint(
                condition=(Q(state=AttemptState.FAILED) & ~Q(failure=""))
                | (~Q(state=AttemptState.FAILED) & Q(failure="")),
                name="grading_judge_attempt_failure",
            ),
            models.CheckConstraint(
                condition=Q(kind=AttemptKind.CANARY, canary__isnull=False)
                | Q(kind=AttemptKind.CLIP, canary__isnull=True),
                name="grading_judge_attempt_canary",
            ),
        ]
        indexes = [
            models.Index(fields=["endpoint", "state"], name="grading_judge_attempt_slots"),
            models.Index(fields=["run", "round", "state"], name="grading_judge_attempt_tries"),
        ]

    def __str__(self) -> str:
        return f"{self.state} call of {self.run}"


class JudgeGate(models.Model):
    """What all workers share of one endpoint: when the next call may begin, and a pause it asked for."""

    endpoint = models.CharField(max_length=200, unique=True)
    free_at = models.DateTimeField()
    paused_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.endpoint
