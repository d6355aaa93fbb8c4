from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from accounts.enums import NoticeKind
from competition.models import Competition
from grading.enums import NoticeState


class Notice(models.Model):
    """One mail to one person, waiting or done. `subject` says what it is about (`submission:CODE`).

    The row is the queue: a person is told once of each subject. `due_at` is when it may be tried
    next; a try moves it first, so that no two senders try at once.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, null=True, blank=True, related_name="notices"
    )
    kind = models.CharField(max_length=16, choices=NoticeKind.choices)
    subject = models.CharField(max_length=120)
    context = models.JSONField(default=dict)
    state = models.CharField(
        max_length=16, choices=NoticeState.choices, default=NoticeState.WAITING
    )
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempt = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "kind", "subject"], name="grading_notice_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="grading_notice_kind"
            ),
            models.CheckConstraint(
                condition=Q(state=NoticeState.WAITING, ended_at__isnull=True)
                | Q(
                    state__in=[NoticeState.SENT, NoticeState.FAILED, NoticeState.DROPPED],
                    ended_at__isnull=False,
                ),
                name="grading_notice_ended",
            ),
        ]
        indexes = [models.Index(fields=["state", "due_at"], name="grading_notice_due")]

    def __str__(self) -> str:
        return f"{self.kind} notice {self.code}"
