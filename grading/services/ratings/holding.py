"""Who holds what: whole plans, and the slots of them that are taken one at a time.

A row of the plan is one rater's; its holder goes through it in order. What a holder cannot rate, and
what a drop-out left, is taken by whoever heard that system least. That something is free is part of
the query: a lease or a hold that has run out needs nobody to clean up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from grading.enums import ExclusionKind, RaterState, TaskKind, TaskState
from grading.models import (
    PlanRow,
    PlanSlot,
    Rater,
    RatingExclusion,
    RatingProtocol,
    RatingTask,
)
from grading.models.rating_work import LEASED
from grading.prepared import prepared
from grading.scoring.rating.settings import ProtocolSettings
from grading.services.ratings import conflicts

_Terms = tuple[int, int, str, frozenset[int], datetime]
"""Rater, protocol, language, systems that are not wanted, and when a slot is looked for."""

SEEN_EVERY = timedelta(seconds=30)
HEARD = (TaskState.ANSWERED, TaskState.LATE, TaskState.OPEN, TaskState.NEXT)


@dataclass(frozen=True, slots=True)
class Seeker:
    """A rater who looks for a slot in a language: what they must not get, and when they look."""

    rater: Rater
    language: str
    settings: ProtocolSettings
    now: datetime
    conflicts: frozenset[int]

    @classmethod
    def of(cls, rater: Rater, language: str, settings: ProtocolSettings, now: datetime) -> Seeker:
        """Return the seeker with the conflicts of interest as they are now."""
        return cls(rater, language, settings, now, frozenset(conflicts.systems_of(rater)))

    def terms(self, last_system: int | None = None) -> _Terms:
        """Return what the queries for slots go by; of the system heard last nothing is wanted either."""
        last = set() if last_system is None else {last_system}
        rater = self.rater
        return rater.pk, rater.protocol_id, self.language, self.conflicts | last, self.now

    @property
    def hold_ends(self) -> datetime:
        """Plans whose holder was last seen before this moment are free."""
        return self.now - timedelta(hours=self.settings.hold_hours)


def take_row(seeker: Seeker) -> PlanRow | None:
    """Return the plan that the rater holds, or takes: one that nobody has, else one that was left.

    None when there is none, or the rater has heard so much that only single slots fit.
    """
    own: PlanRow | None = _rows(seeker).filter(rater=seeker.rater).first()
    if own is not None:
        PlanRow.objects.filter(pk=own.pk).update(held_at=seeker.now)
        _leave_to_others(own, seeker)
        return own
    if _heard(seeker).exists():
        return None
    row = _locked_row(seeker)
    if row is None:
        return None
    PlanRow.objects.filter(pk=row.pk).update(rater=seeker.rater, held_at=seeker.now)
    _leave_to_others(row, seeker)
    return row


def _leave_to_others(row: PlanRow, seeker: Seeker) -> None:
    """Open to all what the holder of a plan may not rate: a conflict, or a text given elsewhere."""
    leave([row.pk], Q(system__in=seeker.conflicts) | Q(Exists(_elsewhere(seeker.rater.pk))))


def plans_of(rater: Rater) -> list[int]:
    """Return the ids of the plans that a rater holds."""
    return list(PlanRow.objects.filter(rater=rater).values_list("pk", flat=True))


def leave(plans: Collection[int], which: Q) -> None:
    """Open to all those slots of plans that their holder may not rate any more."""
    if plans:
        slots = PlanSlot.objects.filter(row__in=plans, done_at__isnull=True, open_to_all=False)
        slots.filter(which).update(open_to_all=True)


def leave_conflicts(rater: Rater, systems: Collection[int]) -> None:
    """Open to all what a rater's plans hold of systems that they must not rate any more."""
    leave(plans_of(rater), Q(system__in=systems))


def _locked_row(seeker: Seeker) -> PlanRow | None:
    """Return a plan that nobody works on, locked. Who took one in the same instant is seen again."""
    passed: list[int] = []
    free = _rows(seeker).filter(_unheld(seeker, ""), Exists(_undone(OuterRef("pk"))))
    ordered = free.order_by(F("held_at").asc(nulls_first=True), "number")
    while True:
        row: PlanRow | None = (
            ordered.exclude(pk__in=passed)
            .select_for_update(skip_locked=True, of=("self",), no_key=True)
            .first()
        )
        if row is None or _rows(seeker).filter(_unheld(seeker, ""), pk=row.pk).exists():
            return row
        passed.append(row.pk)


