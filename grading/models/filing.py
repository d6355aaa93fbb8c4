"""What the entrant of a selected system files for verification, and what organizers found."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from grading.enums import FilingKind, FilingVerdict
from grading.models.final import FinalSystem
from grading.models.querysets import FilingQuerySet

TEXT_LENGTH = 10_000
LINK_LENGTH = 500
NOTE_LENGTH = 1000


class Filing(models.Model):
    """One paper of one kind for one selected system; a later one takes the place of the earlier.

    A text, a link, a stored file, or several of these. Never edited.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    system = models.ForeignKey(FinalSystem, on_delete=models.PROTECT, related_name="filings")
    kind = models.CharField(max_length=16, choices=FilingKind.choices)
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True, max_length=TEXT_LENGTH)
    link = models.CharField(blank=True, max_length=LINK_LENGTH)
    filename = models.CharField(blank=True, max_length=200)
    storage_key = models.CharField(blank=True, max_length=200)
    sha256 = models.CharField(blank=True, max_length=64)
    size = models.PositiveBigIntegerField(null=True)
    filed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    filed_at = models.DateTimeField()

    objects = FilingQuerySet.as_manager()

    class Meta:
        ordering = ["system_id", "kind", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "kind", "number"], name="grading_filing_number"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=FilingKind.values), name="grading_filing_kind"
            ),
            models.CheckConstraint(
                condition=~Q(text="") | ~Q(link="") | ~Q(storage_key=""),
                name="grading_filing_not_empty",
            ),
            models.CheckConstraint(
                condition=Q(storage_key="", sha256="", size__isnull=True)
                | (~Q(storage_key="") & ~Q(sha256="") & Q(size__gte=1)),
                name="grading_filing_file",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.system}"


class FilingCheck(models.Model):
    """What an organizer found of one filing, by whom and when. The newest counts; never edited."""

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="checks")
    verdict = models.CharField(max_length=16, choices=FilingVerdict.choices)
    note = models.CharField(blank=True, max_length=NOTE_LENGTH)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    checked_at = models.DateTimeField()

    class Meta:
        ordering = ["filing_id", "-checked_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=FilingVerdict.values), name="grading_filing_verdict"
            ),
            models.CheckConstraint(
                condition=Q(verdict=FilingVerdict.ACCEPTED) | ~Q(note=""),
                name="grading_filing_note",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.filing}"
