"""Papers for verification: the entrant of a selected system files them, organizers check each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantState
from competition.models import Entrant
from competition.rules import is_member
from competition.services.authority import require_organizer
from competition.services.writing import accepted_text
from grading import storage
from grading.enums import FilingKind, FilingVerdict, SelectionReason
from grading.models import Filing, FilingCheck, FinalSystem
from grading.models.filing import LINK_LENGTH, NOTE_LENGTH, TEXT_LENGTH
from grading.services import intake, news
from grading.services.final import errors

FILE_BYTES = 10 * 1024 * 1024
MOST_FILINGS = 50
"""Of one kind for one system: every one of them is kept."""
UNRANKED = {SelectionReason.REFERENCE, SelectionReason.ANCHOR}


@dataclass(frozen=True, slots=True)
class SentPaper:
    """What an entrant sends: a text, a link, a file as chunks, or several of these."""

    text: str = ""
    link: str = ""
    filename: str = ""
    chunks: Iterable[bytes] | None = None


def file(
    *, actor: User, system: FinalSystem, kind: FilingKind, sent: SentPaper, now: datetime
) -> Filing:
    """Keep a paper; it takes the place of the one before, which stays in the history.

    Refuses NotTheirSystem, FilingRefused, FilingInvalid, TextInvalid, UploadTooLarge,
    EmptyUpload, StorageUnavailable.
    """
    entrant = system.submission.entrant
    if not is_member(actor, entrant):
        raise errors.NotTheirSystem(_("Only the team itself files its papers."))
    _check_room(system, kind, entrant)
    text = accepted_text(sent.text, limit=TEXT_LENGTH, field="text") if sent.text.strip() else ""
    link = _link(sent.link)
    stored = None if sent.chunks is None else storage.store_stream(sent.chunks, limit=FILE_BYTES)
    if not (text or link or stored):
        raise errors.FilingInvalid(_("Give a text, a link or a file."), field="text")
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=entrant.pk)
        filing = Filing.objects.create(
            system=system,
            kind=kind,
            number=_next_number(system, kind),
            text=text,
            link=link,
            filename=intake.shown_filename(sent.filename) if stored else "",
            storage_key=stored.key if stored else "",
            sha256=stored.sha256 if stored else "",
            size=stored.size if stored else None,
            filed_by=actor,
            filed_at=now,
        )
        _record("filing.filed", actor, filing, now, sha256=filing.sha256)
    return filing


def check(
    *, actor: User, filing: Filing, verdict: FilingVerdict, note: str, now: datetime
) -> FilingCheck:
    """Accept a filing or return it with a note; the entrant is told. The newest word counts.

    Refuses NotOrganizer, TextInvalid, FilingInvalid (returned without a note) and FilingRefused
    (a newer filing has taken its place).
    """
    competition = filing.system.submission.phase.track.competition
    require_organizer(actor, competition)
    text = accepted_text(note, limit=NOTE_LENGTH, field="note") if note.strip() else ""
    if verdict == FilingVerdict.RETURNED and not text:
        raise errors.FilingInvalid(_("Say what is missing; the team reads it."), field="note")
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=filing.system.submission.entrant_id)
        if filing.number != _next_number(filing.system, filing.kind) - 1:
            raise errors.FilingRefused(_("The team has filed a newer one. Look at that."))
        found = FilingCheck.objects.create(
            filing=filing, verdict=verdict, note=text, checked_by=actor, checked_at=now
        )
        news.filing_checked(check=found, now=now)
        _record("filing.checked", actor, filing, now, verdict=verdict.value)
    return found


def _check_room(system: FinalSystem, kind: FilingKind, entrant: Entrant) -> None:
    if system.reason in UNRANKED or entrant.state != EntrantState.ACCEPTED:
        raise errors.FilingRefused(_("Nothing is filed for this system."))
    if Filing.objects.filter(system=system, kind=kind).count() >= MOST_FILINGS:
        raise errors.FilingRefused(
            _("Filed %(most)s times already; write to the organizers.") % {"most": MOST_FILINGS}
        )


def _link(link: str) -> str:
    """Return an https address as it is kept, possibly empty; no user name or password is in it."""
    text = link.strip()
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_whole = False
    is_plain = text.isascii() and text.isprintable() and " " not in text
    if not is_whole or not is_plain or len(text) > LINK_LENGTH:
        raise errors.FilingInvalid(
            _("Give an address that begins with https://, at most %(most)s characters.")
            % {"most": LINK_LENGTH},
            field="link",
        )
    return text


def _next_number(system: FinalSystem, kind: str) -> int:
    found = Filing.objects.filter(system=system, kind=kind).aggregate(last=Max("number"))
    return (found["last"] or 0) + 1


def _record(kind: str, actor: User, filing: Filing, now: datetime, **payload: object) -> None:
    submission = filing.system.submission
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"submission:{submission.code}",
        payload={"filing": filing.code, "kind": filing.kind, "number": filing.number, **payload},
        now=now,
    )
