"""From an upload to a submission: the bytes are stored first, then one short transaction."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

from django.db.models import Max, Sum
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import BLANKS
from accounts.services import audit
from competition.enums import CompetitionState, EntrantState, Senders
from competition.models import Entrant, EntrantMember, Phase, TermsAcceptance
from competition.rules import is_organizer
from competition.services.drawn import require_clips
from competition.timeline import aoe_day, day_reset, is_complete_in_time, is_on_time
from grading.enums import SubmissionState, UploadEnd, UploadState
from grading.models import FileSet, IdempotencyKey, Submission, UploadSession
from grading.models.submission import STANDING_STATES
from grading.scoring import registry
from grading.scoring.audio.limits import AudioLimits
from grading.scoring.types import Limits
from grading.services import doorbell, draws, errors, quota
from grading.services import idempotency as repeats
from grading.storage import StoredUpload

REJECTED_PER_DAY = 20
REJECTED_BYTES = 10 * 1024**3
SYSTEM_LENGTH = 80
NOTE_LENGTH = 500
FILENAME_LENGTH = 255


def admit(*, actor: User, phase: Phase, now: datetime, entrant: str = "") -> Limits | AudioLimits:
    """Return the phase's limits to a person whose upload would be taken if it began now.

    `entrant` is the code of the one that an organizer sends for, where organizers alone send.
    Called before a byte is read; raises what `receive` would raise, but holds no lock.
    """
    require_files(phase)
    require_sender(actor, phase)
    _check_window(phase, created_at=now, now=now)
    found = _entrant_for(actor, phase, entrant)
    _check_standing(actor, found, phase)
    _check_rejected(found, now)
    return limits_of(phase)


def require_sender(actor: User, phase: Phase) -> None:
    """Raise OrganizersSend where organizers alone send and the person is none."""
    if phase.senders == Senders.ORGANIZERS and not is_organizer(actor, phase.track.competition):
        raise errors.OrganizersSend(
            _(
                "Entrants send nothing here: the organizers measure every system themselves and send what they found."
            )
        )


def refuse_pieces(actor: User, phase: Phase) -> None:
    """Raise OrganizersSend or SentWhole where organizers alone send: their files come whole."""
    require_sender(actor, phase)
    if phase.senders == Senders.ORGANIZERS:
        raise errors.SentWhole(
            _("What organizers send for an entrant comes whole, in one request.")
        )


def limits_of(phase: Phase) -> Limits | AudioLimits:
    """Return the sizes that the phase allows; what it does not name keeps the product's default."""
    limits: Limits | AudioLimits = registry.get(phase.track.kind).limits(phase.limits)
    return limits


def receive(
    *,
    actor: User,
    phase: Phase,
    system: str,
    note: str,
    filename: str,
    stored: StoredUpload,
    created_at: datetime,
    now: datetime,
    idempotency: IdempotencyKey | None = None,
    session: UploadSession | FileSet | None = None,
    address: str = "",
    user_agent: str = "",
    entrant: str = "",
) -> Submission:
    """Make a submission of stored bytes, reserve its slot and ring for its validation.

    `created_at` is when the request's headers were read, or when the upload in parts was begun: it
    decides the deadline and the AoE day. The same content while an earlier submission stands
    returns that one, with `repeated` set. With `idempotency` the key's answer is stored in the same
    transaction. A `session` ends in it too; its slot becomes the submission's. Raises what
    `admit_locked` does, TooManyRejected, QuotaExceeded, TextInvalid, UploadEnded; then no row has changed.
    """
    system = shown_text(system, field="system", length=SYSTEM_LENGTH)
    note = shown_text(note, field="note", length=NOTE_LENGTH)
    name = shown_filename(filename)
    with audit.audited():
        found = admit_locked(
            actor=actor, phase=phase, created_at=created_at, now=now, entrant=entrant
        )
        _check_open(session)
        submission = standing_with(found, phase, stored.content_id)
        if submission is None:
            if session is None:
                check_room(found, phase, created_at=created_at, now=now)
            submission = Submission.objects.create(
                entrant=found,
                phase=phase,
                uploader=actor,
                by_organizer=phase.senders == Senders.ORGANIZERS,
                number=_next_number(found),
                system=system or name[:SYSTEM_LENGTH],
                note=note,
                filename=name,
                size=stored.size,
                content_id=stored.content_id,
                storage_key=stored.key,
                created_at=created_at,
                received_at=max(now, created_at),
                rung_at=now,
            )
            quota.reserve(submission=submission, now=now)
            draws.expose_phase(phase=phase, entrant=found, now=now)
            _tell(submission, actor, now, address, user_agent)
        if session is not None:
            _end(session, submission, now)
        if idempotency is not None:
            repeats.finish(idempotency, status=201, answer={"code": submission.code})
    return submission


