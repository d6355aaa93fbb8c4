"""A system's output for held-out clips comes to the server: from an organizer, or from its entrant."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantState
from competition.models import Entrant, EntrantMerge
from competition.models.querysets import Viewer
from competition.rules import is_member
from competition.services.authority import require_organizer
from grading.enums import VerificationState, VerificationWay
from grading.models import (
    Verification,
    VerificationPublication,
    VerificationRun,
    VerifiedEntrant,
)
from grading.services import doorbell
from grading.services.intake import shown_filename
from grading.services.verification.errors import NotVerifiedHere, VerificationRefused
from grading.storage import StoredUpload

STANDING = (VerificationState.QUEUED, VerificationState.RUNNING, VerificationState.SCORED)


def receive(
    *,
    actor: User | None,
    named: VerifiedEntrant,
    filename: str,
    stored: StoredUpload,
    now: datetime,
) -> VerificationRun:
    """Keep an entrant's output for the held-out clips and ring for its scoring.

    It costs no quota and no participant is told. An organizer brings it where they run the system; a
    member of the entrant does in the window, where the inputs were released. The same content while it
    stands returns the run that there is. Refuses NotOrganizer, NotVerifiedHere, VerificationRefused.
    """
    admit(actor=actor, named=named, now=now)
    with audit.audited():
        Verification.objects.select_for_update().get(pk=named.verification_id)
        _require_unpublished(named.verification)
        known = named.runs.filter(content_id=stored.content_id, state__in=STANDING).first()
        if known is not None:
            return known
        made = VerificationRun.objects.create(
            named=named,
            uploader=actor,
            filename=shown_filename(filename),
            size=stored.size,
            content_id=stored.content_id,
            storage_key=stored.key,
            received_at=now,
            rung_at=now,
        )
        audit.record(
            scope=named.verification.phase.track.competition.audit_scope,
            kind="verification.received",
            actor=actor,
            target=f"verification:{named.verification.code}",
            payload={
                "run": made.code,
                "entrant": named.entrant.code,
                "size": made.size,
                "content_id": made.content_id,
            },
            now=now,
        )
        doorbell.ring(doorbell.VERIFY, made.pk)
    return made


def admit(*, actor: User | None, named: VerifiedEntrant, now: datetime) -> None:
    """Refuse a person whose upload would not be taken now; asked before a byte is read.

    Refuses NotOrganizer, NotVerifiedHere, VerificationRefused.
    """
    verification = named.verification
    if verification.way == VerificationWay.ORGANIZER:
        require_organizer(actor, verification.phase.track.competition)
    else:
        _require_window(actor, named, now)
    _require_unpublished(verification)


def is_open_to(user: Viewer, named: VerifiedEntrant, now: datetime) -> bool:
    """Return whether the person may send the entrant's output in this moment."""
    verification = named.verification
    return (
        verification.released_at is not None
        and verification.opens_at is not None
        and verification.closes_at is not None
        and verification.opens_at <= now < verification.closes_at
        and is_member(user, named.entrant)
    )


def _require_window(actor: User | None, named: VerifiedEntrant, now: datetime) -> None:
    """Raise unless the entrant's member sends it in the window."""
    if actor is None or not is_member(actor, named.entrant):
        raise NotVerifiedHere(_("The inputs were not released to you."))
    if not _takes_part(named.entrant):
        raise VerificationRefused(_("Your team takes no part any more."))
    if not is_open_to(actor, named, now):
        raise VerificationRefused(_("The window in which the output is taken is not open."))


def _takes_part(entrant: Entrant) -> bool:
    """Return whether the entrant is accepted, or the one that it went into is."""
    heirs = EntrantMerge.objects.filter(merged=entrant, kept__state=EntrantState.ACCEPTED)
    return entrant.state == EntrantState.ACCEPTED or heirs.exists()


def _require_unpublished(verification: Verification) -> None:
    if VerificationPublication.objects.filter(verification=verification).exists():
        raise VerificationRefused(_("The final standing is published; nothing is taken any more."))
