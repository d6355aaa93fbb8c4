from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.codes import new_code
from competition.enums import (
    BandRule,
    BoardAct,
    BoardVisibility,
    ClipSource,
    Feedback,
    Selection,
    Senders,
)
from competition.models.competition import Competition
from competition.models.querysets import PhaseQuerySet, ReferenceVersionQuerySet, TrackQuerySet


class Track(models.Model):
    """One task of a competition: `kind` names the scorer's track (`nvv-t1`), `params` its settings."""

    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="tracks")
    slug = models.SlugField(max_length=64)
    kind = models.CharField(max_length=32)
    position = models.PositiveIntegerField(default=0)
    texts = models.JSONField(default=dict)
    params = models.JSONField(default=dict)

    objects = TrackQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "position", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "slug"], name="competition_track_slug"),
        ]

    def __str__(self) -> str:
        return f"{self.competition}/{self.slug}"


class ReferenceVersion(models.Model):
    """One version of a track's hidden references: `storage_key` lies in the hidden area only."""

    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="reference_versions")
    name = models.CharField(max_length=64)
    version = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    counts = models.JSONField()
    loaded_at = models.DateTimeField()

    objects = ReferenceVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["track", "name", "version"], name="competition_reference_version"
            ),
            models.UniqueConstraint(
                fields=["track", "name", "sha256"], name="competition_reference_content"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class ReferenceUtterance(models.Model):
    """The public half of a reference row: its id and language, never its text."""

    references = models.ForeignKey(
        ReferenceVersion, on_delete=models.CASCADE, related_name="utterances"
    )
    utt_id = models.CharField(max_length=200)
    language = models.CharField(max_length=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["references", "utt_id"], name="competition_utterance_once"
            ),
        ]

    def __str__(self) -> str:
        return self.utt_id


class Phase(models.Model):
    """A time window of a track with its references, quota and visibility. `closes_at` is exclusive.

    `held_from` freezes the board by hand, also beyond the end; while `hidden_at` is set only
    overseers see the board. Where `clips` are drawn, `references` are those of the whole pool until the
    draw is made (PhaseDraw), and from then on those of the drawn clips alone. Where `senders` are the
    organizers, nobody else sends a file.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="phases")
    slug = models.SlugField(max_length=64)
    position = models.PositiveIntegerField(default=0)
    texts = models.JSONField(default=dict)
    references = models.ForeignKey(ReferenceVersion, on_delete=models.PROTECT, related_name="+")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    grace_minutes = models.PositiveIntegerField(default=30)
    frozen_from = models.DateTimeField(null=True, blank=True)
    held_from = models.DateTimeField(null=True, blank=True)
    hidden_at = models.DateTimeField(null=True, blank=True)
    quota_per_day = models.PositiveIntegerField(null=True, blank=True)
    quota_total = models.PositiveIntegerField(null=True, blank=True)
    feedback = models.CharField(max_length=16, choices=Feedback.choices, default=Feedback.ROUNDED)
    board_visibility = models.CharField(
        max_length=16, choices=BoardVisibility.choices, default=BoardVisibility.PUBLIC
    )
    selection = models.CharField(
        max_length=24, choices=Selection.choices, default=Selection.MARKED_ELSE_BEST
    )
    band_rule = models.CharField(max_length=16, choices=BandRule.choices, default=BandRule.LEADER)
    limits = models.JSONField(default=dict)
    clips = models.CharField(
        max_length=8,
        choices=ClipSource.choices,
        default=ClipSource.LISTED,
        db_default=ClipSource.LISTED.value,
    )
    senders = models.CharField(
        max_length=10,
        choices=Senders.choices,
        default=Senders.ENTRANTS,
        db_default=Senders.ENTRANTS.value,
    )

    objects = PhaseQuerySet.as_manager()

    class Meta:
        ordering = ["track_id", "position", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["track", "slug"], name="competition_phase_slug"),
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="competition_phase_window"
            ),
            models.CheckConstraint(
                condition=Q(quota_per_day__isnull=True) | Q(quota_per_day__gte=1),
                name="competition_phase_quota_day",
            ),
            models.CheckConstraint(
                condition=Q(quota_total__isnull=True) | Q(quota_total__gte=1),
                name="competition_phase_quota_total",
            ),
            models.CheckConstraint(
                condition=Q(feedback__in=Feedback.values), name="competition_phase_feedback"
            ),
            models.CheckConstraint(
                condition=Q(board_visibility__in=BoardVisibility.values),
                name="competition_phase_visibility",
            ),
            models.CheckConstraint(
                condition=Q(selection__in=Selection.values), name="competition_phase_selection"
            ),
            models.CheckConstraint(
                condition=Q(band_rule__in=BandRule.values), name="competition_phase_band_rule"
            ),
            models.CheckConstraint(
                condition=Q(clips__in=ClipSource.values), name="competition_phase_clips"
            ),
            models.CheckConstraint(
                condition=Q(senders__in=Senders.values), name="competition_phase_senders"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.track}/{self.slug}"


class DeadlineChange(models.Model):
    """A moved deadline keeps the old date and the reason."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="deadline_changes")
    field = models.CharField(max_length=16)
    old = models.DateTimeField(null=True)
    new = models.DateTimeField(null=True)
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.phase} {self.field}"


class BoardChange(models.Model):
    """A board was frozen, unfrozen, published or taken down, by whom and why. Never edited."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="board_changes")
    act = models.CharField(max_length=16, choices=BoardAct.choices)
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(act__in=BoardAct.values), name="competition_board_act"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="competition_board_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.phase} {self.act}"
