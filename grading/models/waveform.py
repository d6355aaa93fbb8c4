from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.models import Entrant, Phase
from grading.enums import UploadEnd, UploadState
from grading.models.querysets import FileSetQuerySet
from grading.models.submission import Submission


class Waveform(models.Model):
    """One WAV file, kept once however many submissions hold it: its bytes are named by their SHA-256.

    `frames` are samples at 16,000 a second. `screen` is what the automatic screen measured, its
    state among it; it decides nothing and may be measured again.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()
    frames = models.PositiveIntegerField()
    storage_key = models.CharField(max_length=200, db_index=True)
    screen = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(frames__gte=1) & Q(size__gt=models.F("frames") * 2),
                name="grading_waveform_size",
            ),
            models.CheckConstraint(
                condition=~Q(storage_key="") & ~Q(sha256=""), name="grading_waveform_stored"
            ),
        ]

    def __str__(self) -> str:
        return f"waveform {self.sha256[:12]}"


class Clip(models.Model):
    """Which waveform an accepted submission sent for an utterance, and under which name."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="clips")
    utt_id = models.CharField(max_length=200)
    language = models.CharField(max_length=16)
    member = models.CharField(max_length=300)
    waveform = models.ForeignKey(Waveform, on_delete=models.PROTECT, related_name="clips")

    class Meta:
        ordering = ["utt_id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "utt_id"], name="grading_clip_once"),
            models.CheckConstraint(
                condition=~Q(utt_id="") & ~Q(language=""), name="grading_clip_named"
            ),
        ]

    def __str__(self) -> str:
        return f"clip {self.utt_id} of {self.submission}"


class FileSet(models.Model):
    """A submission that comes file by file; complete, it becomes one archive like any other.

    `created_at` decides the deadline and the AoE day. While it is open it holds one slot of quota.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="file_sets")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="file_sets")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="file_sets"
    )
    system = models.CharField(max_length=80)
    note = models.CharField(max_length=500, blank=True)
    aoe_day = models.DateField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    state = models.CharField(max_length=16, choices=UploadState.choices, default=UploadState.OPEN)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_as = models.CharField(max_length=16, choices=UploadEnd.choices, blank=True)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="file_sets"
    )

    objects = FileSetQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=UploadState.values), name="grading_fileset_state"
            ),
            models.CheckConstraint(
                condition=Q(state=UploadState.OPEN, ended_at__isnull=True, ended_as="")
                | (~Q(state=UploadState.OPEN) & Q(ended_at__isnull=False) & ~Q(ended_as="")),
                name="grading_fileset_ended",
            ),
            models.CheckConstraint(
                condition=Q(state=UploadState.COMPLETED, submission__isnull=False)
                | (~Q(state=UploadState.COMPLETED) & Q(submission__isnull=True)),
                name="grading_fileset_submission",
            ),
            models.CheckConstraint(condition=~Q(system=""), name="grading_fileset_system"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="grading_fileset_times"
            ),
            models.UniqueConstraint(
                fields=["entrant", "phase", "system"],
                condition=Q(state=UploadState.OPEN),
                name="grading_fileset_open_once",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "expires_at"], name="grading_fileset_sweep"),
            models.Index(fields=["entrant", "phase", "aoe_day"], name="grading_fileset_day"),
        ]

    def __str__(self) -> str:
        return f"file set {self.code}"


class SentFile(models.Model):
    """One file of a set, as it was sent last; only files that were accepted are here."""

    file_set = models.ForeignKey(FileSet, on_delete=models.PROTECT, related_name="files")
    utt_id = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=200)
    warnings = models.JSONField(default=list)
    """The problems, none of them an error, that the checker found: code and what its sentence needs."""
    stored_at = models.DateTimeField()

    class Meta:
        ordering = ["utt_id"]
        constraints = [
            models.UniqueConstraint(fields=["file_set", "utt_id"], name="grading_sentfile_once"),
            models.CheckConstraint(
                condition=~Q(utt_id="") & ~Q(storage_key="") & ~Q(sha256="") & Q(size__gte=1),
                name="grading_sentfile_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.utt_id} of {self.file_set}"
