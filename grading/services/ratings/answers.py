"""What a rater answers: drafts, answers that are taken once, corrections, reports of broken audio."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from competition.services.writing import visible_text
from grading.enums import Placement, RatingForm, TaskState
from grading.models import (
    BrokenReport,
    PlanSlot,
    Rater,
    Rating,
    RatingNote,
    RatingTask,
    Stimulus,
)
from grading.models.rating_work import LEASED
from grading.prepared import prepared
from grading.scoring.rating.answers import read_marks
from grading.scoring.rating.forms import COLUMN_OF, turned
from grading.services.ratings import conflicts, errors, exclusions, holding, places, sessions
from grading.services.ratings.exchange_rows import MOST_MS
from grading.services.ratings.marks import refused

DRAFT_LIMIT = 8192
NOTE_LIMIT = 1000
PLAYS_LIMIT = 10_000
RATE = 16_000
ANSWERABLE = (TaskState.OPEN, TaskState.RELEASED)
"""No answer was taken in these states; in any other the UUID tells whether it was this one."""
_TARGET = re.compile(r"\[[^\[\]]+\]")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the form sends: a UUID made by the client, marks by letter, what was heard where.

    A comparison is sent as it was heard: how the second compares with the first.
    """

    uuid: str
    marks: Mapping[str, object]
    placements: Sequence[str] = ()
    note: str = ""
    plays: int = 0


@dataclass(frozen=True, slots=True)
class _Read:
    """An answer that was checked; of a pair its marks are for the system, the order undone."""

    uuid: uuid.UUID
    marks: Mapping[str, int]
    placements: list[str]
    note: str
    plays: int

    @property
    def columns(self) -> dict[str, int]:
        return {COLUMN_OF[letter]: mark for letter, mark in self.marks.items()}


@dataclass(frozen=True, slots=True)
class Revisable:
    """A task whose answer may still be corrected, what it is now, and until when."""

    task: RatingTask
    current: Rating
    until: datetime


def save_draft(
    *, actor: User, task: RatingTask, draft: Mapping[str, object], now: datetime
) -> None:
    """Keep what the form holds, of a task that is not answered. Refuses TaskUnknown, DraftInvalid, TaskEnded."""
    try:
        text = json.dumps(draft, allow_nan=False)
    except (TypeError, ValueError):
        text = ""
    if not isinstance(draft, Mapping) or not text or len(text) > DRAFT_LIMIT:
        raise errors.DraftInvalid(_("This cannot be saved."))
    _check_owner(task, actor)
    rows = RatingTask.objects.filter(pk=task.pk, state__in=[*LEASED, TaskState.RELEASED])
    if not rows.update(draft=dict(draft), draft_at=now):
        raise _ended()


def submit(*, actor: User, task: RatingTask, answer: Answer, now: datetime) -> Rating:
    """Take an answer once: the same UUID again returns what was taken, marked `repeated`.

    One that comes after its lease is kept and flagged, also when somebody else has taken the place.
    Refuses TaskUnknown, RaterEnded, ProtocolNotOpen, UuidInvalid, MarksRefused, PlacementsInvalid,
    NoteTooLong, UuidReused, TaskEnded, TaskNotOpen, NotDelivered, TooEarly.
    """
    read = _read(task, answer)
    with _once(read):
        rater = _lock(task, actor)
        locked = _lock_task(task)
        locked.rater = rater
        if locked.state not in ANSWERABLE:
            known = Rating.objects.filter(uuid=read.uuid).first()
            if known is not None:
                return _same(known, task, read)
        _check_may_answer(locked, now)
        rating = _add(locked, read, 0, now, is_late=_is_late(locked, now))
        _settle(locked, now)
        holding.note_seen(rater, now)
        places.note_change(rater.protocol, now)
    return rating


def revisable(*, rater: Rater, now: datetime) -> list[Revisable]:
    """Return the rater's last answers that may still be corrected, the newest first."""
    settings = places.settings_of(rater.protocol)
    window = timedelta(seconds=settings.revise_seconds)
    by_task: dict[int, list[Rating]] = {}
    for row in _last(rater.pk, now - window, most=settings.revisable):
        by_task.setdefault(row.task_id, []).append(row)
    return [
        Revisable(given[0].task, given[-1], given[0].created_at + window)
        for given in sorted(
            by_task.values(), key=lambda rows: (rows[0].created_at, rows[0].pk), reverse=True
        )
    ]


@prepared
def _last(rater: int, since: datetime, *, most: int) -> QuerySet[Rating]:
    """Return what was answered in the last tasks, first answers before corrections."""
    first = Rating.objects.filter(rater=rater, revision=0, created_at__gte=since)
    return (
        Rating.objects.filter(
            task__in=first.order_by("-created_at", "-pk").values("task")[:most],
            task__session__is_imported=False,
        )
        .select_related("task__stimulus")
        .defer("task__stimulus__peaks", "task__stimulus__loudness")
        .order_by("revision")
    )


