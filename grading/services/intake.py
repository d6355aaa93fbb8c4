"""From an upload to a submission: the bytes are stored first, then one short transaction."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

from django.db.models import Max, Sum
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import CompetitionState, EntrantState
from competition.models import Entrant, EntrantMember, Phase, TermsAcceptance
from competition.timeline import aoe_day, day_reset, is_complete_in_time, is_on_time
from grading.enums import SubmissionState, UploadEnd, UploadState
from grading.models import IdempotencyKey, Submission, UploadSession
from grading.models.submission import STANDING_STATES
from grading.scoring.types import Limits
from grading.services import doorbell, errors, quota
from grading.services import idempotency as repeats
from grading.storage import StoredUpload

REJECTED_PER_DAY = 20
REJECTED_BYTES = 10 * 1024**3
SYSTEM_LENGTH = 80
NOTE_LENGTH = 500
FILENAME_LENGTH = 255


def admit(*, actor: User, phase: Phase, now: datetime) -> Limits:
    """Return the phase's limits to a person whose upload would be taken if it began now.

    Called before a byte is read; raises what `receive` would raise, but holds no lock.
    """
    _check_window(phase, created_at=now, now=now)
    entrant = _entrant_of(actor, phase)
    _check_standing(actor, entrant)
    _check_rejected(entrant, now)
    return limits_of(phase)


def limits_of(phase: Phase) -> Limits:
    """Return the sizes that the phase allows; what it does not name keeps the product's default."""
    return Limits(**phase.limits)


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
    session: UploadSession | None = None,
    address: str = "",
    user_agent: str = "",
) -> Submission:
    """Make a submission of stored bytes, reserve its slot and ring for its validation.

    `created_at` is when the request's headers were read, or when the upload in parts was begun: it
    decides the deadline and the AoE day. The same content while an earlier submission stands
    returns that one, with `repeated` set. With `idempotency` the key's answer is stored in the same
    transaction. A `session` ends in it too; its slot becomes the submission's.
    Raises NotAMember, NotVerified, EntrantNotAccepted, TermsNotAccepted, PhaseNotOpen,
    TooManyRejected, QuotaExceeded, TextInvalid, UploadEnded; then no row has changed.
    """
    system = shown_text(system, field="system", length=SYSTEM_LENGTH)
    note = shown_text(note, field="note", length=NOTE_LENGTH)
    name = shown_filename(filename)
    with audit.audited():
        entrant = admit_locked(actor=actor, phase=phase, created_at=created_at, now=now)
        _check_open(session)
        submission = standing_with(entrant, phase, stored.content_id)
        if submission is None:
            if session is None:
                check_room(entrant, phase, created_at=created_at, now=now)
            submission = Submission.objects.create(
                entrant=entrant,
                phase=phase,
                uploader=actor,
                number=_next_number(entrant),
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


def admit_locked(*, actor: User, phase: Phase, created_at: datetime, now: datetime) -> Entrant:
    """Return the actor's entrant, its row locked, if an upload begun then may still be received.

    Raises NotAMember, NotVerified, EntrantNotAccepted, TermsNotAccepted, PhaseNotOpen.
    """
    entrant = _lock_entrant(actor, phase)
    _check_window(phase, created_at=created_at, now=now)
    _check_standing(actor, entrant)
    return entrant


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
    return text


def shown_filename(filename: str) -> str:
    """Return the last part of a sent file name, odd characters replaced; it is shown, never opened."""
    last = filename.replace("\\", "/").rsplit("/", 1)[-1].strip()
    clean = "".join("\N{REPLACEMENT CHARACTER}" if _is_unshowable(c) else c for c in last)
    return clean[-FILENAME_LENGTH:] or "upload"


def _is_unshowable(character: str) -> bool:
    # Cc control, Cf format (bidi, zero width), Cs lone surrogate, Zl and Zp separators.
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


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


def _lock_entrant(actor: User, phase: Phase) -> Entrant:
    """Return the actor's entrant with its row locked; membership is read again under the lock."""
    entrant = _entrant_of(actor, phase)
    Entrant.objects.select_for_update().get(pk=entrant.pk)
    return _entrant_of(actor, phase)


def _check_window(phase: Phase, *, created_at: datetime, now: datetime) -> None:
    if phase.track.competition.state != CompetitionState.PUBLISHED:
        raise errors.PhaseNotOpen(_("This competition takes no submissions."))
    if created_at < phase.opens_at:
        raise errors.PhaseNotOpen(
            _("This phase has not opened yet."), opens_at=phase.opens_at.isoformat()
        )
    if not is_on_time(created_at, phase):
        raise errors.PhaseNotOpen(
            _("This phase has closed."), closed_at=phase.closes_at.isoformat()
        )
    if not is_complete_in_time(now, phase):
        raise errors.PhaseNotOpen(
            _("The upload began in time but ended after the grace period of the phase."),
            closed_at=phase.closes_at.isoformat(),
        )


def _check_standing(actor: User, entrant: Entrant) -> None:
    if entrant.state != EntrantState.ACCEPTED:
        raise errors.EntrantNotAccepted(
            _("Your team cannot submit: it is %(state)s.") % {"state": entrant.get_state_display()},
            state=entrant.state,
        )
    if not actor.is_verified:
        raise errors.NotVerified(
            _("Please verify your e-mail address first: open the link that we mailed to you.")
        )
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


def _check_open(session: UploadSession | None) -> None:
    if session is None:
        return
    locked = UploadSession.objects.select_for_update().get(pk=session.pk)
    if locked.state != UploadState.OPEN:
        raise errors.UploadEnded(
            _("This upload has ended: it is %(state)s.") % {"state": locked.get_state_display()},
            state=locked.state,
        )


def _end(session: UploadSession, submission: Submission, now: datetime) -> None:
    UploadSession.objects.filter(pk=session.pk).update(
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
        },
        now=now,
        address=address,
        user_agent=user_agent,
    )
    doorbell.ring(doorbell.VALIDATE, submission.pk)
