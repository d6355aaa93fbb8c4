"""A rater's sitting: the headphones check, practice where it is due, then the tasks in their order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refusal
from grading.enums import RaterState, SessionState, StimulusKind, TaskState
from grading.models import Rater, RatingSession, RatingTask, Stimulus
from grading.models.rating import new_key
from grading.models.rating_people import RUNNING_SESSIONS
from grading.models.rating_work import LEASED
from grading.prepared import prepared
from grading.scoring.rating import plans
from grading.scoring.rating.answers import read_marks
from grading.scoring.rating.settings import ProtocolSettings
from grading.services.ratings import errors, holding, places
from grading.services.ratings.consents import has_consented
from grading.services.ratings.marks import refused

DAY = timedelta(hours=24)
INTERVALS = 3
ENDED_TASKS = (TaskState.ANSWERED, TaskState.LATE, TaskState.BROKEN)


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of the headphones check: `quietest` (0 to 2) is the interval to be named."""

    number: int
    quietest: int


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a round of the headphones check went, and how many rounds are left."""

    right: int
    needed: int
    passed: bool
    rounds_left: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was given for a practice item, what is expected, and whether they are within one."""

    given: int
    expected: int
    within: bool


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """How far a sitting is; `seconds_left` by the rater's own pace, None before there is one."""

    done: int
    total: int
    seconds_left: int | None
    break_due: bool


def start(*, actor: User, rater: Rater, language: str, now: datetime) -> RatingSession:
    """Begin a sitting, or return the one that runs.

    Refuses RaterUnknown, RaterEnded, ProtocolNotOpen, ConsentMissing, LanguageNotChosen,
    SessionsUsed, NothingToRate.
    """
    with transaction.atomic():
        locked = places.lock_rater(rater.pk, actor)
        places.require_open(locked.protocol)
        session = running(rater=locked)
        if session is not None:
            return session
        settings = places.settings_of(locked.protocol)
        _check_may_start(locked, language, settings, now)
        session = RatingSession.objects.create(
            rater=locked,
            language=language,
            number=(locked.sessions.aggregate(last=Max("number"))["last"] or 0) + 1,
            started_at=now,
            check_seed=new_key(),
        )
        holding.note_here(locked, now)
        if not settings.trials:
            _go_on(session, settings, now)
    session.refresh_from_db()
    return session


def hindrance(*, rater: Rater, language: str, now: datetime) -> Refusal | None:
    """Return what `start` would refuse at the moment, None when a sitting can begin."""
    try:
        places.require_open(rater.protocol)
        _check_may_start(rater, language, places.settings_of(rater.protocol), now)
    except Refusal as refusal:
        return refusal
    return None


def running(*, rater: Rater) -> RatingSession | None:
    """Return the rater's sitting that is not over, None without one."""
    found = _running.first(rater.pk)
    if found is not None:
        found.rater = rater
    return found


def check_round(session: RatingSession) -> int:
    """Return the number of the round of the headphones check that is due, from 0."""
    return len(session.check_results)


def trials(*, session: RatingSession) -> tuple[Trial, ...]:
    """Return the trials of the round that is due, with their answers: not for the browser."""
    count = places.settings_of(session.rater.protocol).trials
    return tuple(Trial(number, _quietest(session, number)) for number in range(count))


def answer_check(
    *,
    actor: User,
    session: RatingSession,
    answers: Sequence[int],
    now: datetime,
    round_number: int | None = None,
) -> CheckOutcome:
    """Judge a round of the headphones check; after the last one that fails, the sitting is over.

    Refuses TaskUnknown (another's), SessionEnded, NotDue, CheckInvalid.
    """
    with transaction.atomic():
        locked = lock(session, actor)
        settings = places.settings_of(locked.rater.protocol)
        _require(locked, SessionState.CHECKS)
        due = check_round(locked)
        if round_number is not None and round_number != due:
            raise errors.NotDue(_("This round of the check was answered already."))
        wanted = [trial.quietest for trial in trials(session=locked)]
        if len(answers) != len(wanted) or any(given not in range(INTERVALS) for given in answers):
            raise errors.CheckInvalid(_("Choose one of the three sounds in every trial."))
        right = sum(given == quiet for given, quiet in zip(answers, wanted, strict=True))
        passed = right >= settings.trials_right
        rounds_left = 0 if passed else settings.trial_rounds - due - 1
        locked.check_results = [*locked.check_results, right]
        locked.save(update_fields=["check_results"])
        if passed:
            _go_on(locked, settings, now)
        elif not rounds_left:
            _end(locked, SessionState.UNFIT, now)
    session.refresh_from_db()
    return CheckOutcome(right, settings.trials_right, passed, rounds_left)


def practice_items(*, session: RatingSession) -> list[Stimulus]:
    """Return the practice items that are still to do, in the sitting's order."""
    if session.state != SessionState.PRACTICE:
        return []
    settings = places.settings_of(session.rater.protocol)
    return _practice(session, settings)


