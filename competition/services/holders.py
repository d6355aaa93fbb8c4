"""Who holds what: copies by a file's hash, by person, by pack. For overseers."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from competition.enums import IssueState
from competition.models import Competition, CopyHash, Download, Pack, PackFile, PackIssue
from competition.packing.manifest import ISSUE_NAME

SHA256_LENGTH = 64
WHOLE = "*"
"""Stands for the whole zip where a file's path would be."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A copy that holds a file, and under which paths; none where the whole pack was asked for."""

    issue: PackIssue
    paths: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the hash was that of the copy's whole zip, which is one person's."""
        return self.paths == (WHOLE,)


def packs_with(competition: Competition, sha256: str) -> dict[int, tuple[str, ...]]:
    """Return the packs (by key) that hold the file of a SHA-256 or are named by it, and its paths."""
    found: dict[int, tuple[str, ...]] = {}
    files = PackFile.objects.filter(sha256=sha256, pack__competition=competition)
    for pack, path in files.values_list("pack_id", "path"):
        found[pack] = (*found.get(pack, ()), path)
    named = Pack.objects.filter(competition=competition, sha256=sha256)
    for pack in named.values_list("pk", flat=True):
        found.setdefault(pack, ())
    return found


def holders_of(competition: Competition, sha256: str) -> list[Holder]:
    """Return every copy that was issued with the file of a SHA-256, the first issue first.

    The hash may be that of a file, of a manifest, of a copy's whole zip or of its ISSUE.json; the
    last two name one person.
    """
    named = named_by(competition, sha256)
    if named:
        return named
    packs = packs_with(competition, sha256)
    issues = (
        issued(competition)
        .filter(pack__in=packs)
        .exclude(state__in=[IssueState.REQUESTED, IssueState.REFUSED])
        .order_by("number")
    )
    return [Holder(issue, packs[issue.pack_id]) for issue in issues]


def named_by(competition: Competition, sha256: str) -> list[Holder]:
    """Return the copies whose whole zip, or whose ISSUE.json, has the SHA-256."""
    hashes = CopyHash.objects.filter(Q(sha256=sha256) | Q(note_sha256=sha256))
    found = dict(hashes.values_list("issue_id", "sha256"))
    issues = issued(competition).filter(pk__in=found).order_by("number")
    whole = (WHOLE,)
    return [
        Holder(issue, whole if found[issue.pk] == sha256 else (ISSUE_NAME,)) for issue in issues
    ]


def issued(competition: Competition) -> QuerySet[PackIssue]:
    """Return the competition's copies with what a list shows of them."""
    return PackIssue.objects.filter(competition=competition).select_related(
        "pack", "person", "entrant__team", "acceptance__terms", "competition", "zip"
    )


def after_revocation(competition: Competition) -> QuerySet[Download]:
    """Return the attempts at copies that had been revoked by then, newest first."""
    return (
        Download.objects.filter(issue__competition=competition, reason="revoked")
        .select_related("issue__pack", "person")
        .order_by("-began_at")
    )