def revise(*, actor: User, task: RatingTask, answer: Answer, now: datetime) -> Rating:
    """Add a corrected answer beside the earlier ones; the newest counts. The same UUID again repeats it.

    Refuses what `submit` refuses of an answer, and NotRevisable.
    """
    read = _read(task, answer)
    with _once(read):
        rater = _lock(task, actor)
        known = Rating.objects.filter(uuid=read.uuid).first()
        if known is not None:
            return _same(known, task, read)
        if all(item.task.pk != task.pk for item in revisable(rater=rater, now=now)):
            raise errors.NotRevisable(
                _("Only your last answers can be changed, and only for a few minutes.")
            )
        locked = _lock_task(task)
        locked.rater = rater
        _refuse_conflict(locked)
        newest = locked.ratings.aggregate(newest=Max("revision"))["newest"]
        first = locked.ratings.get(revision=0)
        rating = _add(locked, read, newest + 1, now, is_late=first.is_late, took=first.took_ms)
        places.note_change(rater.protocol, now)
    return rating


def report_broken(
    *, actor: User, task: RatingTask, note: str, now: datetime
) -> BrokenReport | None:
    """End a task whose audio is broken; enough reports hold the sound back until it is decided.

    Returns the report, or the earlier one of this rater on the same sound. Refuses TaskUnknown,
    RaterEnded, ProtocolNotOpen, TaskEnded.
    """
    with transaction.atomic():
        rater = _lock(task, actor)
        locked = _lock_task(task)
        locked.rater = rater
        report = BrokenReport.objects.filter(stimulus=locked.stimulus_id, rater=rater).first()
        if locked.state == TaskState.BROKEN:
            return report
        if locked.state != TaskState.OPEN:
            raise _ended()
        RatingTask.objects.filter(pk=locked.pk).update(
            state=TaskState.BROKEN, lease_until=None, ended_at=now
        )
        if locked.slot_id is not None:
            PlanSlot.objects.filter(pk=locked.slot_id).update(lease_until=None, open_to_all=True)
        if report is None:
            report = BrokenReport.objects.create(
                task=locked,
                stimulus=locked.stimulus,
                rater=rater,
                note=visible_text(note)[:NOTE_LIMIT],
                reported_at=now,
            )
            _hold_back(locked, now)
    return report


def needed_seconds(task: RatingTask) -> float:
    """Return how long after the sound was sent an answer counts, in seconds; of two, both sounds."""
    settings = places.settings_of(task.rater.protocol)
    frames = sum(sound.frames or 0 for sound in task.sounds)
    return frames * settings.heard_percent / 100 / RATE


def targets(text: str) -> list[str]:
    """Return the vocalizations that a text asks for, in its order, with their brackets."""
    return _TARGET.findall(text)


def for_system(task: RatingTask, marks: Mapping[str, int]) -> dict[str, int]:
    """Return marks as they are stored: of a pair as the system compares, in whichever order it was heard."""
    if task.system_first is None:
        return dict(marks)
    return {letter: turned(mark, system_first=task.system_first) for letter, mark in marks.items()}


def _read(task: RatingTask, answer: Answer) -> _Read:
    marks = read_marks(task.rater.protocol.form, answer.marks)
    if marks.faults:
        raise refused(marks.faults)
    note = visible_text(answer.note)
    if len(note) > NOTE_LIMIT:
        raise errors.NoteTooLong(
            _("A comment has at most %(limit)s characters.") % {"limit": NOTE_LIMIT}, field="note"
        )
    placements = list(answer.placements)
    wanted = len(targets(task.stimulus.text))
    if placements and (
        len(placements) != wanted or any(given not in Placement.values for given in placements)
    ):
        raise errors.PlacementsInvalid(
            _("Say of each vocalization whether it was heard, or of none."), field="placements"
        )
    plays = min(max(0, answer.plays), PLAYS_LIMIT)
    return _Read(_uuid(answer.uuid), for_system(task, marks.marks), placements, note, plays)


def _uuid(text: str) -> uuid.UUID:
    try:
        found = uuid.UUID(text)
    except (ValueError, AttributeError, TypeError):
        found = None
    if found is None or str(found) != str(text).lower():
        raise errors.UuidInvalid(_("The answer has no valid UUID."), field="uuid")
    return found


