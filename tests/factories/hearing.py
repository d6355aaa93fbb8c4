"""Raters at every step of a rating, for tests that visit every page and try every endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from grading.models import Rater, RatingProtocol, RatingSession, RatingTask
from grading.services.ratings import answers, delivery, queue, raters, sessions
from tests.factories.listening import Listening, listener, make_listening

ANSWER = {"A": "4", "P": "4", "N": "3", "Q": "5", "E": "3", "t1": "heard", "t2": "heard"}
UUID = "0f8b6d3c-5a1e-4c7d-9b2f-6e4a8c1d3b57"
OTHER_UUID = "3d9a7e52-8c46-4f1b-a0d7-2b5f9e6c8a14"
SMALL = {"texts": 6, "wanted": 2, "scored": 4, "traps": 0, "known": 0, "repeats": 0,
         "traps_passed": 0, "known_right": 0}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A rater with a clip open and one answered, a link to a sound, and an invitation."""

    rater: Rater
    session: RatingSession
    task: RatingTask
    answered: RatingTask
    token: str
    secret: str

    @property
    def names(self) -> dict[str, str]:
        """What addresses of the place are made of."""
        return {
            "code": self.rater.code,
            "task": self.task.code,
            "sitting": self.session.code,
            "token": self.token,
            "secret": self.secret,
        }


def small_listening(now: datetime, **settings: Any) -> Listening:
    """Return a rating with few and short clips."""
    return make_listening(now=now, systems=2, **SMALL | settings)


def place_of(listening: Listening, organizer: User, user: User, now: datetime) -> Place:
    """Return the place of somebody who has answered one clip and has another one open since a minute."""
    rater = listening.rater(user, now=now)
    early = now - timedelta(minutes=2)
    session = listening.sitting(rater, now=early)
    answered = _answer(session, early)
    task = queue.claim(actor=user, session=session, now=now - timedelta(minutes=1)).open
    queue.delivered(task=task, now=now - timedelta(minutes=1))
    token = delivery.grant(session=session, login="another log-in", task=task, now=now)
    _, secret = raters.invite(
        actor=organizer, protocol=listening.protocol, email=user.email, now=now
    )
    return Place(rater, session, task, answered, token, secret)


def _answer(session: RatingSession, early: datetime) -> RatingTask:
    user = session.rater.user
    task = queue.claim(actor=user, session=session, now=early).open
    queue.delivered(task=task, now=early)
    answers.submit(
        actor=user,
        task=task,
        answer=answers.Answer(
            uuid=OTHER_UUID[:-4] + f"{session.pk:04d}",
            marks={letter: ANSWER[letter] for letter in "APNQE"},
            placements=["heard", "heard"],
        ),
        now=early + timedelta(seconds=30),
    )
    return task


@dataclass(slots=True)
class Listeners:
    """People at every step: invited, at the check, in practice, at the clips, done; and the rating."""

    protocol: RatingProtocol
    at_clips: Place
    checking: Rater
    practicing: Rater
    done: RatingSession
    joining: Rater


def make_listeners(organizer_of, now: datetime) -> Listeners:
    """Return raters at every step; `organizer_of` gives an organizer of the rating's competition."""
    listening = small_listening(now)
    organizer = organizer_of(listening)
    at_clips = place_of(listening, organizer, listener(), now)
    checking = listening.rater(now=now)
    sessions.start(actor=checking.user, rater=checking, language="en", now=now)
    done = listening.sitting(listening.rater(now=now), now=now)
    sessions.leave(actor=done.rater.user, session=done, now=now)
    joining = raters.place_for(protocol=listening.protocol, user=listener(), now=now)
    return Listeners(
        listening.protocol, at_clips, checking, _practicing(listening, now), done, joining
    )


def _practicing(listening: Listening, now: datetime) -> Rater:
    rater = listening.rater(now=now)
    session = sessions.start(actor=rater.user, rater=rater, language="en", now=now)
    right = [trial.quietest for trial in sessions.trials(session=session)]
    sessions.answer_check(actor=rater.user, session=session, answers=right, now=now)
    return rater