def check_room(entrant: Entrant, phase: Phase, *, created_at: datetime, now: datetime) -> None:
    """Refuse TooManyRejected or QuotaExceeded; the caller holds the entrant's lock."""
    _check_rejected(entrant, created_at)
    _check_quota(entrant, phase, created_at, now)


def admit_locked(
    *, actor: User, phase: Phase, created_at: datetime, now: datetime, entrant: str = ""
) -> Entrant:
    """Return the entrant that is sent for, its row locked, if an upload begun then may still be received.

    `entrant` is the code of the one that an organizer sends for, where organizers alone send. Raises
    NotAMember, NotVerified, EntrantNotAccepted, TermsNotAccepted, PhaseNotOpen, OrganizersSend,
    EntrantUnnamed.
    """
    require_files(phase)
    require_sender(actor, phase)
    found = _lock_entrant(actor, phase, entrant)
    _check_window(phase, created_at=created_at, now=now)
    _check_standing(actor, found, phase)
    return found


def require_files(phase: Phase) -> None:
    """Raise FilesNotTaken where nothing is sent: the board is made of other boards' rows."""
    if registry.get(phase.track.kind).is_composed:
        raise errors.FilesNotTaken(
            _("Nothing is sent here: this board is made of the other boards of the competition.")
        )


def shown_text(text: str, *, field: str, length: int) -> str:
    """Return the text trimmed; raises TextInvalid when it is too long or cannot be shown."""
    text = text.strip()
    if len(text) > length:
        raise errors.TextInvalid(
            _("At most %(length)s characters are allowed here.") % {"length": length},
            field=field,
            length=length,
        )
    if any(_is_unshowable(character) for character in text):
        raise errors.TextInvalid(_("The text holds control or invisible characters."), field=field)
    if text and not any(_is_seen(character) for character in text):
        raise errors.TextInvalid(
            _("This must hold at least one letter, digit or sign."), field=field
        )
    return text


def shown_filename(filename: str) -> str:
    """Return the last part of a sent file name, odd characters replaced; it is shown, never opened."""
    last = filename.replace("\\", "/").rsplit("/", 1)[-1].strip()
    clean = "".join("\N{REPLACEMENT CHARACTER}" if _is_unshowable(c) else c for c in last)
    return clean[-FILENAME_LENGTH:] if any(map(_is_seen, clean)) else "upload"


def _is_unshowable(character: str) -> bool:
    # Cc control, Cf format (bidi, zero width), Cs lone surrogate, Zl and Zp separators.
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in BLANKS


def _entrant_of(actor: User, phase: Phase) -> Entrant:
    member = (
        EntrantMember.objects.filter(
            competition=phase.track.competition_id, user=actor, left_at__isnull=True
        )
        .select_related("entrant__competition")
        .first()
    )
    if member is None:
        raise errors.NotAMember(_("You are not a member of a team in this competition."))
    return member.entrant


def _entrant_for(actor: User, phase: Phase, code: str) -> Entrant:
    """Return the entrant that a file is for: the actor's own, or where organizers send the named one.

    Raises NotAMember and EntrantUnnamed.
    """
    if phase.senders != Senders.ORGANIZERS:
        if code:
            raise errors.EntrantUnnamed(
                _("A file to this phase is that of your own team: name no other entrant.")
            )
        return _entrant_of(actor, phase)
    is_code = code.isascii() and code.isalnum()  # a database may not take anything else
    named = Entrant.objects.filter(competition=phase.track.competition_id, code=code)
    found = named.select_related("competition").first() if is_code else None
    if found is None:
        raise errors.EntrantUnnamed(
            _("Say for which entrant of this competition the file is, by its code.")
        )
    return found


def _lock_entrant(actor: User, phase: Phase, code: str) -> Entrant:
    """Return the entrant with its row locked; membership is read again under the lock.

    A merge may have moved the person while the lock was waited for: then the other row is locked.
    """
    entrant = _entrant_for(actor, phase, code)
    while True:
        Entrant.objects.select_for_update().get(pk=entrant.pk)
        again = _entrant_for(actor, phase, code)
        if again.pk == entrant.pk:
            return again
        entrant = again


def _check_window(phase: Phase, *, created_at: datetime, now: datetime) -> None:
    if phase.track.competition.state != CompetitionState.PUBLISHED:
        raise errors.PhaseNotOpen(_("This competition takes no submissions."))
    if created_at < phase.opens_at:
        raise errors.PhaseNotOpen(
            _("This phase has not opened yet."), opens_at=phase.opens_at.isoformat()
        )
    require_clips(phase)
    if not is_on_time(created_at, phase):
        raise errors.PhaseNotOpen(
            _("This phase has closed."), closed_at=phase.closes_at.isoformat()
        )
    if not is_complete_in_time(now, phase):
        raise errors.PhaseNotOpen(
            _("The upload began in time but ended after the grace period of the phase."),
            closed_at=phase.closes_at.isoformat(),
        )


