"""What organizers leave out of the results, and what they decide of audio reported broken."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer, require_reason
from grading.enums import BrokenOutcome, ExclusionKind, ProtocolState, RaterState
from grading.models import (
    BrokenReport,
    RatedText,
    Rater,
    RatingExclusion,
    RatingProtocol,
    RatingSession,
    RatingTask,
    Stimulus,
)
from grading.services.ratings import errors, holding, places, sessions

Target = Rater | RatingSession | RatingTask


def exclude(
    *, actor: User | None, protocol: RatingProtocol, target: Target, reason: str, now: datetime
) -> RatingExclusion:
    """Leave out a rater, a sitting or one answer; while the protocol is open, others fill the gaps.

    An excluded rater is given nothing any more, an excluded sitting that still runs ends. Refuses NotOrganizer, ReasonMissing, TaskUnknown
    (of another protocol), ExclusionExists, ProtocolNotOpen (a draft).
    """
    require_organizer(actor, places.competition_of(protocol))
    text = require_reason(reason)
    rater = target if isinstance(target, Rater) else target.rater
    if rater.protocol_id != protocol.pk:
        raise errors.TaskUnknown(_("This is not in this protocol."))
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state == ProtocolState.DRAFT:
            raise places.not_open()
        held = Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
        fields = _fields(target)
        if RatingExclusion.objects.filter(**fields, lifted_at__isnull=True).exists():
            raise errors.ExclusionExists(_("This is left out already."))
        if locked.state == ProtocolState.OPEN:
            holding.reopen(locked, _tasks(target))
        made = RatingExclusion.objects.create(
            protocol=locked,
            reason=text,
            actor=actor,
            excluded_at=now,
            **{"rater": held, **fields},
        )
        if isinstance(target, Rater):
            _stop(held, now)
        elif isinstance(target, RatingSession) and sessions.running(rater=held) == target:
            # What would still be answered in it fills a place and counts for nothing.
            sessions.end_running(held, now)
        _tell(made, "rating.excluded", actor, now, text)
        places.note_change(locked, now)
    return made


def lift(
    *, actor: User | None, exclusion: RatingExclusion, reason: str, now: datetime
) -> RatingExclusion:
    """Let count again what was left out; the row stays with both reasons.

    Ratings that filled the gap stay as well. A rater who withdrew consent stays out. Refuses
    NotOrganizer, ReasonMissing, ExclusionLifted.
    """
    require_organizer(actor, places.competition_of(exclusion.protocol))
    text = require_reason(reason)
    with audit.audited():
        locked = places.lock_protocol(exclusion.protocol)
        rater = Rater.objects.select_for_update(no_key=True).get(pk=exclusion.rater_id)
        if rater.state == RaterState.WITHDRAWN:
            raise errors.RaterEnded(_("This rater has withdrawn consent."))
        rows = RatingExclusion.objects.filter(pk=exclusion.pk, lifted_at__isnull=True)
        if not rows.update(lifted_at=now, lifted_by=actor, lift_reason=text):
            raise errors.ExclusionLifted(_("This exclusion was lifted before."))
        if exclusion.kind == ExclusionKind.RATER:
            Rater.objects.filter(pk=rater.pk, state=RaterState.EXCLUDED).update(
                state=RaterState.ACTIVE if rater.consents.exists() else RaterState.JOINED,
                ended_at=None,
            )
        _tell(exclusion, "rating.exclusion_lifted", actor, now, text)
        places.note_change(locked, now)
    exclusion.refresh_from_db()
    return exclusion


def excluded_tasks(protocol: RatingProtocol) -> QuerySet[RatingTask]:
    """Return the tasks whose answers are left out: by themselves, with a sitting or with a rater."""
    standing = RatingExclusion.objects.filter(protocol=protocol, lifted_at__isnull=True)
    by = {
        "pk__in": standing.filter(kind=ExclusionKind.RATING).values("task"),
        "session__in": standing.filter(kind=ExclusionKind.SESSION).values("session"),
        "rater__in": standing.filter(kind=ExclusionKind.RATER).values("rater"),
    }
    tasks = RatingTask.objects.filter(rater__protocol=protocol)
    found = tasks.none()
    for field, ids in by.items():
        found |= tasks.filter(**{field: ids})
    return found


def is_left_out(task: RatingTask) -> bool:
    """Return whether an answer to this task would not count: it, or its sitting, is left out."""
    standing = RatingExclusion.objects.filter(rater=task.rater_id, lifted_at__isnull=True)
    return standing.filter(Q(task=task.pk) | Q(session=task.session_id)).exists()


def decide_broken(
    *,
    actor: User | None,
    stimulus: Stimulus,
    outcome: BrokenOutcome,
    reason: str,
    now: datetime,
) -> Stimulus:
    """Decide of audio that raters reported broken: it is rated as it is, or its text is dropped.

    A text is dropped for every system, so that no system gains by it; a control item is given no
    more. Refuses NotOrganizer, ReasonMissing, NothingReported.
    """
    protocol = stimulus.protocol
    require_organizer(actor, places.competition_of(protocol))
    text = require_reason(reason)
    with audit.audited():
        locked = places.lock_protocol(protocol)
        waiting = BrokenReport.objects.filter(stimulus=stimulus, outcome="")
        count = waiting.update(outcome=outcome, reason=text, decided_by=actor, decided_at=now)
        if not count:
            raise errors.NothingReported(_("No report on this recording waits for a decision."))
        rows = Stimulus.objects.filter(pk=stimulus.pk)
        if outcome == BrokenOutcome.KEPT:
            rows.update(held_at=None)
        else:
            rows.filter(held_at__isnull=True).update(held_at=now)
            if stimulus.rated_text_id is not None:
                texts = RatedText.objects.filter(pk=stimulus.rated_text_id, dropped_at__isnull=True)
                texts.update(dropped_at=now)
        places.record(
            locked,
            "rating.broken_decided",
            actor,
            now,
            stimulus=stimulus.key,
            outcome=str(outcome),
            reports=count,
        )
        places.note_change(locked, now)
    stimulus.refresh_from_db()
    return stimulus


def _fields(target: Target) -> dict[str, object]:
    if isinstance(target, Rater):
        return {"kind": ExclusionKind.RATER, "rater": target}
    if isinstance(target, RatingSession):
        return {"kind": ExclusionKind.SESSION, "session": target}
    return {"kind": ExclusionKind.RATING, "task": target}


def _tasks(target: Target) -> QuerySet[RatingTask]:
    if isinstance(target, RatingTask):
        return RatingTask.objects.filter(pk=target.pk)
    return RatingTask.objects.filter(
        **{"rater" if isinstance(target, Rater) else "session": target}
    )


def _stop(rater: Rater, now: datetime) -> None:
    holding.release_all(rater, now)
    if rater.state != RaterState.WITHDRAWN:
        Rater.objects.filter(pk=rater.pk).update(state=RaterState.EXCLUDED, ended_at=now)


def _tell(
    exclusion: RatingExclusion, kind: str, actor: User | None, now: datetime, reason: str
) -> None:
    places.record(
        exclusion.protocol,
        kind,
        actor,
        now,
        exclusion=exclusion.code,
        what=exclusion.kind,
        reason_sha256=audit.digest(reason),
    )