def free_slots(seeker: Seeker) -> QuerySet[PlanSlot]:
    """Return the slots that this rater may take now, of their own plan and of others."""
    own = Q(row__rater=seeker.rater, open_to_all=False)
    return _takeable(*seeker.terms()).filter(own | _left(seeker))


def take_slot(seeker: Seeker, last_system: int | None) -> PlanSlot | None:
    """Return a locked slot for the rater, None when there is none; never of the system heard last.

    Of their own plan the next in order; else one that is left to others, of the system that this
    rater heard least.
    """
    return _take_own(seeker, last_system) or _take_left(seeker, last_system)


def note_seen(rater: Rater, now: datetime) -> None:
    """Note, once in a while, that a rater is here: what they hold stays theirs, in any language."""
    if now - rater.seen_at >= SEEN_EVERY:
        note_here(rater, now)


def note_here(rater: Rater, now: datetime) -> None:
    """Note that a rater is here, and that their plans stay theirs."""
    Rater.objects.filter(pk=rater.pk).update(seen_at=now)
    PlanRow.objects.filter(rater=rater).update(held_at=now)


@prepared
def lock_slot(slot: int) -> QuerySet[PlanSlot, tuple[int]]:
    """Lock a slot until the transaction ends."""
    slots = PlanSlot.objects.select_for_update(no_key=True)
    return slots.filter(pk=slot).values_list("pk")


def lock_slots(tasks: QuerySet[RatingTask]) -> None:
    """Lock the slots of these tasks, in one order, until the transaction ends."""
    ids = [pk for pk in tasks.values_list("slot_id", flat=True) if pk is not None]
    list(
        PlanSlot.objects.select_for_update(no_key=True)
        .filter(pk__in=ids)
        .order_by("pk")
        .values_list("pk")
    )


def release(tasks: QuerySet[RatingTask]) -> None:
    """Let go of the leases on the slots of these tasks, which are locked and still the rater's."""
    ids = [pk for pk in tasks.values_list("slot_id", flat=True) if pk is not None]
    PlanSlot.objects.filter(pk__in=ids, done_at__isnull=True).update(lease_until=None)


def release_all(rater: Rater, now: datetime) -> None:
    """Let go of everything that a rater holds who rates no more, and end their sitting."""
    from grading.services.ratings import sessions  # noqa: PLC0415  they need each other

    sessions.end_running(rater, now)
    PlanRow.objects.filter(rater=rater).update(rater=None, held_at=None)


def reopen(protocol: RatingProtocol, tasks: QuerySet[RatingTask]) -> int:
    """Add a slot, open to all, in place of each of these answers that fills one; return how many.

    Call it before the exclusion is written: what an exclusion covers, also one that was lifted
    since, was replaced when it was made.
    """
    filled = tasks.filter(
        ~Exists(_replaced()),
        state=TaskState.ANSWERED,
        slot__isnull=False,
        rated_text__dropped_at__isnull=True,
    ).select_related("slot")
    made = [
        PlanSlot(
            protocol=protocol,
            language=task.slot.language,
            position=0,
            stimulus_id=task.slot.stimulus_id,
            system_id=task.slot.system_id,
            rated_text_id=task.slot.rated_text_id,
            open_to_all=True,
        )
        for task in filled
        if task.slot is not None
    ]
    return len(PlanSlot.objects.bulk_create(made))


def _replaced() -> QuerySet[RatingExclusion]:
    """Return the exclusions that found a task's answer there, whether they stand or were lifted."""
    by = (
        Q(kind=ExclusionKind.RATING, task=OuterRef("pk"))
        | Q(kind=ExclusionKind.SESSION, session=OuterRef("session"))
        | Q(kind=ExclusionKind.RATER, rater=OuterRef("rater"))
    )
    return RatingExclusion.objects.filter(by, excluded_at__gte=OuterRef("ended_at"))


def _rows(seeker: Seeker) -> QuerySet[PlanRow]:
    return PlanRow.objects.filter(protocol=seeker.rater.protocol_id, language=seeker.language)


def _undone(row: OuterRef) -> QuerySet[PlanSlot]:
    return PlanSlot.objects.filter(row=row, done_at__isnull=True, open_to_all=False)


def _unheld(seeker: Seeker, row: str) -> Q:
    """Return the condition that nobody works on a plan; `row` is the path to it."""
    return (
        Q(**{f"{row}rater__isnull": True})
        | Q(**{f"{row}held_at__lt": seeker.hold_ends})
        | ~Q(**{f"{row}rater__state": RaterState.ACTIVE})
    )


