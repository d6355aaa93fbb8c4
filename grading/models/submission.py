from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from accounts.codes import new_code
from competition.models import Entrant, Phase
from grading.enums import FailureCode, QuotaState, SubmissionKind, SubmissionState
from grading.identity import SINGLE_BYTES
from grading.models.querysets import SubmissionQuerySet
from grading.scoring.types import Problem, Severity

STANDING_STATES = [SubmissionState.RECEIVED, SubmissionState.ACCEPTED]


class Submission(models.Model):
    """An upload: immutable evidence, except its state, the claim on its validation, and its names.

    `system` and `note` are what it is called now; every change of them is a row of Renaming.

    `content_id` is the identity of the content (grading.identity); `created_at` the moment the
    request was read or the upload session begun (it decides the deadline and the AoE day),
    `received_at` the moment the last byte was stored. `sha256` is that of the whole file: validation
    adds it, since a file that came in parts was never seen whole before. `by_organizer`: an organizer
    sent it for the entrant, as the phase asks.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="submissions")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="submissions")
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    number = models.PositiveIntegerField()
    kind = models.CharField(
        max_length=16, choices=SubmissionKind.choices, default=SubmissionKind.ENTRY
    )
    by_organizer = models.BooleanField(default=False, db_default=False)
    system = models.CharField(max_length=80)
    note = models.CharField(max_length=500, blank=True)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    content_id = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, blank=True)
    storage_key = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    received_at = models.DateTimeField()

    state = models.CharField(
        max_length=16, choices=SubmissionState.choices, default=SubmissionState.RECEIVED
    )
    marked_at = models.DateTimeField(null=True, blank=True)
    validated_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    failure_code = models.CharField(max_length=32, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    progress_step = models.CharField(max_length=16, blank=True, default="", db_default="")
    progress_done = models.PositiveIntegerField(default=0, db_default=0)
    progress_total = models.PositiveIntegerField(default=0, db_default=0)
    rows = models.PositiveIntegerField(null=True, blank=True)
    reading = models.CharField(max_length=64, blank=True)
    problems_total = models.PositiveIntegerField(null=True, blank=True)
    errors_total = models.PositiveIntegerField(null=True, blank=True)
    problem_counts = models.JSONField(null=True, blank=True)
    """How often each code was found, listed or not; NULL before validation, and in older rows."""

    repeated = False
    """True on the object that an upload of the same content returned; never stored."""

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=SubmissionState.values), name="grading_submission_state"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=SubmissionKind.values), name="grading_submission_kind"
            ),
            models.CheckConstraint(
                condition=Q(received_at__gte=models.F("created_at")),
                name="grading_submission_times",
            ),
            models.CheckConstraint(condition=Q(size__gte=1), name="grading_submission_size"),
            models.CheckConstraint(
                condition=~Q(state=SubmissionState.FAILED) | ~Q(failure_code=""),
                name="grading_submission_failure",
            ),
            models.CheckConstraint(
                condition=Q(state=SubmissionState.RECEIVED) | Q(lease_until__isnull=True),
                name="grading_submission_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[SubmissionState.ACCEPTED, SubmissionState.REJECTED])
                | Q(validated_at__isnull=False),
                name="grading_submission_validated",
            ),
            models.UniqueConstraint(
                fields=["entrant", "phase", "content_id"],
                condition=Q(state__in=STANDING_STATES),
                name="grading_submission_content_once",
            ),
            models.UniqueConstraint(fields=["entrant", "number"], name="grading_submission_number"),
            models.UniqueConstraint(
                fields=["entrant", "phase"],
                condition=Q(marked_at__isnull=False),
                name="grading_submission_one_marked",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="grading_submission_sweep"),
            models.Index(fields=["phase", "state"], name="grading_submission_phase"),
        ]

    def __str__(self) -> str:
        return f"submission {self.code}"

    def get_absolute_url(self) -> str:
        return reverse("grading:submission-detail", kwargs={"code": self.code})

    @property
    def file_sha256(self) -> str:
        """The SHA-256 of the whole file (hex); empty until a file in parts was validated."""
        return self.sha256 or (self.content_id if self.size <= SINGLE_BYTES else "")

    @property
    def failure_reason(self) -> str:
        """The sentence that says why our side could not finish; empty when it did."""
        return str(FailureCode(self.failure_code).label) if self.failure_code else ""


class ValidationProblem(models.Model):
    """One line of a validation report; the set is replaced as a whole."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="problems")
    position = models.PositiveIntegerField()
    code = models.CharField(max_length=40)
    severity = models.CharField(max_length=8)
    line = models.PositiveBigIntegerField(null=True, blank=True)
    member = models.CharField(max_length=300, null=True, blank=True)
    utt_id = models.CharField(max_length=300, null=True, blank=True)
    params = models.JSONField(default=dict)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "position"], name="grading_problem_position"
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def found(self) -> Problem:
        """The problem as the scorer's value."""
        return Problem(
            code=self.code,
            severity=Severity(self.severity),
            line=self.line,
            member=self.member,
            utt_id=self.utt_id,
            params=self.params,
        )


class QuotaEntry(models.Model):
    """One line of the ledger: the slot of one submission, its AoE day and what became of it."""

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="quota")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="quota_entries")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="+")
    aoe_day = models.DateField()
    state = models.CharField(max_length=16, choices=QuotaState.choices)
    reserved_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-reserved_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=QuotaState.values), name="grading_quota_state"
            ),
            models.CheckConstraint(
                condition=Q(state=QuotaState.RESERVED, settled_at__isnull=True)
                | (~Q(state=QuotaState.RESERVED) & Q(settled_at__isnull=False)),
                name="grading_quota_settled",
            ),
        ]
        indexes = [
            models.Index(fields=["entrant", "phase", "aoe_day"], name="grading_quota_day"),
        ]

    def __str__(self) -> str:
        return f"{self.state} slot of {self.submission}"


class IdempotencyKey(models.Model):
    """The answer to a request that may be sent again: same body, same answer, for 24 hours."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    endpoint = models.CharField(max_length=120)
    key = models.CharField(max_length=120)
    body_sha256 = models.CharField(max_length=64, blank=True)
    status = models.PositiveIntegerField(null=True, blank=True)
    answer = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "endpoint", "key"], name="grading_idempotency_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.endpoint} {self.key}"