def practice_feedback(*, stimulus: Stimulus, marks: Mapping[str, object]) -> dict[str, Feedback]:
    """Return what is said of each mark of a practice item. Refuses MarksRefused."""
    form = stimulus.protocol.form
    read = read_marks(form, marks)
    if read.faults:
        raise refused(read.faults)
    expected = stimulus.expected or {}
    return {
        name: Feedback(given, expected[name], abs(given - expected[name]) <= 1)
        for name, given in read.marks.items()
        if name in expected
    }


def practice_done(
    *,
    actor: User,
    session: RatingSession,
    stimulus: Stimulus,
    marks: Mapping[str, object],
    now: datetime,
) -> dict[str, Feedback]:
    """Note that a practice item was done; the last one begins the rating. Twice changes nothing.

    Refuses TaskUnknown (another's, or no item of this sitting), NotDue, MarksRefused.
    """
    with transaction.atomic():
        locked = lock(session, actor)
        protocol = locked.rater.protocol
        settings = places.settings_of(protocol)
        if (
            stimulus.kind != StimulusKind.PRACTICE
            or stimulus.protocol_id != protocol.pk
            or stimulus.language != locked.language
        ):
            raise unknown()
        found = practice_feedback(stimulus=stimulus, marks=marks)
        if stimulus.key not in locked.practiced:
            _require(locked, SessionState.PRACTICE)
            locked.practiced = [*locked.practiced, stimulus.key]
            locked.save(update_fields=["practiced"])
            if not _practice(locked, settings):
                Rater.objects.filter(pk=locked.rater_id).update(practiced_at=now)
                _begin_rating(locked, settings, now)
    session.refresh_from_db()
    return found


def progress(*, session: RatingSession, now: datetime) -> SessionProgress:
    """Return how far a sitting is, and whether a break is to be offered."""
    tasks = RatingTask.objects.filter(
        Q(ratings__isnull=True) | Q(ratings__revision=0), session=session, state__in=ENDED_TASKS
    )
    given = list(tasks.order_by().values_list("ratings__took_ms", flat=True))
    return progress_by(session=session, given=given, now=now)


def progress_by(
    *, session: RatingSession, given: Sequence[int | None], now: datetime
) -> SessionProgress:
    """Return the same from what each task that has ended took, in milliseconds; None without an answer."""
    settings = places.settings_of(session.rater.protocol)
    done, took = len(given), [one for one in given if one is not None]
    since = session.rested_at or session.rating_since
    pause = timedelta(minutes=settings.break_minutes)
    left = max(0, len(session.layout) - done)
    return SessionProgress(
        done=done,
        total=max(len(session.layout), done),
        seconds_left=round(left * median(took) / 1000) if took else None,
        break_due=session.state == SessionState.RATING
        and since is not None
        and now - since >= pause,
    )


def rest(*, actor: User, session: RatingSession, now: datetime) -> None:
    """Note that a break was taken or declined: the next is offered as long after. Refuses TaskUnknown."""
    with transaction.atomic():
        locked = lock(session, actor)
        RatingSession.objects.filter(pk=locked.pk, state=SessionState.RATING).update(rested_at=now)


def leave(*, actor: User, session: RatingSession, now: datetime) -> RatingSession:
    """End a sitting early; what was open is free again, what was answered stays. Refuses TaskUnknown."""
    with transaction.atomic():
        locked = lock(session, actor)
        if locked.state in RUNNING_SESSIONS:
            _end(locked, SessionState.LEFT, now)
    session.refresh_from_db()
    return session


def end_running(rater: Rater, now: datetime) -> None:
    """End the sitting of a rater who is locked, if one runs."""
    session = running(rater=rater)
    if session is not None:
        _end(session, SessionState.LEFT, now)


def finish(session: RatingSession, now: datetime) -> None:
    """End a sitting in which nothing is left to do; the rater is locked."""
    _end(session, SessionState.FINISHED, now)


def lock(session: RatingSession, actor: User) -> RatingSession:
    """Return a sitting of the actor under the lock of its rater. Refuses TaskUnknown, RaterEnded."""
    try:
        locked = places.lock_place(session.rater_id, actor)
    except errors.RaterUnknown:
        raise unknown() from None
    # Sitting and protocol are read after the lock, as whoever ends or closes them takes it too.
    (found,) = _at_work(session.pk)
    locked.protocol = found.rater.protocol
    found.rater = locked
    places.require_open(locked.protocol)
    return found


def unknown() -> errors.TaskUnknown:
    """Return the refusal that says no more than that there is no such thing."""
    return errors.TaskUnknown(_("There is no such item to rate here."))


@prepared
def _running(rater: int) -> QuerySet[RatingSession]:
    return RatingSession.objects.filter(rater=rater, state__in=RUNNING_SESSIONS)