def _heard(seeker: Seeker) -> QuerySet[RatingTask, int]:
    """Return the texts that the rater was given as scored stimuli, whatever became of it."""
    return RatingTask.objects.filter(
        rater=seeker.rater, kind=TaskKind.SCORED, stimulus__language=seeker.language
    ).values_list("rated_text_id", flat=True)


def _elsewhere(rater: int) -> QuerySet[RatingTask]:
    """Return how a slot's text was given to the rater, other than in this slot and let go of."""
    return RatingTask.objects.filter(
        rater=rater, kind=TaskKind.SCORED, rated_text=OuterRef("rated_text")
    ).exclude(slot=OuterRef("pk"), state=TaskState.RELEASED)


def _takeable(
    rater: int, protocol: int, language: str, not_of: Collection[int], now: datetime
) -> QuerySet[PlanSlot]:
    """Return slots that are free, whose sound is there, and that the rater may hear.

    A text that was given before may only come again in the very slot that it was given in.
    """
    return PlanSlot.objects.filter(
        ~Exists(_elsewhere(rater)),
        Q(lease_until__isnull=True) | Q(lease_until__lte=now),
        protocol=protocol,
        language=language,
        done_at__isnull=True,
        rated_text__dropped_at__isnull=True,
        stimulus__held_at__isnull=True,
        stimulus__prepared_at__isnull=False,
    ).exclude(system__in=not_of)


def _locked(slots: QuerySet[PlanSlot]) -> QuerySet[PlanSlot]:
    """Return the first slot that nobody else is at, to be locked."""
    heard = slots.select_related("stimulus")
    return heard.select_for_update(skip_locked=True, of=("self",), no_key=True)[:1]


def _own(
    rater: int, protocol: int, language: str, not_of: Collection[int], now: datetime
) -> QuerySet[PlanSlot]:
    own = _takeable(rater, protocol, language, not_of, now)
    return own.filter(row__rater=rater, open_to_all=False).order_by("position")


@prepared
def _own_systems(
    rater: int, protocol: int, language: str, not_of: Collection[int], now: datetime
) -> QuerySet[PlanSlot, tuple[int]]:
    return _own(rater, protocol, language, not_of, now).values_list("system")[:1]


@prepared
def _own_slot(
    rater: int, protocol: int, language: str, not_of: Collection[int], now: datetime
) -> QuerySet[PlanSlot]:
    return _locked(_own(rater, protocol, language, not_of, now))


def own_system(seeker: Seeker) -> int | None:
    """Return the system that comes next in the rater's own plan, None when nothing of it is left."""
    found = _own_systems.first(*seeker.terms())
    return None if found is None else found[0]


def _left(seeker: Seeker) -> Q:
    """Return the condition that a slot is left to others, and of a text that this rater lacks.

    A text that the rater's own plan still asks for would leave a slot of it that nobody may take.
    """
    own = PlanSlot.objects.filter(
        row__rater=seeker.rater, open_to_all=False, done_at__isnull=True
    ).values("rated_text")
    return (Q(open_to_all=True) | _unheld(seeker, "row__")) & ~Q(rated_text__in=own)


def _take_own(seeker: Seeker, last_system: int | None) -> PlanSlot | None:
    return _own_slot.first(*seeker.terms(last_system))


def _take_left(seeker: Seeker, last_system: int | None) -> PlanSlot | None:
    left = _takeable(*seeker.terms(last_system)).filter(_left(seeker))
    waiting = dict(left.order_by().values_list("system").annotate(count=Count("pk")))
    heard = heard_by_system(seeker.rater, seeker.language)
    for system in sorted(waiting, key=lambda pk: (heard[pk], -waiting[pk], pk)):
        # What nobody has begun is left to raters who can do all of it.
        slot = _locked(
            left.filter(system=system).order_by(
                "-open_to_all", F("row__held_at").asc(nulls_last=True), "pk"
            )
        ).first()
        if slot is not None:
            return slot
    return None


def heard_by_system(rater: Rater, language: str) -> Counter[int]:
    """Return how many of each system the rater has answered, or has on lease."""
    rows = (
        RatingTask.objects.filter(
            rater=rater,
            kind=TaskKind.SCORED,
            stimulus__language=language,
            state__in=[TaskState.ANSWERED, TaskState.LATE, *LEASED],
        )
        .order_by()
        .values_list("stimulus__system")
        .annotate(count=Count("pk"))
    )
    return Counter({system: count for system, count in rows if system is not None})
