from __future__ import annotations

from django.db import models
from django.db.models import Q

from grading.scoring.tracks.base import NOTHING_SHA256
from grading.scoring.tracks.nvv_t2_params import LANGUAGES as OF_SOUNDS
from grading.scoring.tracks.pillars_reading import LANGUAGES as OF_WORDS

LANGUAGES = sorted({*OF_SOUNDS, *OF_WORDS})


class JudgeCanarySet(models.Model):
    """Items with known marks that a judge is tried with; a set is never changed, `digest` names its content."""

    name = models.CharField(max_length=80, unique=True)
    digest = models.CharField(max_length=64)
    loaded_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class JudgeCanary(models.Model):
    """One such item, with its marks by name: a clip, or words alone, whose audio is no bytes.

    Some speak instructions to the judge.
    """

    set = models.ForeignKey(JudgeCanarySet, on_delete=models.PROTECT, related_name="canaries")
    canary_id = models.CharField(max_length=80)
    language = models.CharField(max_length=8)
    text = models.TextField()
    audio = models.BinaryField()
    audio_sha256 = models.CharField(max_length=64)
    frames = models.PositiveIntegerField()
    marks = models.JSONField()
    speaks_instructions = models.BooleanField(default=False)

    class Meta:
        ordering = ["canary_id"]
        constraints = [
            models.UniqueConstraint(fields=["set", "canary_id"], name="grading_judge_canary_once"),
            models.CheckConstraint(
                condition=Q(language__in=LANGUAGES), name="grading_judge_canary_language"
            ),
            models.CheckConstraint(
                condition=Q(frames__gte=1) | Q(frames=0, audio_sha256=NOTHING_SHA256),
                name="grading_judge_canary_frames",
            ),
        ]

    def __str__(self) -> str:
        return self.canary_id
