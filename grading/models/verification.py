from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from competition.models import DatasetClip, DatasetVersion, Entrant, Pack, Phase, Track
from grading.enums import FailureCode, Verdict, VerificationState, VerificationWay
from grading.models.evaluation import Evaluation, Recipe, finite
from grading.models.querysets import HeldOutSetQuerySet, VerificationQuerySet


class HeldOutSet(models.Model):
    """Held-out clips with references of their own, in the hidden area; no phase ever asks for them.

    `identity` is the track's hash of what the references say, `sha256` that of the file.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="held_out_sets")
    version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    counts = models.JSONField()
    identity = models.CharField(max_length=64)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    objects = HeldOutSetQuerySet.as_manager()

    class Meta:
        ordering = ["track_id", "-made_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["track", "version", "sha256"], name="grading_held_out_once"
            ),
            models.CheckConstraint(condition=~Q(title=""), name="grading_held_out_title"),
        ]

    def __str__(self) -> str:
        return self.title


class HeldOutClip(models.Model):
    """A clip of a set; it was held out when the set was made."""

    held_out = models.ForeignKey(HeldOutSet, on_delete=models.PROTECT, related_name="clips")
    clip = models.ForeignKey(DatasetClip, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["held_out", "clip"], name="grading_held_out_clip"),
        ]

    def __str__(self) -> str:
        return f"clip of {self.held_out}"


class Verification(models.Model):
    """A check of a phase's standing against a held-out set, under the recipe that was live when it began.

    `rotation` is the phase of drawn clips whose scores stand for the pool; without one the phase's own do.
    `pack` are the inputs where they are released to the entrants; then they upload from `opens_at` until
    `closes_at`.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="verifications")
    held_out = models.ForeignKey(HeldOutSet, on_delete=models.PROTECT, related_name="verifications")
    rotation = models.ForeignKey(
        Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    recipe = models.ForeignKey(Recipe, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    way = models.CharField(max_length=16, choices=VerificationWay.choices)
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    pack = models.ForeignKey(
        Pack, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    released_at = models.DateTimeField(null=True, blank=True)
    begun_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    begun_at = models.DateTimeField()

    objects = VerificationQuerySet.as_manager()

    class Meta:
        ordering = ["phase_id", "-begun_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(way__in=VerificationWay.values), name="grading_verification_way"
            ),
            models.CheckConstraint(
                condition=Q(
                    way=VerificationWay.RELEASED,
                    opens_at__isnull=False,
                    closes_at__gt=F("opens_at"),
                )
                | (
                    ~Q(way=VerificationWay.RELEASED)
                    & Q(
                        opens_at__isnull=True,
                        closes_at__isnull=True,
                        pack__isnull=True,
                        released_at__isnull=True,
                    )
                ),
                name="grading_verification_window",
            ),
            models.CheckConstraint(
                condition=Q(pack__isnull=True, released_at__isnull=True)
                | Q(pack__isnull=False, released_at__isnull=False),
                name="grading_verification_released",
            ),
        ]

    def __str__(self) -> str:
        return f"verification {self.code}"


class VerifiedEntrant(models.Model):
    """An entrant that is verified, with the evaluations and the place it had when it was chosen."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    verification = models.ForeignKey(
        Verification, on_delete=models.PROTECT, related_name="entrants"
    )
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="+")
    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="+")
    rotation = models.ForeignKey(
        Evaluation, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    place = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["verification_id", "place", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["verification", "entrant"], name="grading_verified_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entrant} in {self.verification}"


class VerificationRun(models.Model):
    """A system's output for the held-out clips, and its score: the newest scored one counts.

    It is no Submission: it takes no quota, has no number, and no page, list or count of submissions can
    come upon it (decision 0286).
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    named = models.ForeignKey(VerifiedEntrant, on_delete=models.PROTECT, related_name="runs")
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    content_id = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=200)
    received_at = models.DateTimeField()

    state = models.CharField(
        max_length=16, choices=VerificationState.choices, default=VerificationState.QUEUED
    )
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    failure_code = models.CharField(max_length=32, blank=True)
    problems = models.JSONField(default=list)
    problems_total = models.PositiveIntegerField(null=True, blank=True)

    score = models.FloatField(null=True, blank=True)
    withheld_reason = models.CharField(max_length=64, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    interval_reason = models.CharField(max_length=64, blank=True)
    seed = models.CharField(max_length=20, blank=True)
    components = models.JSONField(default=dict)
    languages = models.JSONField(default=dict)
    difference = models.JSONField(default=dict)
    """Held-out minus pool: `delta`, `low`, `high` in the score's unit, and `pool` that was compared with."""
    tallies = models.BinaryField(null=True, blank=True)
    tallies_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["named_id", "-received_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=VerificationState.values),
                name="grading_verification_state",
            ),
            models.CheckConstraint(
                condition=Q(state=VerificationState.RUNNING, lease_until__isnull=False)
                | (~Q(state=VerificationState.RUNNING) & Q(lease_until__isnull=True)),
                name="grading_verification_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state=VerificationState.SCORED)
                | (
                    Q(finished_at__isnull=False, tallies__isnull=False)
                    & (
                        Q(score__isnull=False, withheld_reason="")
                        | (Q(score__isnull=True) & ~Q(withheld_reason=""))
                    )
                ),
                name="grading_verification_scored",
            ),
            models.CheckConstraint(
                condition=~Q(state=VerificationState.FAILED)
                | (~Q(failure_code="") & Q(finished_at__isnull=False)),
                name="grading_verification_failed",
            ),
            models.CheckConstraint(
                condition=finite("score") & finite("low") & finite("high"),
                name="grading_verification_finite",
            ),
            models.UniqueConstraint(
                fields=["named", "content_id"],
                condition=Q(state__in=["queued", "running", "scored"]),
                name="grading_verification_content",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="grading_verification_sweep"),
        ]

    def __str__(self) -> str:
        return f"verification run {self.code}"

    @property
    def failure_reason(self) -> str:
        """The sentence that says why our side could not finish; empty when it did."""
        return str(FailureCode(self.failure_code).label) if self.failure_code else ""


class VerificationPublication(models.Model):
    """The final standing was made public: once a verification, by whom, and the hash of what was seen."""

    verification = models.OneToOneField(
        Verification, on_delete=models.PROTECT, related_name="publication"
    )
    sha256 = models.CharField(max_length=64)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"publication of {self.verification}"


class VerificationOutcome(models.Model):
    """What was published of one entrant: scores of sets, never of clips. Differences are held-out minus pool."""

    publication = models.ForeignKey(
        VerificationPublication, on_delete=models.PROTECT, related_name="outcomes"
    )
    named = models.OneToOneField(VerifiedEntrant, on_delete=models.PROTECT, related_name="outcome")
    run = models.ForeignKey(VerificationRun, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    place = models.PositiveIntegerField(null=True, blank=True)
    held_out_place = models.PositiveIntegerField(null=True, blank=True)
    figures = models.JSONField()
    """Score, low and high of `public`, `rotation`, `held_out` and of `difference`; null is none."""

    class Meta:
        ordering = ["publication_id", "place", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="grading_verification_verdict"
            ),
        ]

    def __str__(self) -> str:
        return f"outcome of {self.named}"
