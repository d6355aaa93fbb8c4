"""Submissions that come file by file: open a set, send its files, complete it; then it is an archive.

Every file is checked at once, by the code that checks archives, and kept once it is accepted; it may
be sent again, in any order. Complete, the set becomes one tar whose bytes follow from the files
alone, so that content identity, receipt and re-check are those of every other submission.
No file and no bucket is touched inside a transaction.
"""

from __future__ import annotations

import errno
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Sum
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit, throttles
from competition.models import Entrant, Phase
from competition.rules import is_member
from competition.timeline import aoe_day, day_reset
from grading import storage
from grading.enums import UploadEnd, UploadState
from grading.models import FileSet, SentFile, Submission
from grading.scoring import registry
from grading.scoring.formats.waveforms import CheckedSounds, read_waveform
from grading.sentences import sentence
from grading.services import errors, intake, recipes
from grading.storage import Spooled, StorageUnavailable, spool, storing

LIFE = timedelta(hours=48)
OPEN_AT_ONCE = 5
BEGUN_PER_DAY = 50
LISTED = 100
ATTEMPTS = 3
"""How often the files of a set are read while others of it still arrive."""
CHUNK = 256 * 1024
BLOCK = tarfile.BLOCKSIZE


@dataclass(frozen=True, slots=True)
class Opened:
    """A set to send files to, and whether it was made just now."""

    file_set: FileSet
    is_new: bool


def begin(
    *, actor: User, phase: Phase, system: str, note: str, created_at: datetime, now: datetime
) -> Opened:
    """Open a set and reserve its slot, or return the team's open one of the same system.

    `created_at` is when the request's headers were read: it decides the deadline and the AoE day.
    Raises Throttled, what intake.admit raises, and FilesNotTaken, TextInvalid, TooManyUploads,
    QuotaExceeded; then nothing is kept.
    """
    throttles.spend(name="upload", who=actor.code, now=now)
    intake.refuse_pieces(actor, phase)
    intake.admit(actor=actor, phase=phase, now=created_at)
    _require_sounds(phase)
    file_set = FileSet(
        phase=phase,
        person=actor,
        system=_named(system),
        note=intake.shown_text(note, field="note", length=intake.NOTE_LENGTH),
        aoe_day=aoe_day(created_at),
        created_at=created_at,
        expires_at=created_at + LIFE,
    )
    return _record_begin(actor, file_set, now)


def put_file(
    *, actor: User, file_set: FileSet, name: str, chunks: Iterable[bytes], now: datetime
) -> SentFile:
    """Check one file, `<utt_id>.wav`, and keep it in the place of an earlier one; may be repeated.

    Raises NotAMember, UploadEnded, FileRefused with the checker's problems, UploadTooLarge beyond
    the limit of one clip or of the whole set, StorageUnavailable; then an earlier file stays.
    """
    _require_member(actor, file_set)
    _require_open(file_set, now)
    _require_sounds(file_set.phase)
    limits: Any = intake.limits_of(file_set.phase)
    with spool(chunks, limit=limits.member_bytes) as spooled:
        checked = _checked(file_set.phase, spooled, name)
        utt_id, _clip = next(iter(checked.clips.items()))
        _check_room(file_set, utt_id, spooled.size, limits.file_bytes)
        key = _stored(file_set, utt_id, spooled)
    warnings = [
        {"code": problem.code, "severity": str(problem.severity), "params": dict(problem.params)}
        for problem in checked.report.problems
    ]
    with audit.audited():
        _require_open(FileSet.objects.select_for_update().get(pk=file_set.pk), now)
        sent, _created = SentFile.objects.update_or_create(
            file_set=file_set,
            utt_id=utt_id,
            defaults={
                "size": spooled.size,
                "sha256": spooled.sha256,
                "storage_key": key,
                "warnings": warnings,
                "stored_at": now,
            },
        )
    return sent


def missing(file_set: FileSet) -> list[str]:
    """Return the utterances that have no file yet, sorted; none once the set has ended."""
    if file_set.state != UploadState.OPEN:
        return []
    wanted = file_set.phase.references.utterances.values_list("utt_id", flat=True)
    return sorted(set(wanted) - set(file_set.files.values_list("utt_id", flat=True)))


