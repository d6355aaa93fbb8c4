"""How many slots an entrant has used; slots move under the entrant's row lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from competition.models import Entrant, EntrantMember, EntrantMerge, Phase
from competition.timeline import aoe_day, day_reset
from grading.enums import QuotaState, UploadState
from grading.models import FileSet, QuotaEntry, Submission, UploadSession

USED = [QuotaState.RESERVED, QuotaState.CHARGED]


@dataclass(frozen=True, slots=True)
class Used:
    """Slots taken, reserved or charged: on one AoE day, and in the whole phase."""

    today: int
    total: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """An entrant's account in one phase: limits (None = unlimited), use, and when the day resets."""

    per_day: int | None
    total: int | None
    used_today: int
    used_total: int
    left_today: int | None
    left_total: int | None
    resets_at: datetime
    day: date
    entries: QuerySet[QuotaEntry]
    uploads: QuerySet[UploadSession]

    @property
    def left(self) -> int | None:
        """Slots that can be used now; None = unlimited."""
        known = [left for left in (self.left_today, self.left_total) if left is not None]
        return min(known) if known else None


def ledger(*, entrant: Entrant, phase: Phase, now: datetime) -> Ledger:
    """Return the entrant's account in the phase as of `now`."""
    day = aoe_day(now)
    used = used_slots(entrant=entrant, phase=phase, day=day)
    return Ledger(
        per_day=phase.quota_per_day,
        total=phase.quota_total,
        used_today=used.today,
        used_total=used.total,
        left_today=left_of(phase.quota_per_day, used.today),
        left_total=left_of(phase.quota_total, used.total),
        resets_at=day_reset(now),
        day=day,
        entries=QuotaEntry.objects.filter(_counts_for(entrant), phase=phase).select_related(
            "submission__uploader"
        ),
        uploads=open_uploads(entrant, phase),
    )


def used_slots(*, entrant: Entrant, phase: Phase, day: date) -> Used:
    """Return the larger of the entrant's use and that of any member who came from another entrant."""
    uses = [own_use(entrant=entrant, phase=phase, day=day)]
    uses += [
        use_of_member(user_id=user, phase=phase, day=day) for user in came_from_elsewhere(entrant)
    ]
    return Used(today=max(use.today for use in uses), total=max(use.total for use in uses))


def own_use(*, entrant: Entrant, phase: Phase, day: date, uploads: bool = True) -> Used:
    """Return the slots of the entrant and of all that went into it; without its open uploads on demand."""
    entries = QuotaEntry.objects.filter(_counts_for(entrant), phase=phase)
    underway: list[QuerySet[Any]] = [open_uploads(entrant, phase), open_sets(entrant, phase)]
    return _count(entries, underway if uploads else [], day)


def use_of_member(*, user_id: int, phase: Phase, day: date) -> Used:
    """Return the slots that any entrant took while the person was a member of it."""
    return _count(
        _while_member(QuotaEntry.objects, user_id, phase, "reserved_at"),
        [
            _while_member(UploadSession.objects, user_id, phase, "created_at"),
            _while_member(FileSet.objects, user_id, phase, "created_at"),
        ],
        day,
    )


def open_uploads(entrant: Entrant, phase: Phase) -> QuerySet[UploadSession]:
    """Return the entrant's uploads in parts that are under way; each holds one slot."""
    return UploadSession.objects.filter(entrant=entrant, phase=phase, state=UploadState.OPEN)


def open_sets(entrant: Entrant, phase: Phase) -> QuerySet[FileSet]:
    """Return the entrant's sets of files that are under way; each holds one slot."""
    return FileSet.objects.filter(entrant=entrant, phase=phase, state=UploadState.OPEN)


def reserve(*, submission: Submission, now: datetime) -> QuotaEntry:
    """Take one slot on the AoE day of the upload's beginning; the caller holds the entrant's lock."""
    return QuotaEntry.objects.create(
        submission=submission,
        entrant=submission.entrant,
        phase=submission.phase,
        aoe_day=aoe_day(submission.created_at),
        state=QuotaState.RESERVED,
        reserved_at=now,
    )


def charge(*, submission_id: int, now: datetime) -> None:
    """Turn the reserved slot into a charge."""
    QuotaEntry.objects.filter(submission_id=submission_id, state=QuotaState.RESERVED).update(
        state=QuotaState.CHARGED, settled_at=now, reason=""
    )


def release(*, submission_id: int, reason: str, now: datetime) -> None:
    """Give the slot back, reserved or charged, and say why."""
    QuotaEntry.objects.filter(submission_id=submission_id, state__in=USED).update(
        state=QuotaState.RELEASED, settled_at=now, reason=reason
    )


def left_of(limit: int | None, used: int) -> int | None:
    """Return how many slots are left under a limit, None where there is none."""
    return None if limit is None else max(0, limit - used)


def _counts_for(entrant: Entrant) -> Q:
    """Return whose entries count: the entrant's own, and those of entrants that went into it."""
    taken_in = EntrantMerge.objects.filter(kept=entrant).values("merged_id")
    return Q(entrant=entrant) | Q(entrant__in=taken_in)


def _count(entries: QuerySet[Any], uploads: list[QuerySet[Any]], day: date) -> Used:
    """Return the slots of submissions, and of uploads that have not become one yet."""
    slots = Count("pk", filter=Q(aoe_day=day))
    taken = [
        entries.filter(state__in=USED),
        *(rows.filter(state=UploadState.OPEN) for rows in uploads),
    ]
    counts = [rows.aggregate(today=slots, total=Count("pk")) for rows in taken]
    return Used(
        today=sum(count["today"] for count in counts),
        total=sum(count["total"] for count in counts),
    )


def came_from_elsewhere(entrant: Entrant) -> list[int]:
    """Return ids of active members who were in another entrant of the competition before."""
    elsewhere = EntrantMember.objects.filter(
        competition=entrant.competition_id, user=OuterRef("user")
    ).exclude(entrant=entrant)
    members = EntrantMember.objects.filter(entrant=entrant, left_at__isnull=True)
    return list(members.filter(Exists(elsewhere)).values_list("user_id", flat=True))


def _while_member(slots: Any, user_id: int, phase: Phase, taken_at: str) -> QuerySet[Any]:
    """Return the slots of the phase that any entrant took while this person was a member of it."""
    membership = EntrantMember.objects.filter(
        Q(left_at__isnull=True) | Q(left_at__gt=OuterRef(taken_at)),
        entrant=OuterRef("entrant"),
        user=user_id,
        joined_at__lte=OuterRef(taken_at),
    )
    found: QuerySet[Any] = slots.filter(Exists(membership), phase=phase)
    return found
