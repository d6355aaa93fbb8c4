from __future__ import annotations

from django.db import models

from competition.models.pack import PackIssue


class CopyHash(models.Model):
    """The SHA-256 of one person's whole zip, written once it was computed: it names the person.

    `note_sha256` is that of its ISSUE.json, the one member that is different in every copy.
    """

    issue = models.OneToOneField(PackIssue, on_delete=models.PROTECT, related_name="zip")
    sha256 = models.CharField(max_length=64, db_index=True)
    note_sha256 = models.CharField(max_length=64, db_index=True)
    size = models.PositiveBigIntegerField()
    hashed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"zip of {self.issue}"