def complete(
    *, actor: User, file_set: FileSet, now: datetime, address: str = "", user_agent: str = ""
) -> Submission:
    """Make the files one archive and submit it; repeated, it returns the same submission.

    `now` is when the request's headers were read: it must lie before the end of the grace.
    Raises FilesMissing, UploadEnded, StorageUnavailable and what intake.receive raises; the set then
    stays as it was.
    """
    _require_member(actor, file_set)
    if file_set.submission is not None:
        return _again(file_set.submission)
    _require_open(file_set, now)
    if left := missing(file_set):
        raise _files_missing(left)
    given = {"actor": actor, "now": now, "address": address, "user_agent": user_agent}
    try:
        for _attempt in range(ATTEMPTS):
            submission = _received(file_set, given)
            if submission is not None:
                return submission
        raise _unavailable(OSError(errno.EAGAIN, "files arrive while they are read"))
    except errors.UploadEnded:
        # Another request was faster: when it completed the set, its answer is ours too.
        ended = FileSet.objects.select_related("submission").get(pk=file_set.pk)
        if ended.submission is None:
            raise
        return _again(ended.submission)


def _received(file_set: FileSet, given: dict[str, Any]) -> Submission | None:
    """Return the submission of the files as they are; None where one came while they were read.

    What was answered as kept before the set ended is in the archive.
    """
    read = _contents(file_set)
    limit = intake.limits_of(file_set.phase).file_bytes
    stored = storage.store_stream(_archive(file_set), limit=limit)
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=file_set.entrant_id)
        FileSet.objects.select_for_update().get(pk=file_set.pk)
        if _contents(file_set) != read:
            return None
        return intake.receive(
            phase=file_set.phase,
            system=file_set.system,
            note=file_set.note,
            filename=f"{file_set.code}.tar",
            stored=stored,
            created_at=file_set.created_at,
            session=file_set,
            **given,
        )


def _contents(file_set: FileSet) -> list[tuple[str, str]]:
    return list(file_set.files.order_by("utt_id").values_list("utt_id", "sha256"))


def abort(*, actor: User, file_set: FileSet, now: datetime) -> FileSet:
    """Give a set up: its slot is free again; may be repeated. The sweep removes its files.

    Raises NotAMember, UploadEnded when it was completed.
    """
    _require_member(actor, file_set)
    if file_set.state == UploadState.COMPLETED:
        raise errors.UploadEnded(_("This set was completed; cancel its submission instead."))
    _end(file_set, actor, UploadEnd.ABORTED, now)
    file_set.refresh_from_db()
    return file_set


def expire(*, now: datetime, at_once: int) -> int:
    """End sets that were not completed within 48 hours; return how many."""
    late = FileSet.objects.filter(state=UploadState.OPEN, expires_at__lte=now)
    late = late.select_related("entrant", "phase__track__competition")
    return sum(_end(file_set, None, UploadEnd.EXPIRED, now) for file_set in late[:at_once])


@audit.audited()
def _record_begin(actor: User, file_set: FileSet, now: datetime) -> Opened:
    """Save the set unless one of the same system is open; its note is then what was sent last."""
    phase, created_at = file_set.phase, file_set.created_at
    entrant = intake.admit_locked(actor=actor, phase=phase, created_at=created_at, now=now)
    mine = FileSet.objects.filter(entrant=entrant, phase=phase)
    underway = mine.filter(system=file_set.system, state=UploadState.OPEN)
    if underway.update(note=file_set.note):
        return Opened(underway.get(), is_new=False)
    intake.check_room(entrant, phase, created_at=created_at, now=now)
    _check_few(entrant, created_at)
    file_set.entrant = entrant
    file_set.save(force_insert=True)
    _tell(file_set, actor, "file-set.begun", now)
    return Opened(file_set, is_new=True)


def _check_few(entrant: Entrant, moment: datetime) -> None:
    sets = FileSet.objects.filter(entrant=entrant)
    begun = sets.filter(created_at__gte=day_reset(moment) - timedelta(days=1)).count()
    if sets.filter(state=UploadState.OPEN).count() >= OPEN_AT_ONCE or begun >= BEGUN_PER_DAY:
        raise errors.TooManyUploads(
            _("Too many sets of files were begun. Complete or abort some of them first."),
            open_at_once=OPEN_AT_ONCE,
            per_day=BEGUN_PER_DAY,
        )


def _named(system: str) -> str:
    shown = intake.shown_text(system, field="system", length=intake.SYSTEM_LENGTH)
    if not shown:
        raise errors.TextInvalid(_("Name the system: the set is found by it."), field="system")
    return shown


