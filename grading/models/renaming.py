from __future__ import annotations

from django.conf import settings
from django.db import models

from grading.models.submission import Submission


class Renaming(models.Model):
    """One change of what a submission is called; the row is evidence and never changes."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="renamings")
    old_system = models.CharField(max_length=80)
    new_system = models.CharField(max_length=80)
    old_note = models.CharField(max_length=500, blank=True)
    new_note = models.CharField(max_length=500, blank=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"renaming of {self.submission_id}"
