from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from competition.enums import Strata
from competition.models.competition import Competition
from competition.models.dataset import DatasetClip, DatasetVersion
from competition.models.entrant import Entrant
from competition.models.phase import Phase, ReferenceVersion
from competition.models.querysets import DrawWindowQuerySet


class DrawWindow(models.Model):
    """A window in which clips are drawn by one seed. The commitment is public at once, the seed at its end.

    `pool_sha256` is the hash of the rotation pool's manifest as it stood: what is drawn from.
    `public_name` names in advance the value that was unknown then; `public_value` is filled in when it
    is known, before the first draw.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="windows")
    phase = models.ForeignKey(
        Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="windows"
    )
    version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="windows")
    algorithm = models.CharField(max_length=32)
    algorithm_version = models.PositiveIntegerField()
    strata = models.CharField(max_length=32, choices=Strata.choices, default=Strata.TIER)
    n = models.PositiveIntegerField()
    pool_sha256 = models.CharField(max_length=64)
    pool_size = models.PositiveIntegerField()
    commitment = models.CharField(max_length=64, unique=True)
    seed = models.CharField(max_length=64)
    public_name = models.CharField(max_length=200, blank=True)
    public_value = models.CharField(max_length=200, blank=True)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    revealed_at = models.DateTimeField(null=True, blank=True)

    objects = DrawWindowQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "-made_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(strata__in=Strata.values), name="competition_strata"
            ),
            models.CheckConstraint(
                condition=Q(n__gte=1, n__lte=F("pool_size")), name="competition_window_n"
            ),
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="competition_window_times"
            ),
            models.CheckConstraint(
                condition=Q(public_value="") | ~Q(public_name=""),
                name="competition_window_public",
            ),
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True) | Q(revealed_at__gte=F("closes_at")),
                name="competition_window_reveal",
            ),
        ]

    def __str__(self) -> str:
        return f"window {self.code}"


class PoolClip(models.Model):
    """One row of the pool that a window draws from, as it stood when the window was made."""

    window = models.ForeignKey(DrawWindow, on_delete=models.PROTECT, related_name="pool")
    clip = models.ForeignKey(DatasetClip, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["window", "clip"], name="competition_pool_clip_once"),
        ]

    def __str__(self) -> str:
        return f"{self.clip} in {self.window}"


class Draw(models.Model):
    """The clips of one key: run 0 is the window's own, a run of the live track is counted from 1."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    window = models.ForeignKey(DrawWindow, on_delete=models.PROTECT, related_name="draws")
    run = models.PositiveIntegerField(default=0)
    counts = models.JSONField()
    sha256 = models.CharField(max_length=64)
    """SHA-256 of the drawn ids, each with a line feed."""
    drawn_at = models.DateTimeField()

    class Meta:
        ordering = ["window_id", "run"]
        constraints = [
            models.UniqueConstraint(fields=["window", "run"], name="competition_draw_once"),
        ]

    def __str__(self) -> str:
        return f"draw {self.run} of {self.window}"


class DrawnClip(models.Model):
    """A clip that a draw picked."""

    draw = models.ForeignKey(Draw, on_delete=models.PROTECT, related_name="clips")
    clip = models.ForeignKey(DatasetClip, on_delete=models.PROTECT, related_name="drawn")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draw", "clip"], name="competition_drawn_once"),
        ]

    def __str__(self) -> str:
        return f"{self.clip} in {self.draw}"


class Exposure(models.Model):
    """An entrant was given the clips of a draw; counted once however often it was given them."""

    draw = models.ForeignKey(Draw, on_delete=models.PROTECT, related_name="exposures")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="exposures")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draw", "entrant"], name="competition_exposure_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entrant} saw {self.draw}"


class PhaseDraw(models.Model):
    """The draw that a phase took its clips from: once, for good. `whole` are the references before."""

    phase = models.OneToOneField(Phase, on_delete=models.PROTECT, related_name="taken_draw")
    draw = models.OneToOneField(Draw, on_delete=models.PROTECT, related_name="phase")
    whole = models.ForeignKey(ReferenceVersion, on_delete=models.PROTECT, related_name="+")
    references = models.ForeignKey(ReferenceVersion, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.phase} takes {self.draw}"
