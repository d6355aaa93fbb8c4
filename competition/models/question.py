from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.models.competition import Competition
from competition.models.entrant import Entrant
from competition.models.querysets import QuestionQuerySet


class Question(models.Model):
    """Something a person asks the organizers, and their answer.

    A public answer stands beside `shown_text`, the question as the organizers show it, without
    who asked. `entrant` is the asker's at the time; its members read along.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="questions")
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="questions"
    )
    entrant = models.ForeignKey(
        Entrant, on_delete=models.PROTECT, null=True, blank=True, related_name="questions"
    )
    text = models.TextField(max_length=2000)
    asked_at = models.DateTimeField()
    answer = models.TextField(max_length=4000, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    is_public = models.BooleanField(default=False)
    shown_text = models.TextField(max_length=2000, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answer="", answered_at__isnull=True, answered_by__isnull=True)
                | (
                    ~Q(answer="")
                    & Q(answered_at__isnull=False, answered_at__gte=models.F("asked_at"))
                    & Q(answered_by__isnull=False)
                ),
                name="competition_question_answered",
            ),
            models.CheckConstraint(
                condition=Q(is_public=False) | (~Q(answer="") & ~Q(shown_text="")),
                name="competition_question_public",
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.code}"
