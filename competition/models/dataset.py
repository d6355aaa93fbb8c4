from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.enums import Pool
from competition.models.competition import Competition
from competition.models.querysets import DatasetQuerySet, DatasetVersionQuerySet


class Dataset(models.Model):
    """A named collection of clips of a competition; what it holds stands in its versions."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="datasets")
    slug = models.SlugField(max_length=64)
    title = models.CharField(max_length=120)
    created_at = models.DateTimeField()

    objects = DatasetQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "slug"], name="competition_dataset_slug"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.competition}/{self.slug}"


class DatasetVersion(models.Model):
    """A frozen list of clips. `sha256` is that of its canonical manifest, texts not included.

    The texts lie in the hidden area (`texts_key`); no row holds them.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    clip_count = models.PositiveIntegerField()
    texts_sha256 = models.CharField(max_length=64, blank=True)
    texts_key = models.CharField(max_length=200, blank=True)
    loaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    loaded_at = models.DateTimeField()

    objects = DatasetVersionQuerySet.as_manager()

    class Meta:
        ordering = ["dataset_id", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "number"], name="competition_dataset_version"
            ),
            models.UniqueConstraint(fields=["dataset", "sha256"], name="competition_dataset_once"),
            models.CheckConstraint(
                condition=Q(clip_count__gte=1), name="competition_dataset_holds"
            ),
            models.CheckConstraint(
                condition=Q(texts_sha256="", texts_key="")
                | (~Q(texts_sha256="") & ~Q(texts_key="")),
                name="competition_dataset_texts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset} v{self.number}"


class Audio(models.Model):
    """The bytes of a clip, stored once by their SHA-256, and the pool that they are in.

    The pool belongs to the bytes, not to a version: the same audio cannot be in two.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    crc32 = models.BigIntegerField()
    size = models.PositiveBigIntegerField()
    storage_key = models.CharField(max_length=200)
    pool = models.CharField(max_length=16, choices=Pool.choices)
    stored_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(pool__in=Pool.values), name="competition_pool"),
            models.CheckConstraint(condition=Q(size__gte=1), name="competition_audio_size"),
            models.CheckConstraint(
                condition=Q(crc32__gte=0, crc32__lte=0xFFFFFFFF), name="competition_audio_crc"
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class PoolMove(models.Model):
    """Audio went from one pool to another, by whom and why. Never edited."""

    audio = models.ForeignKey(Audio, on_delete=models.PROTECT, related_name="moves")
    old = models.CharField(max_length=16, choices=Pool.choices)
    new = models.CharField(max_length=16, choices=Pool.choices)
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(old__in=Pool.values, new__in=Pool.values) & ~Q(old=models.F("new")),
                name="competition_pool_move",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="competition_pool_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.audio}: {self.old} to {self.new}"


class DatasetClip(models.Model):
    """One clip of a version: its id, language, tier and length; the text is elsewhere."""

    version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="clips")
    utt_id = models.CharField(max_length=200)
    language = models.CharField(max_length=16)
    tier = models.CharField(max_length=32)
    milliseconds = models.PositiveIntegerField()
    audio = models.ForeignKey(Audio, on_delete=models.PROTECT, related_name="clips")

    class Meta:
        ordering = ["version_id", "utt_id"]
        constraints = [
            models.UniqueConstraint(fields=["version", "utt_id"], name="competition_clip_once"),
            models.UniqueConstraint(fields=["version", "audio"], name="competition_clip_audio"),
            models.CheckConstraint(
                condition=~Q(utt_id="") & ~Q(tier="") & ~Q(language=""),
                name="competition_clip_named",
            ),
        ]

    def __str__(self) -> str:
        return self.utt_id
