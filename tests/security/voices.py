"""Track 2 on the stage of permissions: clips, sets of files, a judge's run, and a rater at every step."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from accounts.models import User
from competition.models import Competition, Entrant, Phase, Track
from grading.enums import AnswerSource, JudgeRunState, JudgeStop
from grading.models import (
    Evaluation,
    FileSet,
    JudgeAnswer,
    JudgeRating,
    JudgeRun,
    RatingSession,
    Submission,
)
from grading.services import file_sets, recipes
from grading.services.ratings import delivery, sessions
from tests.factories.grading import NOW, Arena, references
from tests.factories.hearing import Place, place_of, small_listening
from tests.factories.judging import JUDGE, waiting
from tests.factories.listening import Listening, listener, organizer_of
from tests.scoring.formats.sounds import GOOD
from tests.security.worlds import log_in

Lead = Callable[[User, RatingSession], None]
ROWS = {
    "say_0001": ("en", "Well [laugh] what quincunx weather."),
    "say_0002": ("zh", "好吧[sigh]这天气真靉靆。"),
}
FEW = {"texts": 2, "scored": 2}
AT_CLIPS, AT_CHECK, IN_PRACTICE, BETWEEN = "clips", "check", "practice", "between"
STEPS = {
    "grading:rate-check": AT_CHECK,
    "grading:rate-practice": IN_PRACTICE,
    "grading:rate-sitting": BETWEEN,
    "grading:rate-start": BETWEEN,
}
"""Where a rater is for an endpoint to answer; anywhere else they are at the clips."""


@dataclass(slots=True)
class Voices:
    """The open phase that takes clips, and what each entrant has in it, by the entrant's key."""

    phase: Phase
    submissions: dict[int, Submission]
    sets: dict[int, FileSet]
    runs: dict[int, JudgeRun]

    def names(self, entrant: Entrant) -> dict[str, str]:
        """Slugs and codes of the phase and of what an entrant has in it."""
        return {
            "track": self.phase.track.slug,
            "phase": self.phase.slug,
            "phase_code": self.phase.code,
            "voiced": self.submissions[entrant.pk].code,
            "file_set": self.sets[entrant.pk].code,
            "judge_run": self.runs[entrant.pk].code,
        }


def make_voices(competition: Competition, sides: list[tuple[Entrant, User]]) -> Voices:
    """Add an open phase for clips; each side has clips that a judge marks, and a set that is whole."""
    track = Track.objects.create(
        competition=competition, slug="voices", kind="nvv-t2", params={"judge": JUDGE}
    )
    phase = Phase.objects.create(
        track=track,
        slug="open",
        references=references(track, ROWS, NOW),
        opens_at=NOW - timedelta(days=10),
        closes_at=NOW + timedelta(days=10),
        quota_per_day=50,
        quota_total=100,
    )
    recipes.ensure_live(phase=phase, now=NOW)
    found = Voices(phase, {}, {}, {})
    for entrant, captain in sides:
        arena = Arena(competition, track, phase, entrant, captain, ROWS)
        evaluation = waiting(arena, folder=f"sent-by-{entrant.code}/", number=700)
        found.submissions[entrant.pk] = evaluation.submission
        found.sets[entrant.pk] = whole_set(arena)
        found.runs[entrant.pk] = judge_run(evaluation, f"heard-{entrant.code}")
    return found


def whole_set(arena: Arena) -> FileSet:
    """Return the captain's open set that no file is missing in."""
    opened = file_sets.begin(
        actor=arena.captain, phase=arena.phase, system="by file", note="", created_at=NOW, now=NOW
    )
    for utt_id in ROWS:
        file_sets.put_file(
            actor=arena.captain,
            file_set=opened.file_set,
            name=f"{utt_id}.wav",
            chunks=[GOOD],
            now=NOW,
        )
    return opened.file_set


def judge_run(evaluation: Evaluation, word: str) -> JudgeRun:
    """Return a run that the budget stopped after one answer, in which the judge says `word`."""
    run: JudgeRun = JudgeRun.objects.create(
        evaluation=evaluation,
        definition_digest=evaluation.recipe.read_params.judge.digest,
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.BUDGET_CALLS,
        created_at=NOW,
        needed=8,
        done=1,
        calls=3,
        most_calls=3,
    )
    clip = evaluation.submission.clips.select_related("waveform").earliest("utt_id")
    answer = JudgeAnswer.objects.create(
        cache_key=hashlib.sha256(f"key of {word}".encode()).hexdigest(),
        protocol_digest="p" * 64,
        audio_sha256=clip.waveform.sha256,
        text_sha256="t" * 64,
        profile="neutral",
        replicate=0,
        seed=1,
        source=AnswerSource.STAND_IN,
        endpoint=JUDGE["base_url"],
        model_asked="stand-in",
        model_answered="stand-in",
        fingerprint="stand-in-1",
        prompt_sha256="q" * 64,
        answer_format="json_schema",
        raw=f'{{"reason": "{word}"}}',
        is_absent=False,
        cost_micro=3_800,
        latency_ms=900,
        answered_at=NOW,
        **{f"mark_{name}": 4.0 for name in "apnqe"},
    )
    JudgeRating.objects.create(
        run=run, utt_id=clip.utt_id, profile="neutral", replicate=0, answer=answer
    )
    return run


@dataclass(slots=True)
class Hearing:
    """A rater's places by the step they are at, somebody else's, and the log-in that has the links."""

    own: dict[str, Place]
    other: Place
    login: str

    def place(self, name: str, *, is_own: bool) -> Place:
        """Return the place that an endpoint is tried at."""
        return self.own[STEPS.get(name, AT_CLIPS)] if is_own else self.other


def make_hearing(user: User) -> Hearing:
    """Let somebody rate in several ratings: at the check, in practice, between sittings, at the clips.

    Somebody else is at the clips of the last one too.
    """
    login = log_in(user)
    listening = small_listening(NOW)
    organizer = organizer_of(listening)
    own, other = (place_of(listening, organizer, one, NOW) for one in (user, listener()))
    token = delivery.grant(session=own.session, login=login, task=own.task, now=NOW)
    places = {AT_CLIPS: replace(own, token=token)}
    for step, lead in LEADS.items():
        places[step] = _at(places[AT_CLIPS], small_listening(NOW, **FEW), user, lead)
    return Hearing(places, other, login)


def _at(like: Place, listening: Listening, user: User, lead: Lead) -> Place:
    rater = listening.rater(user, now=NOW)
    session = sessions.start(actor=user, rater=rater, language="en", now=NOW)
    lead(user, session)
    return replace(like, rater=rater, session=session)


def _check(_user: User, session: RatingSession) -> None:
    assert session.state == "checks"


def _practice(user: User, session: RatingSession) -> None:
    right = [trial.quietest for trial in sessions.trials(session=session)]
    sessions.answer_check(actor=user, session=session, answers=right, now=NOW)
    assert session.state == "practice"


def _between(user: User, session: RatingSession) -> None:
    sessions.leave(actor=user, session=session, now=NOW)


LEADS = {AT_CHECK: _check, IN_PRACTICE: _practice, BETWEEN: _between}
