"""Uploads in parts: named whole at the beginning, sent in any order, put together at the end.

Begin -> send parts -> complete; ask at any time what is missing; abort, or wait for it to expire. No file
and no bucket is touched inside a transaction.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.codes import new_code
from accounts.models import User
from accounts.services import audit, throttles
from competition.models import Entrant, Phase
from competition.rules import is_member
from competition.timeline import aoe_day, day_reset
from grading.enums import UploadEnd, UploadState
from grading.identity import MOST_PARTS, PART_BYTES, SINGLE_BYTES, content_id, part_sizes
from grading.models import Submission, UploadPart, UploadSession
from grading.services import errors, intake
from grading.services.part_links import assembly_of
from grading.shown import filesize
from grading.storage import (
    BytesMissing,
    Leftover,
    NotBegunHere,
    StoredUpload,
    key_of,
    spool,
    store,
    storing,
)

LIFE = timedelta(hours=48)
OPEN_AT_ONCE = 20
BEGUN_PER_DAY = 100
HASH = re.compile(r"[0-9a-f]{64}")
CHUNK = 256 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Named:
    """What is named of a file before its bytes come: also the SHA-256 (hex) of every 5 MiB."""

    filename: str
    system: str
    note: str
    size: int
    part_hashes: Sequence[str]

    @property
    def content_id(self) -> str:
        """The identity of the whole."""
        return content_id(self.part_hashes)


@dataclass(frozen=True, slots=True)
class Begun:
    """An upload to go on with, or the submission that has the same content already."""

    session: UploadSession | None
    submission: Submission | None
    is_new: bool


def begin(*, actor: User, phase: Phase, named: Named, created_at: datetime, now: datetime) -> Begun:
    """Begin an upload in parts and reserve its slot, or return the one of the same content.

    `created_at` is when the request's headers were read: it decides the deadline and the AoE day.
    Raises Throttled, what intake.admit raises, and UploadTooLarge, UploadTooSmall, PartHashesInvalid,
    TooManyUploads, QuotaExceeded, TextInvalid, StorageUnavailable; then nothing is kept.
    """
    throttles.spend(name="upload", who=actor.code, now=now)
    intake.refuse_pieces(actor, phase)
    limits = intake.admit(actor=actor, phase=phase, now=created_at)
    named = _checked(named, limits.file_bytes)
    code = new_code()
    key = key_of(named.content_id, code)
    with storing():
        handle = store().begin(key)
    session = _session_of(named, code, key, handle, created_at)
    session.person, session.phase = actor, phase
    try:
        begun = _record_begin(actor, session, named, now)
    except BaseException:
        _discard(session)
        raise
    if not begun.is_new:
        _discard(session)
    return begun


def missing(session: UploadSession) -> list[UploadPart]:
    """Return the parts that have not arrived, in order. Raises StorageUnavailable."""
    if session.state != UploadState.OPEN:
        return []
    parts = list(session.parts.all())
    try:
        with storing():
            present = store().present(assembly_of(session, parts))
    except NotBegunHere:
        _begin_again(session)
        return parts
    if present is None:
        return [part for part in parts if part.stored_at is None]
    return [part for part in parts if part.number not in present]


def put_part(
    *, session: UploadSession, number: int, chunks: Iterable[bytes], now: datetime
) -> UploadPart:
    """Keep one part on this server's disk, once its hash is verified; may be repeated.

    Raises UploadEnded, UploadUnknown, PartMismatch, StorageUnavailable; then nothing is kept.
    """
    _require_open(session, now)
    part = session.parts.filter(number=number).first()
    if part is None:
        raise errors.UploadUnknown(_("This upload has no such part."))
    with spool(chunks, limit=PART_BYTES, durable=False) as spooled:
        if (spooled.size, spooled.sha256) != (part.size, part.sha256):
            raise errors.PartMismatch(
                _("Part %(number)s is not what was named for it; nothing of it was kept.")
                % {"number": number},
                number=number,
                size=part.size,
                sha256=part.sha256,
            )
        if part.stored_at is None:
            _keep_part(session, part, spooled.path)
    UploadPart.objects.filter(pk=part.pk, stored_at__isnull=True).update(stored_at=now)
    part.refresh_from_db()
    return part


def complete(
    *,
    actor: User,
    session: UploadSession,
    now: datetime,
    address: str = "",
    user_agent: str = "",
) -> Submission:
    """Put the parts together and make the submission; repeated, it returns the same one.

    `now` is when the request's headers were read: it must lie before the end of the grace.
    Raises PartsMissing, UploadEnded, StorageUnavailable and what intake.receive raises; the upload
    then stays as it was.
    """
    _require_member(actor, session)
    if session.submission is not None:
        return _again(session.submission)
    _require_open(session, now)
    if left := missing(session):
        raise _parts_missing([part.number for part in left])
    _assemble(session)
    try:
        return intake.receive(
            actor=actor,
            phase=session.phase,
            system=session.system,
            note=session.note,
            filename=session.filename,
            stored=StoredUpload(session.storage_key, session.size, session.content_id),
            created_at=session.created_at,
            now=now,
            session=session,
            address=address,
            user_agent=user_agent,
        )
    except errors.UploadEnded:
        # Another request was faster: when it completed the upload, its answer is ours too.
        ended = UploadSession.objects.select_related("submission").get(pk=session.pk)
        if ended.submission is None:
            raise
        return _again(ended.submission)


def abort(*, actor: User, session: UploadSession, now: datetime) -> UploadSession:
    """Give up an upload: its slot is free again and its parts are removed; may be repeated.

    Raises NotAMember, UploadEnded when it was completed.
    """
    _require_member(actor, session)
    if session.state == UploadState.COMPLETED:
        raise errors.UploadEnded(_("This upload was completed; cancel its submission instead."))
    if _end(session, actor, UploadEnd.ABORTED, now):
        _discard(session)
    session.refresh_from_db()
    return session


def expire(*, now: datetime, at_once: int) -> int:
    """Abort uploads that were not completed within 48 hours; return how many.

    Their parts are removed by `remove_leftovers`: storage that hangs must not hold this up.
    """
    late = UploadSession.objects.filter(state=UploadState.OPEN, expires_at__lte=now)
    late = late.select_related("entrant", "phase__track__competition")
    return sum(_end(session, None, UploadEnd.EXPIRED, now) for session in late[:at_once])


def remove_leftovers(before: datetime) -> int:
    """Remove parts that belong to no open upload and were begun before then; return how many."""
    removed = 0
    for leftover in store().unfinished(before):
        if not UploadSession.objects.filter(code=leftover.code, state=UploadState.OPEN).exists():
            store().discard_leftover(leftover)
            removed += 1
    return removed


def _checked(named: Named, limit: int) -> Named:
    """Return what was named, cleaned. Raises refusals."""
    if named.size > limit:
        raise errors.UploadTooLarge.over(limit)
    if named.size <= SINGLE_BYTES:
        raise errors.UploadTooSmall(
            _("Files of up to %(size)s are sent in one request.")
            % {"size": filesize(SINGLE_BYTES)},
            single_bytes=SINGLE_BYTES,
        )
    hashes = [digest.strip().lower() for digest in named.part_hashes]
    wanted = -(-named.size // PART_BYTES)
    is_valid = all(HASH.fullmatch(digest) for digest in hashes)
    if not is_valid or len(hashes) != wanted or wanted > MOST_PARTS:
        raise errors.PartHashesInvalid(
            _("A file of this size has %(count)s parts; name the SHA-256 of each, in hex.")
            % {"count": wanted},
            parts=wanted,
            part_size=PART_BYTES,
        )
    filename = intake.shown_filename(named.filename)
    system = intake.shown_text(named.system, field="system", length=intake.SYSTEM_LENGTH)
    return Named(
        filename=filename,
        system=system or filename[: intake.SYSTEM_LENGTH],
        note=intake.shown_text(named.note, field="note", length=intake.NOTE_LENGTH),
        size=named.size,
        part_hashes=hashes,
    )


def _session_of(
    named: Named, code: str, key: str, handle: str, created_at: datetime
) -> UploadSession:
    return UploadSession(
        code=code,
        system=named.system,
        note=named.note,
        filename=named.filename,
        size=named.size,
        part_size=PART_BYTES,
        content_id=named.content_id,
        aoe_day=aoe_day(created_at),
        created_at=created_at,
        expires_at=created_at + LIFE,
        storage_key=key,
        storage_handle=handle,
    )


@audit.audited()
def _record_begin(actor: User, session: UploadSession, named: Named, now: datetime) -> Begun:
    """Save the session and its parts, unless its content is there or on its way."""
    phase, created_at = session.phase, session.created_at
    entrant = intake.admit_locked(actor=actor, phase=phase, created_at=created_at, now=now)
    standing = intake.standing_with(entrant, phase, named.content_id)
    if standing is not None:
        return Begun(None, standing, is_new=False)
    underway = _underway(entrant, named, phase)
    if underway is not None:
        return Begun(underway, None, is_new=False)
    intake.check_room(entrant, phase, created_at=created_at, now=now)
    _check_few(entrant, created_at)
    session.entrant = entrant
    session.save(force_insert=True)
    sizes = part_sizes(named.size)
    UploadPart.objects.bulk_create(
        UploadPart(session=session, number=number, size=size, sha256=digest)
        for number, (size, digest) in enumerate(zip(sizes, named.part_hashes, strict=True), 1)
    )
    _tell(session, actor, "upload.begun", now)
    return Begun(session, None, is_new=True)


def _underway(entrant: Entrant, named: Named, phase: Phase) -> UploadSession | None:
    """Return the open upload of the same content, its texts as they were sent last."""
    found = UploadSession.objects.filter(
        entrant=entrant, phase=phase, content_id=named.content_id, state=UploadState.OPEN
    )
    found.update(system=named.system, note=named.note, filename=named.filename)
    session: UploadSession | None = found.first()
    return session


def _check_few(entrant: Entrant, moment: datetime) -> None:
    uploads = UploadSession.objects.filter(entrant=entrant)
    begun = uploads.filter(created_at__gte=day_reset(moment) - timedelta(days=1))
    is_full = uploads.filter(state=UploadState.OPEN).count() >= OPEN_AT_ONCE
    if is_full:
        raise errors.TooManyUploads(
            _("Too many uploads were begun. Complete or abort some of them first."),
            open_at_once=OPEN_AT_ONCE,
            per_day=BEGUN_PER_DAY,
        )
    if begun.count() >= BEGUN_PER_DAY:
        raise errors.TooManyUploads(
            _("Too many uploads were begun today. The next day begins at %(reset)s UTC.")
            % {"reset": f"{day_reset(moment):%Y-%m-%d %H:%M}"},
            open_at_once=OPEN_AT_ONCE,
            per_day=BEGUN_PER_DAY,
            retry_after=max(1, int((day_reset(moment) - moment).total_seconds())),
        )


def _again(submission: Submission) -> Submission:
    submission.repeated = True
    return submission


def _require_open(session: UploadSession, now: datetime) -> None:
    if session.state != UploadState.OPEN or session.expires_at <= now:
        raise errors.UploadEnded(
            _("This upload has ended. Begin a new one."), state=session.ended_as or "expired"
        )


def _require_member(actor: User, session: UploadSession) -> None:
    if not is_member(actor, session.entrant):
        raise errors.NotAMember(_("Only members of the team can go on with its uploads."))


def _keep_part(session: UploadSession, part: UploadPart, path: Path) -> None:
    def write() -> None:
        assembly = assembly_of(session, [part])
        with storing(), path.open("rb") as file:
            store().write_part(assembly, assembly.parts[0], iter(lambda: file.read(CHUNK), b""))

    try:
        write()
    except NotBegunHere:
        _begin_again(session)
        write()


def _begin_again(session: UploadSession) -> None:
    """Begin an open upload anew in the storage that is used now; its parts have to come again."""
    with storing():
        handle = store().begin(session.storage_key)
    mine = UploadSession.objects.filter(
        pk=session.pk, state=UploadState.OPEN, storage_handle=session.storage_handle
    )
    with transaction.atomic():
        is_ours = mine.update(storage_handle=handle)
        if is_ours:
            session.parts.update(stored_at=None)
    if not is_ours:
        # Somebody did the same in this moment, or ended the upload.
        store().discard_leftover(Leftover(session.code, handle, session.storage_key))
    session.refresh_from_db(fields=["storage_handle", "state"])


def _assemble(session: UploadSession) -> None:
    parts = session.parts.all()
    try:
        with storing():
            store().assemble(assembly_of(session, parts))
    except BytesMissing:
        # The disk has lost them, or somebody aborted at this moment: they can be sent again.
        parts.update(stored_at=None)
        raise _parts_missing([part.number for part in missing(session)]) from None


def _parts_missing(numbers: list[int]) -> errors.PartsMissing:
    return errors.PartsMissing(
        _("%(count)s parts have not arrived yet.") % {"count": len(numbers)}, missing=numbers
    )


def _end(session: UploadSession, actor: User | None, how: UploadEnd, now: datetime) -> bool:
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=session.entrant_id)
        ended = UploadSession.objects.filter(pk=session.pk, state=UploadState.OPEN).update(
            state=UploadState.ABORTED, ended_as=how, ended_at=now
        )
        if ended:
            _tell(session, actor, f"upload.{how.value}", now)
    return bool(ended)


def _discard(session: UploadSession) -> None:
    """Remove what was sent; what cannot be removed now is left to the sweep."""
    try:
        store().discard(assembly_of(session, ()))
    except OSError as error:
        log.warning("upload.leftover", extra={"upload": session.code, "error": str(error)})


def _tell(session: UploadSession, actor: User | None, kind: str, now: datetime) -> None:
    audit.record(
        scope=session.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"upload:{session.code}",
        payload={
            "entrant": session.entrant.code,
            "phase": session.phase.code,
            "size": session.size,
            "content_id": session.content_id,
            "created_at": session.created_at.isoformat(),
        },
        now=now,
    )
