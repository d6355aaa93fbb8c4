from __future__ import annotations

from django.db import models
from django.db.models import Q

from grading.enums import AnswerSource
from grading.models.querysets import JudgeAnswerQuerySet
from grading.scoring.tracks.nvv_t2_judge import MOST_MARK
from grading.scoring.tracks.nvv_t2_marks import HIGHEST, LOWEST

FIVE = {name: f"mark_{name.lower()}" for name in LOWEST}
ONE = "mark"


def _in_range() -> Q:
    """Return a condition that there are five marks in range, or the one; NaN and infinities fail it.

    A null would pass a check: each column is asked for.
    """
    bounds = {f"{column}__gte": LOWEST[name] for name, column in FIVE.items()}
    bounds |= {f"{column}__lte": HIGHEST for column in FIVE.values()}
    there = {f"{column}__isnull": False for column in FIVE.values()}
    gone = {f"{column}__isnull": True for column in FIVE.values()}
    five = Q(**there, **bounds, mark__isnull=True)
    one = Q(mark__isnull=False, mark__gte=-MOST_MARK, mark__lte=MOST_MARK)
    return five | (one & Q(**gone, is_absent=False))


class JudgeAnswer(models.Model):
    """One answer that counts: the marks of one item, by one profile and replicate.

    An item is a clip with one text, and has five marks, or words alone, and has one: the SHA-256 of
    its audio is then that of no bytes. `cache_key` is made of what was asked and never of whose item
    it was, so that the same item costs once. Marks are those that were answered; caps come later.
    Costs are in millionths of the definition's currency. Nothing here is ever changed.
    """

    cache_key = models.CharField(max_length=64, unique=True)
    protocol_digest = models.CharField(max_length=64)
    audio_sha256 = models.CharField(max_length=64)
    text_sha256 = models.CharField(max_length=64)
    profile = models.CharField(max_length=40)
    replicate = models.PositiveSmallIntegerField()
    seed = models.PositiveIntegerField()
    source = models.CharField(max_length=12, choices=AnswerSource.choices)
    endpoint = models.CharField(max_length=200)
    model_asked = models.CharField(max_length=120)
    model_answered = models.CharField(max_length=120)
    fingerprint = models.CharField(max_length=120, blank=True)
    prompt_sha256 = models.CharField(max_length=64)
    answer_format = models.CharField(max_length=16)
    raw = models.TextField()
    mark_a = models.FloatField(null=True)
    mark_p = models.FloatField(null=True)
    mark_n = models.FloatField(null=True)
    mark_q = models.FloatField(null=True)
    mark_e = models.FloatField(null=True)
    mark = models.FloatField(null=True)
    """The one mark of a judge of words."""
    is_absent = models.BooleanField()
    """Whether the structured field says that the vocalization was not heard: A and P are then 0."""
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    audio_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_micro = models.PositiveBigIntegerField()
    latency_ms = models.PositiveIntegerField()
    answered_at = models.DateTimeField()

    objects = JudgeAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=_in_range(), name="grading_judge_answer_marks"),
            models.CheckConstraint(
                condition=Q(source__in=AnswerSource.values), name="grading_judge_answer_source"
            ),
        ]
        indexes = [models.Index(fields=["audio_sha256"], name="grading_judge_answer_audio")]

    def __str__(self) -> str:
        return f"answer {self.cache_key[:12]}"

    @property
    def named_marks(self) -> dict[str, float]:
        """The marks by name, A, P, N, Q, E or `mark`; what was said to be absent has A = P = 0."""
        if self.mark is not None:
            return {ONE: self.mark}
        marks: dict[str, float] = {name: getattr(self, column) for name, column in FIVE.items()}
        return {**marks, "A": 0.0, "P": 0.0} if self.is_absent else marks

    @property
    def marks(self) -> list[float]:
        """The marks alone: the five in the order A, P, N, Q, E, or the one."""
        return list(self.named_marks.values())