@contextmanager
def _once(read: _Read) -> Iterator[None]:
    """Open the transaction of an answer: the database takes a UUID once, whatever was seen before.

    Refuses UuidReused; everything else that was done inside is undone then.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if not Rating.objects.filter(uuid=read.uuid).exists():
            raise
        raise errors.UuidReused(_("This UUID came with another answer before.")) from error


def _check_owner(task: RatingTask, actor: User) -> None:
    if not RatingTask.objects.visible_to(actor).filter(pk=task.pk).exists():
        raise sessions.unknown()


def _lock(task: RatingTask, actor: User) -> Rater:
    try:
        rater = places.lock_at_work(task.rater_id, actor)
    except errors.RaterUnknown:
        raise sessions.unknown() from None
    places.require_open(rater.protocol)
    return rater


def _lock_task(task: RatingTask) -> RatingTask:
    """Return the task as it is now; its slot, then itself, are locked."""
    if task.slot_id is not None:
        holding.lock_slot(task.slot_id)
    (found,) = _locked_task(task.pk)
    return found


@prepared
def _locked_task(task: int) -> QuerySet[RatingTask]:
    tasks = RatingTask.objects.select_for_update(of=("self",), no_key=True)
    return tasks.filter(pk=task).select_related("stimulus", "slot")


def _same(known: Rating, task: RatingTask, read: _Read) -> Rating:
    """Return the answer that was taken under this UUID; raise UuidReused when it was another."""
    marks = {letter: mark for letter, mark in known.marks.items() if mark is not None}
    if known.task_id != task.pk or marks != dict(read.marks):
        raise errors.UuidReused(_("This UUID came with another answer before."))
    known.repeated = True
    return known


def _check_may_answer(task: RatingTask, now: datetime) -> None:
    if task.state == TaskState.NEXT:
        raise errors.TaskNotOpen(_("This item was not opened yet."))
    if task.state not in ANSWERABLE or (task.state == TaskState.RELEASED and not _given(task)):
        raise _ended()
    _refuse_conflict(task)
    if task.delivered_at is None:
        raise errors.NotDelivered(_("Listen to the recording first."))
    first = task.delivered_at
    if task.system_first is not None:
        if task.second_delivered_at is None:
            raise errors.NotDelivered(_("Listen to both recordings first."))
        first = min(first, task.second_delivered_at)
    since = max(first, task.opened_at or first)
    heard = since + timedelta(seconds=needed_seconds(task))
    if now < heard:
        left = (heard - now).total_seconds()
        raise errors.TooEarly(
            _("Listen to the end of the recording before you send your marks."),
            retry_after=int(left) + 1,
            seconds_left=round(left, 3),
        )


def _refuse_conflict(task: RatingTask) -> None:
    if task.stimulus.system_id in conflicts.systems_of(task.rater):
        raise sessions.unknown()


def _given(task: RatingTask) -> datetime | None:
    """Return when a task was shown; offline that is the clip fetched ahead, since its sound was sent."""
    return task.opened_at or task.delivered_at


def _is_late(task: RatingTask, now: datetime) -> bool:
    return task.state == TaskState.RELEASED or task.lease_until is None or task.lease_until < now


def _add(
    task: RatingTask,
    read: _Read,
    revision: int,
    now: datetime,
    *,
    is_late: bool,
    took: int | None = None,
) -> Rating:
    shown = _given(task) or now
    rating = Rating.objects.create(
        uuid=read.uuid,
        task=task,
        rater_id=task.rater_id,
        revision=revision,
        form=RatingForm(task.rater.protocol.form),
        system_first=task.system_first,
        placements=read.placements,
        plays=read.plays,
        took_ms=_milliseconds(now - shown) if took is None else took,
        is_late=is_late,
        created_at=now,
        **read.columns,
    )
    if read.note:
        RatingNote.objects.create(rating=rating, text=read.note)
    return rating


def _milliseconds(took: timedelta) -> int:
    """Return what the column holds: somebody may come back to an open clip after weeks."""
    return min(max(0, round(took.total_seconds() * 1000)), MOST_MS)


def _settle(task: RatingTask, now: datetime) -> None:
    """End an answered task, and its slot unless somebody else has it by now, or it counts for nothing."""
    state = TaskState.ANSWERED
    if task.slot is not None and exclusions.is_left_out(task):
        state = TaskState.LATE
        _leave_to_others(task, task.slot)
    elif task.slot is not None and task.state == TaskState.RELEASED:
        taken = RatingTask.objects.filter(
            slot=task.slot, state__in=[*LEASED, TaskState.ANSWERED]
        ).exists()
        state = TaskState.LATE if taken or task.slot.done_at is not None else state
    RatingTask.objects.filter(pk=task.pk).update(
        state=state,
        opened_at=_given(task),
        lease_until=None,
        ended_at=now,
        draft=None,
        draft_at=None,
    )
    if task.slot_id is not None and state == TaskState.ANSWERED:
        PlanSlot.objects.filter(pk=task.slot_id).update(done_at=now, lease_until=None)


def _leave_to_others(task: RatingTask, locked: PlanSlot) -> None:
    """Open a slot, which is locked, to all; the lease on it goes where it is this task's."""
    slot = PlanSlot.objects.filter(pk__in=[locked.pk], done_at__isnull=True)
    slot.update(open_to_all=True)
    if task.state == TaskState.OPEN:
        slot.update(lease_until=None)


def _hold_back(task: RatingTask, now: datetime) -> None:
    settings = places.settings_of(task.rater.protocol)
    # Locked, so that the second of two reports in the same instant sees the first.
    list(
        Stimulus.objects.select_for_update(no_key=True)
        .filter(pk=task.stimulus_id)
        .values_list("pk")
    )
    waiting = BrokenReport.objects.filter(stimulus=task.stimulus_id, outcome="").count()
    if waiting >= settings.reports:
        Stimulus.objects.filter(pk=task.stimulus_id, held_at__isnull=True).update(held_at=now)


def _ended() -> errors.TaskEnded:
    return errors.TaskEnded(_("This item was answered already, or is not yours any more."))