@prepared
def _at_work(session: int) -> QuerySet[RatingSession]:
    protocol = [f"rater__protocol__{name}" for name in places.AT_WORK]
    return RatingSession.objects.filter(pk=session).select_related(*protocol)


def _quietest(session: RatingSession, number: int) -> int:
    told = f"{session.check_seed}:{check_round(session)}:{number}"
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:8], "big") % INTERVALS


def _check_may_start(
    rater: Rater, language: str, settings: ProtocolSettings, now: datetime
) -> None:
    if rater.state != RaterState.ACTIVE or not has_consented(rater):
        raise errors.ConsentMissing(_("Please read the consent text and decide first."))
    if language not in rater.languages:
        raise errors.LanguageNotChosen(_("You did not choose this language."))
    recent = rater.sessions.filter(
        started_at__gt=now - DAY, rating_since__isnull=False, is_imported=False
    ).order_by("-started_at")
    begun = list(recent.values_list("started_at", flat=True))
    if len(begun) >= settings.sessions_a_day:
        wait = begun[settings.sessions_a_day - 1] + DAY - now
        raise errors.SessionsUsed(
            _("That was enough for today: at most %(count)s sittings within 24 hours.")
            % {"count": settings.sessions_a_day},
            retry_after=max(1, round(wait.total_seconds())),
        )
    if not has_work(rater, language, settings, now):
        raise nothing()


def has_work(rater: Rater, language: str, settings: ProtocolSettings, now: datetime) -> bool:
    """Return whether there is a slot that the rater could take now."""
    seeker = holding.Seeker.of(rater, language, settings, now)
    return holding.free_slots(seeker).exists()


def nothing() -> errors.NothingToRate:
    """Return the refusal that says that there is nothing at the moment."""
    return errors.NothingToRate(
        _("There is nothing for you to rate at the moment. Thank you; please look again later.")
    )


def _require(session: RatingSession, state: SessionState) -> None:
    if session.state not in RUNNING_SESSIONS:
        raise errors.SessionEnded(_("This sitting is over."))
    if session.state != state:
        raise errors.NotDue(_("This step is not the one that comes now."))


def _go_on(session: RatingSession, settings: ProtocolSettings, now: datetime) -> None:
    """Go on after the check: to practice where it is due, else to the rating."""
    rater = session.rater
    fresh = now - timedelta(days=settings.practice_days)
    is_due = rater.practiced_at is None or rater.practiced_at < fresh
    if is_due and _practice(session, settings):
        RatingSession.objects.filter(pk=session.pk).update(state=SessionState.PRACTICE)
        return
    _begin_rating(session, settings, now)


def _practice(session: RatingSession, settings: ProtocolSettings) -> list[Stimulus]:
    items = {
        item.key: item
        for item in Stimulus.objects.filter(
            protocol_id=session.rater.protocol_id,
            kind=StimulusKind.PRACTICE,
            language=session.language,
            prepared_at__isnull=False,
            held_at__isnull=True,
        )
    }
    order = plans.shuffled(items, session.check_seed, "practice")[: settings.practice]
    return [items[key] for key in order if key not in session.practiced]


def _begin_rating(session: RatingSession, settings: ProtocolSettings, now: datetime) -> None:
    """Take a plan, and lay out the sitting for what there is to rate, at most a full session."""
    seeker = holding.Seeker.of(session.rater, session.language, settings, now)
    holding.take_row(seeker)
    scored = min(settings.scored, _reachable(seeker, settings.scored))
    layout = plans.session_layout(
        scored=scored,
        traps=plans.session_share(settings.traps, scored, settings.scored),
        known=plans.session_share(settings.known, scored, settings.scored),
        repeats=settings.repeats * scored // settings.scored,
        nulls=plans.null_share(scored, settings.null_every) if _has_nulls(session) else 0,
        seed=f"{session.rater.protocol.seed}:{session.code}",
    )
    RatingSession.objects.filter(pk=session.pk).update(
        state=SessionState.RATING, rating_since=now, rested_at=now, layout=layout
    )


def _has_nulls(session: RatingSession) -> bool:
    return session.rater.protocol.declared.is_pair


def _reachable(seeker: holding.Seeker, most: int) -> int:
    """Return how many texts the rater may still hear, up to `most`."""
    rows = holding.free_slots(seeker).order_by().values("rated_text").distinct()
    return int(rows[:most].count())


def _end(session: RatingSession, state: SessionState, now: datetime) -> None:
    leased = RatingTask.objects.filter(session=session, state__in=LEASED)
    # Slots stand before tasks in the order of locks; what somebody else took is not ours to free.
    holding.lock_slots(leased)
    holding.release(leased)
    leased.update(state=TaskState.RELEASED, lease_until=None, ended_at=now)
    RatingSession.objects.filter(pk=session.pk).update(state=state, ended_at=now)
