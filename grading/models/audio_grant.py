"""Links to sounds: who may hear what, in which log-in, until when."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import Q

from grading.models.rating import Stimulus
from grading.models.rating_people import RatingSession
from grading.models.rating_work import RatingTask


def new_salt() -> str:
    """Return 128 random bits in hex."""
    return secrets.token_hex(16)


class AudioGrant(models.Model):
    """A link to one sound, for one rater in one log-in; it lapses when it is not used.

    The sound is that of a task (`part` says which, where two are compared: 0 is heard first), that of a practice item (`stimulus` without `task`), or one of the
    check's own (`check`). The link's token follows from `salt` by the server's secret; stored is
    its digest alone. `login` is a keyed hash of the log-in's session.
    """

    session = models.ForeignKey(
        RatingSession, on_delete=models.CASCADE, related_name="audio_grants"
    )
    task = models.ForeignKey(
        RatingTask, on_delete=models.CASCADE, null=True, related_name="audio_grants"
    )
    stimulus = models.ForeignKey(
        Stimulus, on_delete=models.CASCADE, null=True, related_name="audio_grants"
    )
    part = models.PositiveSmallIntegerField(default=0)
    check_sound = models.CharField(max_length=16, blank=True)
    login = models.CharField(max_length=64)
    salt = models.CharField(max_length=32, default=new_salt)
    token_digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(stimulus__isnull=False, check_sound="")
                | (Q(task__isnull=True, stimulus__isnull=True) & ~Q(check_sound="")),
                name="grading_audio_grant_sound",
            ),
            models.CheckConstraint(
                condition=Q(part=0) | Q(part=1, task__isnull=False),
                name="grading_audio_grant_part",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("made_at")), name="grading_audio_grant_window"
            ),
            models.CheckConstraint(
                condition=~Q(token_digest="") & ~Q(login="") & ~Q(salt=""),
                name="grading_audio_grant_bound",
            ),
            models.UniqueConstraint(
                fields=["task", "login", "part"],
                condition=Q(task__isnull=False),
                name="grading_audio_grant_task",
            ),
            models.UniqueConstraint(
                fields=["session", "stimulus", "login"],
                condition=Q(task__isnull=True, stimulus__isnull=False),
                name="grading_audio_grant_practice",
            ),
            models.UniqueConstraint(
                fields=["session", "check_sound", "login"],
                condition=~Q(check_sound=""),
                name="grading_audio_grant_check",
            ),
        ]
        indexes = [
            models.Index(fields=["expires_at"], name="grading_audio_grant_old"),
        ]

    def __str__(self) -> str:
        return f"audio grant {self.pk}"
