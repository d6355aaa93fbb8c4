from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.enums import DownloadEnd, IssueState
from competition.models.competition import Competition, TermsAcceptance
from competition.models.entrant import Entrant
from competition.models.querysets import PackIssueQuerySet, PackQuerySet


class Pack(models.Model):
    """A named, versioned set of files for participants. `sha256` is that of its manifest: its identity.

    `approve` says that an organizer approves each request; otherwise accepting the terms is enough.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="packs")
    name = models.SlugField(max_length=64)
    version = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    file_count = models.PositiveIntegerField()
    content_size = models.PositiveBigIntegerField()
    note = models.CharField(max_length=500, blank=True)
    approve = models.BooleanField(default=True)
    valid_days = models.PositiveIntegerField(default=30)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    offered_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = PackQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "name", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "name", "version"], name="competition_pack_version"
            ),
            models.UniqueConstraint(
                fields=["competition", "sha256"], name="competition_pack_content"
            ),
            models.CheckConstraint(condition=Q(file_count__gte=1), name="competition_pack_holds"),
            models.CheckConstraint(
                condition=Q(valid_days__gte=1, valid_days__lte=3660), name="competition_pack_days"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(offered_at__isnull=False),
                name="competition_pack_offer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class PackFile(models.Model):
    """A file of a pack, and where its bytes lie."""

    pack = models.ForeignKey(Pack, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=240)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    crc32 = models.BigIntegerField()
    storage_key = models.CharField(max_length=200)

    class Meta:
        ordering = ["pack_id", "path"]
        constraints = [
            models.UniqueConstraint(fields=["pack", "path"], name="competition_pack_path"),
            models.CheckConstraint(
                condition=Q(crc32__gte=0, crc32__lte=0xFFFFFFFF), name="competition_pack_crc"
            ),
        ]

    def __str__(self) -> str:
        return self.path


class PackIssue(models.Model):
    """One named person's copy of a pack. `number` counts the issues of a competition.

    `acceptance` holds the version of the terms with the name that the person typed.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="issues")
    number = models.PositiveIntegerField()
    pack = models.ForeignKey(Pack, on_delete=models.PROTECT, related_name="issues")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="issues")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="issues"
    )
    acceptance = models.ForeignKey(TermsAcceptance, on_delete=models.PROTECT, related_name="issues")
    state = models.CharField(
        max_length=16, choices=IssueState.choices, default=IssueState.REQUESTED
    )
    requested_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)
    sent = models.PositiveBigIntegerField(default=0)
    """The sum of `sent` over its downloads, kept beside them so that a look-up need not add."""
    sent_at = models.DateTimeField(null=True, blank=True)
    denied = models.PositiveIntegerField(default=0)
    note = models.BinaryField(default=b"")
    """The bytes of ISSUE.json, written when the copy is issued; the zip's hash follows from them."""

    objects = PackIssueQuerySet.as_manager()

    class Meta:
        ordering = ["competition_id", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "number"], name="competition_issue_number"
            ),
            models.UniqueConstraint(
                fields=["pack", "person"],
                condition=Q(state__in=[IssueState.REQUESTED, IssueState.ACTIVE]),
                name="competition_issue_once",
            ),
            models.CheckConstraint(
                condition=Q(state__in=IssueState.values), name="competition_issue_state"
            ),
            models.CheckConstraint(
                condition=Q(state=IssueState.REQUESTED, decided_at__isnull=True)
                | (~Q(state=IssueState.REQUESTED) & Q(decided_at__isnull=False)),
                name="competition_issue_decided",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[IssueState.REQUESTED, IssueState.REFUSED])
                | Q(expires_at__isnull=False),
                name="competition_issue_issued",
            ),
            models.CheckConstraint(
                condition=Q(state=IssueState.REVOKED, revoked_at__isnull=False)
                | (~Q(state=IssueState.REVOKED) & Q(revoked_at__isnull=True)),
                name="competition_issue_revoked",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[IssueState.REFUSED, IssueState.REVOKED]) | ~Q(reason=""),
                name="competition_issue_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"issue {self.number} of {self.pack}"


class Download(models.Model):
    """One attempt to download a copy: who, when, which bytes. Ranges that follow each other are one.

    `person` is who asked, also where that was not the recipient and nothing was sent. `low` and
    `high` bound the bytes that were sent, `sent` counts them, `requests` the requests that were joined.
    """

    issue = models.ForeignKey(PackIssue, on_delete=models.PROTECT, related_name="downloads")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="downloads"
    )
    began_at = models.DateTimeField()
    last_at = models.DateTimeField()
    low = models.PositiveBigIntegerField(default=0)
    high = models.PositiveBigIntegerField(default=0)
    sent = models.PositiveBigIntegerField(default=0)
    requests = models.PositiveIntegerField(default=1)
    end = models.CharField(max_length=8, choices=DownloadEnd.choices, default=DownloadEnd.OPEN)
    reason = models.CharField(max_length=32, blank=True)

    class Meta:
        ordering = ["-began_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(end__in=DownloadEnd.values), name="competition_download_end"
            ),
            models.CheckConstraint(
                condition=Q(high__gte=models.F("low"), last_at__gte=models.F("began_at")),
                name="competition_download_range",
            ),
            models.CheckConstraint(
                condition=~Q(end=DownloadEnd.DENIED) | (Q(sent=0) & ~Q(reason="")),
                name="competition_download_denied",
            ),
        ]
        indexes = [
            models.Index(fields=["issue", "-began_at"], name="competition_download_issue"),
        ]

    def __str__(self) -> str:
        return f"download of {self.issue}"


class PackAddressee(models.Model):
    """A pack with addressees is for the entrants that are named alone; nobody else knows of it."""

    pack = models.ForeignKey(Pack, on_delete=models.PROTECT, related_name="addressees")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pack", "entrant"], name="competition_pack_addressee_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pack} for {self.entrant}"