def _checked(phase: Phase, spooled: Spooled, name: str) -> CheckedSounds:
    """Return the checker's verdict on an accepted file. Raises FileRefused."""
    track = registry.get(phase.track.kind)
    checked = read_waveform(
        spooled.path,
        name,
        ids=phase.references.utterances.values_list("utt_id", flat=True),
        limits=track.limits(phase.limits),
        bounds=track.params(recipes.params_of(phase)).bounds,
    )
    if not checked.clips:
        raise errors.FileRefused(
            _("This file was not kept: %(problem)s")
            % {"problem": sentence(checked.report.problems[0])},
            problems=[
                {
                    "code": problem.code,
                    "severity": str(problem.severity),
                    "params": dict(problem.params),
                    "message": sentence(problem),
                }
                for problem in checked.report.problems
            ],
        )
    return checked


def _check_room(file_set: FileSet, utt_id: str, size: int, limit: int) -> None:
    """Refuse a file with which the archive would be larger than the phase allows."""
    others = file_set.files.exclude(utt_id=utt_id)
    sizes = others.aggregate(total=Sum("size"))["total"] or 0
    if sizes + size + 3 * BLOCK * (others.count() + 1) > limit:
        raise errors.UploadTooLarge.over(limit)


def _stored(file_set: FileSet, utt_id: str, spooled: Spooled) -> str:
    """Store a file unless this very one is there; return its key. Raises StorageUnavailable."""
    known = file_set.files.filter(utt_id=utt_id, sha256=spooled.sha256).first()
    with storing():
        if known is not None and storage.is_stored(known.storage_key):
            return str(known.storage_key)
        named = Spooled(spooled.path, spooled.size, spooled.sha256, spooled.sha256)
        return storage.store().publish(named)


def _archive(file_set: FileSet) -> Iterator[bytes]:
    """Yield a tar of the files, sorted by utt_id; nothing in it but names, sizes and bytes.

    Raises StorageUnavailable; bytes that are lost are told as missing.
    """
    for sent in file_set.files.order_by("utt_id"):
        entry = tarfile.TarInfo(f"{sent.utt_id}.wav")
        entry.size = sent.size
        yield entry.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        yield from _bytes_of(sent)
        yield bytes(-sent.size % BLOCK)
    yield bytes(2 * BLOCK)


def _bytes_of(sent: SentFile) -> Iterator[bytes]:
    size = 0
    try:
        with storage.local_copy(sent.storage_key) as path, path.open("rb") as file:
            while chunk := file.read(CHUNK):
                size += len(chunk)
                yield chunk
    except storage.BytesMissing:
        sent.delete()
        raise _files_missing([sent.utt_id]) from None
    except OSError as error:
        raise _unavailable(error) from error
    if size != sent.size:
        sent.delete()
        raise _files_missing([sent.utt_id])


def _unavailable(error: OSError) -> StorageUnavailable:
    return StorageUnavailable(
        _("The server could not read the files. Nothing was submitted; please try again."),
        errno=error.errno,
        retry_after=10,
    )


def _files_missing(left: Sequence[str]) -> errors.FilesMissing:
    return errors.FilesMissing(
        _("%(count)s files have not arrived yet.") % {"count": len(left)},
        count=len(left),
        missing=list(left[:LISTED]),
    )


def _again(submission: Submission) -> Submission:
    submission.repeated = True
    return submission


def _require_open(file_set: FileSet, now: datetime) -> None:
    if file_set.state != UploadState.OPEN or file_set.expires_at <= now:
        raise errors.UploadEnded(
            _("This set has ended. Begin a new one."), state=file_set.ended_as or "expired"
        )


def _require_sounds(phase: Phase) -> None:
    if not registry.get(phase.track.kind).sends_sounds:
        raise errors.FilesNotTaken(_("This track takes one file, not a set of files."))


def _require_member(actor: User, file_set: FileSet) -> None:
    if not is_member(actor, file_set.entrant):
        raise errors.NotAMember(_("Only members of the team can go on with its uploads."))


def _end(file_set: FileSet, actor: User | None, how: UploadEnd, now: datetime) -> bool:
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=file_set.entrant_id)
        ended = FileSet.objects.filter(pk=file_set.pk, state=UploadState.OPEN).update(
            state=UploadState.ABORTED, ended_as=how, ended_at=now
        )
        if ended:
            _tell(file_set, actor, f"file-set.{how.value}", now)
    return bool(ended)


def _tell(file_set: FileSet, actor: User | None, kind: str, now: datetime) -> None:
    audit.record(
        scope=file_set.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"file-set:{file_set.code}",
        payload={
            "entrant": file_set.entrant.code,
            "phase": file_set.phase.code,
            "created_at": file_set.created_at.isoformat(),
        },
        now=now,
    )
