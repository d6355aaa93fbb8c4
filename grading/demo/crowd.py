"""Simulated raters: each takes the way of any rater through the services, at a listener's pace.

A sitting is an iterator of pauses in seconds: for as long it listens or thinks before its next step.
One thread leads all sittings, so that a few writes a second are all that the site notices.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush

from accounts.models import User
from grading.demo.draws import fraction
from grading.demo.opinions import Temper
from grading.enums import Placement, SessionState, TaskKind
from grading.judges.hearing_marks import Heard, listen
from grading.models import Rater, RatingProtocol, RatingSession, RatingTask, Stimulus
from grading.services import waveforms
from grading.services.ratings import answers, errors, queue, raters, sessions

EMAIL = "simulated.{number}@raters.example"
LANGUAGES = ("en", "zh")
# The last ones of a crowd click without listening, so that quality control has something to find.
CROWD, _CARELESS = 32, 2
_TRIAL_SECONDS = 4.0
_THINKING_SECONDS, _MORE_SECONDS = 3.6, 2.0
_STAGGER_SECONDS = 0.4
# Enough for two ratings of every clip; the others come a minute later, when there are scores to move.
FIRST_WAVE, _SECOND_WAVE_SECONDS = 20, 60.0

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Listener:
    """A simulated rater with their account, the one language they rate, and a temper."""

    user: User
    rater: Rater
    language: str
    temper: Temper


@dataclass(slots=True)
class Ear:
    """Hears each clip once, whoever asks."""

    heard: dict[int, Heard]

    def listen(self, stimulus: Stimulus) -> Heard:
        """Return what the stand-in's ear hears of a stimulus. Raises StorageDown."""
        found = self.heard.get(stimulus.pk)
        if found is None:
            clip = waveforms.read_bytes(stimulus.waveform)
            found = self.heard[stimulus.pk] = listen(clip, stimulus.text)
        return found


def enroll(protocol: RatingProtocol, number: int, now: datetime) -> Listener:
    """Return the simulated rater of this number, with an account that nobody can log in to."""
    name = f"Simulated rater {number}"
    email = EMAIL.format(number=number)
    user = User.objects.filter(email=email).first()
    if user is None:
        user = User.objects.create_user(email, None, name=name, email_verified_at=now)
    rater = raters.place_for(protocol=protocol, user=user, now=now, is_simulated=True)
    language = LANGUAGES[number % len(LANGUAGES)]
    if not raters.has_consented(rater):
        text = raters.consent_text(protocol=protocol, language=language)
        raters.give_consent(actor=user, rater=rater, text=text, now=now)
    if rater.languages != [language]:
        raters.set_languages(actor=user, rater=rater, languages=[language], now=now)
    return Listener(
        user, rater, language, Temper(name, listens=(number - 1) % CROWD < CROWD - _CARELESS)
    )


def lead(
    sittings: Sequence[Iterator[float]],
    *,
    wait: Callable[[float], None],
    show: Callable[[int, int], None],
) -> None:
    """Take every sitting to its end, in the order in which their pauses are over.

    `wait` passes time in seconds; `show` is told how many are at their end, and of how many.
    """
    waiting = [(_start(number), number) for number in range(len(sittings))]
    heapify(waiting)
    at = 0.0
    while waiting:
        due, number = heappop(waiting)
        wait(max(due - at, 0.0))
        at = max(due, at)
        pause = next(sittings[number], None)
        if pause is not None:
            heappush(waiting, (at + pause, number))
        show(len(sittings) - len(waiting), len(sittings))


def _start(number: int) -> float:
    later = _SECOND_WAVE_SECONDS if number >= FIRST_WAVE else 0.0
    return number * _STAGGER_SECONDS + later


def sit(listener: Listener, ear: Ear, clock: Clock) -> Iterator[float]:
    """Rate one session from check to last answer; nothing is done where nothing is left to rate."""
    finished = listener.rater.sessions.filter(
        language=listener.language, state=SessionState.FINISHED
    )
    if finished.exists():
        return
    try:
        session = sessions.start(
            actor=listener.user, rater=listener.rater, language=listener.language, now=clock()
        )
    except errors.NothingToRate:
        return
    yield from _pass_checks(listener, session, clock)
    yield from _practice(listener, session, clock)
    yield from _rate(listener, session, ear, clock)


def _pass_checks(listener: Listener, session: RatingSession, clock: Clock) -> Iterator[float]:
    if session.state != SessionState.CHECKS:
        return
    trials = sessions.trials(session=session)
    yield _TRIAL_SECONDS * len(trials)
    right = [trial.quietest for trial in trials]
    sessions.answer_check(actor=listener.user, session=session, answers=right, now=clock())
    session.refresh_from_db()


def _practice(listener: Listener, session: RatingSession, clock: Clock) -> Iterator[float]:
    for stimulus in sessions.practice_items(session=session):
        yield _seconds(stimulus)
        marks = listener.temper.near(stimulus.expected or {}, stimulus.pk)
        sessions.practice_done(
            actor=listener.user, session=session, stimulus=stimulus, marks=marks, now=clock()
        )
    session.refresh_from_db()


def _rate(listener: Listener, session: RatingSession, ear: Ear, clock: Clock) -> Iterator[float]:
    while True:
        task = queue.claim(actor=listener.user, session=session, now=clock()).open
        if task is None:
            return
        queue.delivered(task=task, now=clock())
        thinking = _THINKING_SECONDS + _MORE_SECONDS * fraction(listener.temper.name, task.pk)
        yield _seconds(task.stimulus) + thinking
        marks = _marks(listener.temper, task, ear)
        answer = answers.Answer(
            uuid=str(uuid.uuid4()), marks=marks, placements=_placements(task, marks), plays=1
        )
        answers.submit(actor=listener.user, task=task, answer=answer, now=clock())


def _seconds(stimulus: Stimulus) -> float:
    return stimulus.seconds or 0.0


def _marks(temper: Temper, task: RatingTask, ear: Ear) -> dict[str, int]:
    stimulus = task.stimulus
    match task.kind:
        case TaskKind.TRAP:
            return temper.exactly(stimulus.expected or {}, task.pk)
        case TaskKind.KNOWN:
            return temper.near(stimulus.expected or {}, task.pk)
        case _:
            return temper.marks(ear.listen(stimulus), stimulus.name, task.kind)


def _placements(task: RatingTask, marks: dict[str, int]) -> list[str]:
    count = task.stimulus.text.count("[")
    return [Placement.HEARD if marks["A"] else Placement.MISSING] * count
