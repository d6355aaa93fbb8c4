from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.models import Entrant, Phase
from grading.enums import UploadEnd, UploadState
from grading.models.querysets import UploadSessionQuerySet
from grading.models.submission import Submission


class UploadSession(models.Model):
    """An upload in parts: it named its size and the SHA-256 of every part at `created_at`.

    That moment decides the deadline and the AoE day. While it is open it holds one slot of quota.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="uploads")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="uploads")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="uploads"
    )
    system = models.CharField(max_length=80)
    note = models.CharField(max_length=500, blank=True)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    part_size = models.PositiveIntegerField()
    content_id = models.CharField(max_length=64)
    aoe_day = models.DateField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    storage_key = models.CharField(max_length=200)
    storage_handle = models.CharField(max_length=1024, blank=True)

    state = models.CharField(max_length=16, choices=UploadState.choices, default=UploadState.OPEN)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_as = models.CharField(max_length=16, choices=UploadEnd.choices, blank=True)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="uploads"
    )

    objects = UploadSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=UploadState.values), name="grading_upload_state"
            ),
            models.CheckConstraint(
                condition=Q(state=UploadState.OPEN, ended_at__isnull=True, ended_as="")
                | (~Q(state=UploadState.OPEN) & Q(ended_at__isnull=False) & ~Q(ended_as="")),
                name="grading_upload_ended",
            ),
            models.CheckConstraint(
                condition=Q(state=UploadState.COMPLETED, submission__isnull=False)
                | (~Q(state=UploadState.COMPLETED) & Q(submission__isnull=True)),
                name="grading_upload_submission",
            ),
            models.CheckConstraint(
                condition=Q(size__gt=models.F("part_size")), name="grading_upload_size"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="grading_upload_times"
            ),
            models.UniqueConstraint(
                fields=["entrant", "phase", "content_id"],
                condition=Q(state=UploadState.OPEN),
                name="grading_upload_content_once",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "expires_at"], name="grading_upload_sweep"),
            models.Index(fields=["entrant", "phase", "aoe_day"], name="grading_upload_day"),
        ]

    def __str__(self) -> str:
        return f"upload {self.code}"


class UploadPart(models.Model):
    """One part: what was named of it, and since when the server's disk has it.

    Where parts go to a bucket, the bucket knows which are there and `stored_at` stays empty.
    """

    session = models.ForeignKey(UploadSession, on_delete=models.PROTECT, related_name="parts")
    number = models.PositiveIntegerField()
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    stored_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "number"], name="grading_upload_part_number"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, size__gte=1), name="grading_upload_part_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"part {self.number} of {self.session}"
