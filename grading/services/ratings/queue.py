"""What a rater does next: one task that is open and one that is fetched ahead, each under a lease.

Two tabs of one person get the same tasks; two raters never get the same slot. A lease that has run
out is renewed when its rater comes back, unless somebody else has taken the slot meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts.models import User
from grading.enums import SessionState, StimulusKind, TaskKind, TaskState
from grading.models import PlanSlot, Rater, Rating, RatingSession, RatingTask, Stimulus
from grading.models.rating_work import LEASED
from grading.prepared import prepared
from grading.scoring.rating import plans
from grading.services.ratings import errors, holding, places, sessions
from grading.services.ratings.sessions import SessionProgress

ANSWERED = (TaskState.ANSWERED, TaskState.LATE)
SEEN = (*ANSWERED, TaskState.OPEN)
PARTS = ("delivered_at", "second_delivered_at")
"""Where it stands when each sound of a task was sent, in the order in which they are heard."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a rater has: the task to show, and the one whose sound may be loaded already.

    Without an open task the sitting is over.
    """

    open: RatingTask | None
    ahead: RatingTask | None
    progress: SessionProgress


def claim(*, actor: User, session: RatingSession, now: datetime) -> Claimed:
    """Return the rater's open task and the one after it, leased anew; make them where there are none.

    Refuses TaskUnknown, RaterEnded, ProtocolNotOpen, SessionEnded (before the rating began, or left).
    """
    with transaction.atomic():
        return claim_inside(actor=actor, session=session, now=now)


def claim_inside(*, actor: User, session: RatingSession, now: datetime) -> Claimed:
    """Do what `claim` does inside the caller's transaction, which holds the rater's lock from here on."""
    locked = sessions.lock(session, actor)
    if locked.state == SessionState.FINISHED:
        return Claimed(None, None, sessions.progress(session=locked, now=now))
    if locked.state != SessionState.RATING:
        raise errors.SessionEnded(_("This sitting is over, or its checks are not done yet."))
    desk = _Desk(locked, now)
    shown, ahead = desk.take()
    if shown is None:
        sessions.finish(locked, now)
    desk.seen()
    session.state = SessionState.RATING if shown is not None else SessionState.FINISHED
    session.position = locked.position
    return Claimed(shown, ahead, desk.progress())


def heartbeat(*, actor: User, session: RatingSession, now: datetime) -> datetime:
    """Extend the leases of a sitting whose page is looked at; returns when they end.

    Refuses TaskUnknown, RaterEnded, ProtocolNotOpen, TaskEnded (somebody else took the open task).
    """
    with transaction.atomic():
        locked = sessions.lock(session, actor)
        desk = _Desk(locked, now)
        renewed = [task for task in desk.leased() if desk.renew(task, is_beat=True)]
        if not any(task.state == TaskState.OPEN for task in renewed):
            raise errors.TaskEnded(_("This item was given to somebody else meanwhile."))
        desk.seen()
    return desk.until


def task(*, user: User, code: str) -> RatingTask:
    """Return a task of the person by its code. Refuses TaskUnknown: also another's, or a conflict's."""
    rows = RatingTask.objects.visible_to(user).select_related(
        "stimulus", "session", "rater__protocol__selection__phase__track__competition"
    )
    found: RatingTask | None = rows.filter(code=code).first()
    if found is None:
        raise sessions.unknown()
    return found


@prepared
def _at_place(rater: int, code: str) -> QuerySet[RatingTask]:
    tasks = RatingTask.objects.filter(rater=rater, code=code)
    return tasks.select_related("stimulus", "session")


def task_at(*, rater: Rater, code: str) -> RatingTask:
    """Return a task of a place that is at hand already. Refuses TaskUnknown: also another's."""
    found = _at_place.first(rater.pk, code)
    if found is None:
        raise sessions.unknown()
    found.rater = found.session.rater = rater
    return found


def delivered(*, task: RatingTask, now: datetime, part: int = 0) -> None:
    """Note when a sound of a task was first sent, the one heard first or (`part` 1) second.

    Later times change nothing.
    """
    name = PARTS[part]
    if getattr(task, name) is not None:
        return
    unsent = RatingTask.objects.filter(pk=task.pk, **{f"{name}__isnull": True})
    unsent.update(**{name: now})


_Given = tuple[int, str, int, str, int | None, int | None]


@prepared
def _given(session: int) -> QuerySet[RatingTask, _Given]:
    first = Rating.objects.filter(task=OuterRef("pk"), revision=0).values("took_ms")
    return (
        RatingTask.objects.filter(session=session)
        .order_by()
        .values_list("pk", "kind", "position", "state", "stimulus__system", Subquery(first))
    )


@prepared
def _leased(session: int) -> QuerySet[RatingTask]:
    tasks = RatingTask.objects.filter(session=session, state__in=LEASED)
    return tasks.select_related("stimulus", "rated_text").order_by("position")


@prepared
def _earlier(slot: int, rater: int) -> QuerySet[RatingTask]:
    return RatingTask.objects.filter(Q(state__in=LEASED) | Q(rater=rater), slot=slot)


