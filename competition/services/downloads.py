"""Downloads of copies: who may have which bytes now, and a record of every byte before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import DownloadEnd, IssueState
from competition.models import Download, PackIssue
from competition.packing.layout import Layout, Literal
from competition.packing.manifest import manifest_bytes
from competition.services import issues, packs, vault
from competition.services.errors import DownloadDenied

LINK_SECONDS: Final = 3600
JOIN_WITHIN: Final = timedelta(hours=24)
BLOCK: Final = 4 * 1024 * 1024
"""So much is noted before it is sent: a server that dies says at most this much too much."""

_SALT: Final = "competition.downloads"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that may be sent: its zip as a layout, where its files lie, and its entity tag."""

    issue: PackIssue
    layout: Layout
    keys: dict[str, str]
    etag: str


ENDED = {IssueState.REVOKED: "revoked", IssueState.EXPIRED: "expired"}


def sign(issue: PackIssue, person: User) -> str:
    """Return the token of a link: for this copy and this person, for an hour."""
    return signing.dumps([issue.code, person.code], salt=_SALT)


def open_copy(*, issue: PackIssue, person: User, token: str, now: datetime) -> Copy:
    """Return the copy when the person may have it now; else note the attempt.

    Refuses DownloadDenied: another person's copy or link, a link that is old, a copy that was not
    issued, has expired or was revoked, a person who is out of the entrant.
    """
    reason = _why_not(issue, person, token, now)
    if reason:
        deny(issue=issue, person=person, reason=reason, now=now)
    files, keys = packs.packed_files(issue.pack)
    manifest = manifest_bytes(issue.pack.name, issue.pack.version, files)
    layout = Layout(manifest, files, bytes(issue.note))
    return Copy(issue, layout, keys, f'"{issue.pack.sha256[:32]}-{issue.code}"')


def deny(*, issue: PackIssue, person: User, reason: str, now: datetime) -> None:
    """Note an attempt that gets nothing, and raise DownloadDenied."""
    with audit.audited():
        Download.objects.create(
            issue=issue,
            person=person,
            began_at=now,
            last_at=now,
            end=DownloadEnd.DENIED,
            reason=reason,
        )
        PackIssue.objects.filter(pk=issue.pk).update(denied=F("denied") + 1)
        _record(issue, person, "download.denied", now, reason=reason)
    raise DownloadDenied(_("This copy cannot be downloaded with this link."), reason=reason)


def begin(*, copy: Copy, person: User, first: int, now: datetime) -> Download:
    """Return the record that a request's bytes are noted in: of the attempt that it goes on with, or new.

    A request goes on with an attempt of the same person that stands where it begins, in the last day.
    Should the one before be sending still, the record is the newer request's (`note`).
    """
    issue = copy.issue
    earlier = (
        Download.objects.filter(
            issue=issue,
            person=person,
            high=first,
            last_at__gte=now - JOIN_WITHIN,
            end__in=[DownloadEnd.OPEN, DownloadEnd.BROKEN],
        )
        .exclude(sent=0)
        .select_related("issue__competition", "person")
        .order_by("-last_at")
        .first()
    )
    if earlier is not None:
        mine = Download.objects.filter(pk=earlier.pk, high=first, requests=earlier.requests)
        if mine.update(requests=F("requests") + 1, last_at=now, end=DownloadEnd.OPEN):
            earlier.requests += 1
            return earlier
    with audit.audited():
        return _begun(issue, person, first, now)


def _begun(issue: PackIssue, person: User, first: int, now: datetime) -> Download:
    made = Download.objects.create(
        issue=issue, person=person, began_at=now, last_at=now, low=first, high=first
    )
    _record(issue, person, "download.begun", now, first=first)
    return made


def note(*, download: Download, size: int, now: datetime) -> Download | None:
    """Note bytes that are about to be sent and return the record they stand in; None: send nothing.

    It is another record than the one given where a newer request went on with that one meanwhile: two
    requests that add to one would make a stretch of it that nobody received.
    """
    with audit.audited():
        stays = PackIssue.objects.filter(
            pk=download.issue_id, state=IssueState.ACTIVE, expires_at__gt=now
        ).update(sent=F("sent") + size, sent_at=now)
        if not stays:
            return None
        if not _add(download, size, now):
            download = _begun(download.issue, download.person, download.high, now)
            _add(download, size, now)
    download.high += size
    return download


def end(*, download: Download, unsent: int, whole_size: int, now: datetime) -> None:
    """Close a request's part of the record; `unsent` bytes were noted and never left.

    Where a newer request has the record, they stay noted: it says so much too much, never too little.
    """
    with transaction.atomic():
        issue = PackIssue.objects.select_for_update().get(pk=download.issue_id)
        if not _add(download, -unsent, now):
            return
        issue.sent -= unsent
        issue.save(update_fields=["sent"])
    row = Download.objects.select_related("issue__competition", "person").get(pk=download.pk)
    is_whole = row.low == 0 and row.high == whole_size
    state = DownloadEnd.WHOLE if is_whole else DownloadEnd.BROKEN
    with audit.audited():
        is_ours = Download.objects.filter(pk=row.pk, requests=download.requests).update(end=state)
        if is_whole and is_ours:
            _record(row.issue, row.person, "download.whole", now, size=whole_size)


def _add(download: Download, size: int, now: datetime) -> bool:
    """Add to a request's record; return False when a newer request has it."""
    mine = Download.objects.filter(pk=download.pk, requests=download.requests)
    return bool(mine.update(high=F("high") + size, sent=F("sent") + size, last_at=now))


def blocks(copy: Copy, first: int, size: int) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Yield the bytes of a range block by block: how many, and the pieces of them."""
    for start in range(first, first + size, BLOCK):
        stop = min(start + BLOCK, first + size)
        yield stop - start, pieces(copy.layout, copy.keys, start, stop)


def pieces(layout: Layout, keys: dict[str, str], start: int, stop: int) -> Iterator[bytes]:
    """Yield the bytes of a zip from `start` up to, without, `stop`. Raises OSError, also midway."""
    for piece in layout.pieces(start, stop):
        if isinstance(piece, Literal):
            yield piece.data
        else:
            yield from vault.served_slice(keys[piece.file.path], piece.offset, piece.size)


def _why_not(issue: PackIssue, person: User, token: str, now: datetime) -> str:
    """Return why the person may not have the copy now, in a word; empty when they may."""
    if issue.person_id != person.pk:
        return "another-person"
    reason = _fault_of(token, issue, person)
    if reason:
        return reason
    if issue.state != IssueState.ACTIVE:
        return ENDED.get(IssueState(issue.state), "not-issued")
    if issue.expires_at is None or now >= issue.expires_at:
        return "expired"
    return "" if issues.stays_in(issue, person.pk) else "left"


def _fault_of(token: str, issue: PackIssue, person: User) -> str:
    try:
        named = signing.loads(token, salt=_SALT, max_age=LINK_SECONDS)
    except signing.SignatureExpired:
        return "old-link"
    except signing.BadSignature:
        return "no-link"
    return "" if named == [issue.code, person.code] else "another-link"


def _record(issue: PackIssue, person: User, kind: str, now: datetime, **payload: object) -> None:
    audit.record(
        scope=issue.competition.audit_scope,
        kind=kind,
        actor=person,
        target=f"issue:{issue.code}",
        payload={"number": issue.number, **payload},
        now=now,
    )