def _check_standing(actor: User, entrant: Entrant, phase: Phase) -> None:
    is_theirs = phase.senders == Senders.ENTRANTS
    if entrant.state != EntrantState.ACCEPTED:
        text = (
            _("Your team cannot submit: it is %(state)s.")
            if is_theirs
            else _("Nothing can be sent for this entrant: it is %(state)s.")
        )
        raise errors.EntrantNotAccepted(
            text % {"state": entrant.get_state_display()}, state=entrant.state
        )
    if not actor.is_verified:
        raise errors.NotVerified(
            _("Please verify your e-mail address first: open the link that we mailed to you.")
        )
    if is_theirs:
        _check_terms(actor, entrant)


def _check_terms(actor: User, entrant: Entrant) -> None:
    accepted = TermsAcceptance.objects.filter(
        terms__competition=entrant.competition_id,
        terms__version=entrant.competition.terms_version,
        user=actor,
    )
    if not accepted.exists():
        raise errors.TermsNotAccepted(
            _("Please accept the current terms of the competition first."),
            version=entrant.competition.terms_version,
        )


def standing_with(entrant: Entrant, phase: Phase, content_id: str) -> Submission | None:
    """Return the submission that stands with this content, marked as repeated; None without one."""
    submission: Submission | None = Submission.objects.filter(
        entrant=entrant, phase=phase, content_id=content_id, state__in=STANDING_STATES
    ).first()
    if submission is not None:
        submission.repeated = True
    return submission


def _check_open(session: UploadSession | FileSet | None) -> None:
    if session is None:
        return
    locked = type(session).objects.select_for_update().get(pk=session.pk)
    if locked.state != UploadState.OPEN:
        raise errors.UploadEnded(
            _("This upload has ended: it is %(state)s.") % {"state": locked.get_state_display()},
            state=locked.state,
        )


def _end(session: UploadSession | FileSet, submission: Submission, now: datetime) -> None:
    type(session).objects.filter(pk=session.pk).update(
        state=UploadState.COMPLETED,
        ended_as=UploadEnd.REPEATED if submission.repeated else UploadEnd.COMPLETED,
        ended_at=now,
        submission=submission,
    )


def _check_rejected(entrant: Entrant, moment: datetime) -> None:
    rejected = Submission.objects.filter(entrant=entrant, state=SubmissionState.REJECTED)
    start = day_reset(moment) - timedelta(days=1)
    kept = rejected.exclude(storage_key="").aggregate(total=Sum("size"))["total"] or 0
    if rejected.filter(created_at__gte=start).count() >= REJECTED_PER_DAY or kept > REJECTED_BYTES:
        raise errors.TooManyRejected(
            _("Too many rejected files today. Use “Check only” to find what is wrong."),
            limit=REJECTED_PER_DAY,
            resets_at=day_reset(moment).isoformat(),
            retry_after=max(1, int((day_reset(moment) - moment).total_seconds())),
        )


def _check_quota(entrant: Entrant, phase: Phase, created_at: datetime, now: datetime) -> None:
    used = quota.used_slots(entrant=entrant, phase=phase, day=aoe_day(created_at))
    if phase.quota_total is not None and used.total >= phase.quota_total:
        raise errors.QuotaExceeded(
            _("All %(limit)s submissions of this phase are used.") % {"limit": phase.quota_total},
            limit=phase.quota_total,
            used=used.total,
            resets_at=None,
        )
    if phase.quota_per_day is not None and used.today >= phase.quota_per_day:
        reset = day_reset(created_at)
        raise errors.QuotaExceeded(
            _("All %(limit)s submissions of today are used. The next day begins at %(reset)s UTC.")
            % {"limit": phase.quota_per_day, "reset": f"{reset:%Y-%m-%d %H:%M}"},
            limit=phase.quota_per_day,
            used=used.today,
            resets_at=reset.isoformat(),
            retry_after=max(1, int((reset - now).total_seconds())),
        )


def _next_number(entrant: Entrant) -> int:
    highest = Submission.objects.filter(entrant=entrant).aggregate(top=Max("number"))["top"]
    return (highest or 0) + 1


def _tell(
    submission: Submission, actor: User, now: datetime, address: str, user_agent: str
) -> None:
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind="submission.received",
        actor=actor,
        target=f"submission:{submission.code}",
        payload={
            "entrant": submission.entrant.code,
            "phase": submission.phase.code,
            "number": submission.number,
            "size": submission.size,
            "content_id": submission.content_id,
            "created_at": submission.created_at.isoformat(),
            **({"by_organizer": True} if submission.by_organizer else {}),
        },
        now=now,
        address=address,
        user_agent=user_agent,
    )
    doorbell.ring(doorbell.validation_of(submission.phase.track.kind), submission.pk)