class _Desk:
    """A rater's tasks in one sitting, under the rater's lock."""

    def __init__(self, session: RatingSession, now: datetime) -> None:
        self._session = session
        self._rater = session.rater
        self._now = now
        self._settings = places.settings_of(self._rater.protocol)
        self._seeker = holding.Seeker.of(self._rater, session.language, self._settings, now)
        self.until = now + timedelta(seconds=self._settings.lease_seconds)
        self._chain: dict[int, tuple[int, int]] = {}
        self._given: list[int | None] = []

    def take(self) -> tuple[RatingTask | None, RatingTask | None]:
        """Return the open task and the one fetched ahead: those there are, else new ones.

        The one fetched ahead before becomes the open one, once that is done.
        """
        self._look_back()
        if self._seeker.conflicts:
            holding.leave_conflicts(self._rater, self._seeker.conflicts)
        kept = [task for task in self.leased() if self.renew(task)]
        kept.sort(key=lambda task: task.state != TaskState.OPEN)
        before = self._session.position
        shown = self._opened(kept[0]) if kept else self._next(TaskState.OPEN)
        ahead = kept[1] if len(kept) > 1 else None
        if shown is not None and ahead is None:
            ahead = self._next(TaskState.NEXT)
        if self._session.position != before:
            self._session.save(update_fields=["position"])
        return shown, ahead

    def seen(self) -> None:
        """Note, once in a while, that the rater is here: what they hold stays theirs."""
        holding.note_seen(self._rater, self._now)

    def progress(self) -> SessionProgress:
        """Return how far the sitting is, as it was when `take` began."""
        return sessions.progress_by(session=self._session, given=self._given, now=self._now)

    def _look_back(self) -> None:
        """Read what the rater was given in this sitting: what it took, and of which systems it was."""
        for pk, kind, position, state, system, took in _given(self._session.pk):
            if state in sessions.ENDED_TASKS:
                self._given.append(took)
            if system is not None and state != TaskState.RELEASED and kind != TaskKind.NULL:
                self._chain[pk] = position, system

    def leased(self) -> list[RatingTask]:
        """Return the tasks on lease, whether it still runs or not, the open one first."""
        return _leased(self._session.pk)

    def renew(self, task: RatingTask, *, is_beat: bool = False) -> bool:
        """Lease a task anew; False when it is not the rater's any more, or may not be given now.

        Under the rater's lock a lease that still runs cannot be taken; with most of it left it stays.
        """
        left = (task.lease_until or self._now) - self._now
        if 2 * left > self.until - self._now and not is_beat and self._may_be_given(task):
            return True
        if task.slot_id is not None:
            holding.lock_slot(task.slot_id)
        ours = RatingTask.objects.filter(pk=task.pk, state__in=LEASED)
        if not self._may_be_given(task):
            holding.release(ours)
            if task.slot_id is not None:
                PlanSlot.objects.filter(pk=task.slot_id).update(open_to_all=True)
            ours.update(state=TaskState.RELEASED, lease_until=None, ended_at=self._now)
            self._chain.pop(task.pk, None)
            return False
        if not ours.update(lease_until=self.until):
            return False
        if task.slot_id is not None:
            PlanSlot.objects.filter(pk=task.slot_id).update(lease_until=self.until)
        task.lease_until = self.until
        return True

    def _may_be_given(self, task: RatingTask) -> bool:
        dropped = task.rated_text is not None and task.rated_text.dropped_at is not None
        conflict = task.stimulus.system_id in self._seeker.conflicts
        return not (task.stimulus.held_at or dropped or conflict)

    def _opened(self, task: RatingTask) -> RatingTask:
        if task.state == TaskState.NEXT:
            task.state, task.opened_at = TaskState.OPEN, self._now
            task.save(update_fields=["state", "opened_at"])
        return task

    def _next(self, state: TaskState) -> RatingTask | None:
        """Return a new task for the next place of the layout that something is found for."""
        made = None
        while made is None and self._session.position < len(self._session.layout):
            kind = self._session.layout[self._session.position]
            made = self._made(TaskKind(kind), state)
            # A null pair says nothing of its system, and must not keep a place of the plan from anybody.
            system = None if made is None else made.stimulus.system_id
            if made is not None and system is not None and kind != TaskKind.NULL:
                self._chain[made.pk] = made.position, system
            self._session.position += 1
        return made

    def _made(self, kind: TaskKind, state: TaskState) -> RatingTask | None:
        if kind == TaskKind.SCORED:
            return self._scored(state)
        if kind == TaskKind.REPEAT:
            return self._repeat(state)
        if kind == TaskKind.NULL:
            return self._null_pair(state)
        stimulus = self._control(StimulusKind(kind.value))
        return None if stimulus is None else self._create(kind, state, stimulus)

    def _scored(self, state: TaskState) -> RatingTask | None:
        slot = holding.take_slot(self._seeker, self._last_system())
        if slot is None:
            return None
        # Tasks of a slot change under its lock alone, which is held.
        earlier = _earlier(slot.pk, self._rater.pk)
        stale = [task.pk for task in earlier if task.state in LEASED]
        if stale:
            RatingTask.objects.filter(pk__in=stale, state__in=LEASED).update(
                state=TaskState.RELEASED, lease_until=None, ended_at=self._now
            )
        PlanSlot.objects.filter(pk=slot.pk).update(lease_until=self.until)
        again = next((task for task in earlier if task.rater_id == self._rater.pk), None)
        if again is not None:
            again.stimulus = slot.stimulus
            return self._revived(again, state)
        return self._create(
            TaskKind.SCORED, state, slot.stimulus, slot=slot, rated_text_id=slot.rated_text_id
        )

    def _revived(self, task: RatingTask, state: TaskState) -> RatingTask:
        """Return a task that the rater left unanswered, given again in this sitting."""
        task.session, task.position = self._session, self._session.position
        task.state, task.ended_at, task.lease_until = state, None, self.until
        task.opened_at = self._now if state == TaskState.OPEN else None
        # a new sitting: it is to be heard again
        task.delivered_at = task.second_delivered_at = None
        task.save()
        return task

    def _repeat(self, state: TaskState) -> RatingTask | None:
        """Return a repeat of what the rater answered in this sitting, the earlier half by hash.

        Rather of the later half than of the system that their plan asks for next: that would wait.
        """
        answered = list(
            RatingTask.objects.filter(
                session=self._session,
                kind=TaskKind.SCORED,
                state__in=ANSWERED,
                stimulus__held_at__isnull=True,
                repeats__isnull=True,
            )
            .exclude(stimulus__system__in=self._not_now())
            .select_related("stimulus")
            .order_by("position")
        )
        if not answered:
            return None
        by_key = {task.stimulus.key: task for task in answered}
        early = {task.stimulus.key for task in answered[: -(-len(answered) // 2)]}
        following = holding.own_system(self._seeker)
        order = plans.shuffled(by_key, self._session.code, "repeat")
        order.sort(key=lambda key: (by_key[key].stimulus.system_id == following, key not in early))
        first = by_key[order[0]]
        return self._create(TaskKind.REPEAT, state, first.stimulus, repeat_of=first)

    def _null_pair(self, state: TaskState) -> RatingTask | None:
        """Return a clip that the rater was given in this sitting, against itself; which one, by hash."""
        given = RatingTask.objects.filter(
            session=self._session,
            kind=TaskKind.SCORED,
            state__in=SEEN,
            stimulus__held_at__isnull=True,
        ).exclude(stimulus__system__in=self._not_now())
        by_key = {task.stimulus.key: task.stimulus for task in given.select_related("stimulus")}
        order = plans.shuffled(by_key, self._session.code, "null", self._session.position)
        return self._create(TaskKind.NULL, state, by_key[order[0]]) if order else None

    def _order_of(self, kind: TaskKind, stimulus: Stimulus) -> bool | None:
        """Return whether the system's sound of a pair comes first: drawn from the protocol's seed.

        A trap keeps its order, so that what its text asks for can be pressed. None of one sound.
        """
        protocol = self._rater.protocol
        if not protocol.declared.is_pair:
            return None
        if kind in {TaskKind.TRAP, TaskKind.NULL}:
            return False
        return plans.is_first(protocol.seed, "order", kind, stimulus.key, self._rater.pseudonym)

    def _control(self, kind: StimulusKind) -> Stimulus | None:
        """Return a control item: one that the rater had least often, by hash among equals."""
        items = Stimulus.objects.filter(
            protocol_id=self._rater.protocol_id,
            language=self._session.language,
            kind=kind,
            prepared_at__isnull=False,
            held_at__isnull=True,
        )
        had = dict(
            RatingTask.objects.filter(rater=self._rater, stimulus__in=items)
            .order_by()
            .values_list("stimulus")
            .annotate(count=Count("pk"))
        )
        by_key = {item.key: item for item in items}
        order = plans.shuffled(by_key, self._session.code, kind)
        order.sort(key=lambda key: had.get(by_key[key].pk, 0))
        return by_key[order[0]] if order else None

    def _not_now(self) -> set[int]:
        """Return the systems that nothing may be heard of again now: conflicts, and the last one."""
        last = self._last_system()
        return {*self._seeker.conflicts} if last is None else {*self._seeker.conflicts, last}

    def _last_system(self) -> int | None:
        """Return the system heard last in this sitting; controls are of none."""
        return max(self._chain.values())[1] if self._chain else None

    def _create(
        self, kind: TaskKind, state: TaskState, stimulus: Stimulus, **fields: object
    ) -> RatingTask:
        return RatingTask.objects.create(
            session=self._session,
            rater=self._rater,
            position=self._session.position,
            kind=kind,
            stimulus=stimulus,
            state=state,
            lease_until=self.until,
            created_at=self._now,
            opened_at=self._now if state == TaskState.OPEN else None,
            system_first=self._order_of(kind, stimulus),
            **fields,
        )
