"""One upload from its first byte to its submission, for pages and API alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refusal
from accounts.services import throttles
from competition.models import Phase
from grading.models import IdempotencyKey, Submission
from grading.scoring.audio.limits import AudioLimits
from grading.scoring.types import Limits
from grading.services import idempotency, intake
from grading.storage import StoredUpload, store_stream


@dataclass(frozen=True, slots=True)
class Sent:
    """What a person sent: the file's chunks and name, the fields beside it, where from and when.

    `created_at` is when the request's headers were read; `key` may be empty. `entrant` is the code of
    the one that an organizer sends for, where organizers alone send.
    """

    chunks: Iterable[bytes]
    filename: str
    system: str
    note: str
    created_at: datetime
    endpoint: str
    key: str = ""
    address: str = ""
    user_agent: str = ""
    entrant: str = ""


def admit(
    *, actor: User, phase: Phase, endpoint: str, key: str, now: datetime, entrant: str = ""
) -> Limits | AudioLimits:
    """Return the phase's limits where an upload that began at `now` is taken, or was answered before.

    Called before a byte is read. Who repeats a request whose answer was lost gets that answer also
    when the phase has closed since. Raises what intake.admit raises.
    """
    try:
        return intake.admit(actor=actor, phase=phase, now=now, entrant=entrant)
    except Refusal:
        place = _endpoint(endpoint, phase, entrant)
        if not idempotency.is_answered(user=actor, endpoint=place, key=key, now=now):
            raise
        return intake.limits_of(phase)


def submit(*, actor: User, phase: Phase, sent: Sent) -> Submission:
    """Store the bytes, then make the submission; a repeated key returns the first one.

    Raises Throttled and what admit, storage.store_stream, idempotency.begin and intake.receive raise.
    A refused upload forgets its key, so that it may be tried again.
    """
    throttles.spend(name="upload", who=actor.code, now=timezone.now())
    limits = admit(
        actor=actor,
        phase=phase,
        endpoint=sent.endpoint,
        key=sent.key,
        now=sent.created_at,
        entrant=sent.entrant,
    )
    stored = store_stream(sent.chunks, limit=limits.file_bytes)
    if not sent.key:
        return _receive(actor, phase, sent, stored, None)
    row = idempotency.begin(
        user=actor,
        endpoint=_endpoint(sent.endpoint, phase, sent.entrant),
        key=sent.key,
        body_sha256=idempotency.fingerprint(stored.sha256, sent.system, sent.note),
        now=timezone.now(),
    )
    if row.answer is not None:
        return Submission.objects.get(code=row.answer["code"])
    try:
        return _receive(actor, phase, sent, stored, row)
    except Refusal:
        idempotency.abandon(row)
        raise


def _endpoint(name: str, phase: Phase, entrant: str) -> str:
    code = entrant if entrant.isascii() and entrant.isalnum() else ""
    return f"{name}:{phase.code}:{code}".removesuffix(":")


def _receive(
    actor: User, phase: Phase, sent: Sent, stored: StoredUpload, row: IdempotencyKey | None
) -> Submission:
    return intake.receive(
        actor=actor,
        phase=phase,
        system=sent.system,
        note=sent.note,
        filename=sent.filename,
        stored=stored,
        created_at=sent.created_at,
        now=timezone.now(),
        idempotency=row,
        address=sent.address,
        user_agent=sent.user_agent,
        entrant=sent.entrant,
    )
