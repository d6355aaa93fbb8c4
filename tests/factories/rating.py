"""A selection that people rate: systems with clips, an open protocol, raters who can begin."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from competition.enums import EntrantKind
from grading.enums import RatingForm, SelectionReason, StimulusKind, SubmissionState, TaskKind
from grading.models import (
    Clip,
    FinalSelection,
    FinalSystem,
    Rater,
    Rating,
    RatingProtocol,
    RatingSession,
    RatingTask,
    Stimulus,
    Submission,
    Waveform,
)
from grading.scoring.rating.forms import form_of, turned
from grading.services import recipes
from grading.services.ratings import answers, consents, protocols, queue, raters, sessions
from grading.services.ratings.answers import Answer
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory
from tests.factories.rescoring import organizer
from tests.factories.speech import make_speech_arena

SMALL = {
    "texts": 6,
    "wanted": 2,
    "least": 1,
    "raters": 6,
    "scored": 3,
    "traps": 1,
    "traps_passed": 1,
    "known": 1,
    "known_right": 1,
    "repeats": 1,
    "practice": 1,
    "trials": 2,
    "trials_right": 2,
    "draws": 100,
}
"""Three systems, six texts a language, two ratings of each: six raters, two sittings each."""
TRAP = {"A": 2, "P": 4, "N": 1, "Q": 5, "E": 3}
KNOWN = {"A": 4, "P": 4, "N": 4, "Q": 4, "E": 4}
FINE = {"A": 4, "P": 3, "N": 4, "Q": 5, "E": 2}
COMPARED = {"trap": -2, "known": 3, "practice": 1}
"""What control items of comparisons expect."""
FRAMES = 32_000
HEARD = timedelta(seconds=8)
Marker = Callable[[RatingTask], Mapping[str, object]]


def fair(task: RatingTask) -> Mapping[str, object]:
    """Return marks that pass every control and vary with the stimulus."""
    if task.stimulus.expected and task.system_first:
        return {"C": -task.stimulus.expected["C"]}
    if task.stimulus.expected:
        return task.stimulus.expected
    if task.kind == TaskKind.NULL:
        return {"C": 0}
    drawn = hashlib.sha256(task.stimulus.key.encode()).digest()
    low, high = (1, 5), (1, 5)
    marks = {
        name: low[0] + drawn[place] % high[1]
        for place, name in enumerate(("A", "P", "N", "Q", "E"))
    }
    if task.system_first is not None:
        # A comparison is given as it is heard; what is meant is the same in both orders.
        marks["C"] = turned(drawn[5] % 7 - 3, system_first=task.system_first)
    return marks


@dataclass(slots=True)
class Hall:
    """The rating of a test, its organizer, and the submissions that are rated."""

    arena: Arena
    organizer: User
    selection: FinalSelection
    protocol: RatingProtocol
    submissions: list[Submission]

    def rater(self, *, language: str = "en", now: datetime = NOW, **fields: Any) -> Panelist:
        """Return a person who has joined, consented and chosen a language."""
        # Of another domain than the teams' people: the same one is a conflict of interest.
        user = UserFactory(**{"email": f"{uuid.uuid4().hex}@listeners.example", **fields})
        place = raters.place_for(protocol=self.protocol, user=user, now=now)
        text = consents.consent_text(protocol=self.protocol, language="en")
        consents.give_consent(actor=user, rater=place, text=text, now=now)
        raters.set_languages(actor=user, rater=place, languages=[language], now=now)
        return Panelist(user, place, language, now)


@dataclass(slots=True)
class Panelist:
    """A rater at work; `now` moves on with everything they do."""

    user: User
    rater: Rater
    language: str
    now: datetime
    session: RatingSession | None = None
    marker: Marker = fair
    given: list[Rating] = field(default_factory=list)

    def begin(self) -> RatingSession:
        """Start a sitting and pass checks and practice."""
        self.session = sessions.start(
            actor=self.user, rater=self.rater, language=self.language, now=self.now
        )
        if self.session.state == "checks":
            right = [trial.quietest for trial in sessions.trials(session=self.session)]
            sessions.answer_check(
                actor=self.user, session=self.session, answers=right, now=self.now
            )
        for item in sessions.practice_items(session=self.session):
            sessions.practice_done(
                actor=self.user,
                session=self.session,
                stimulus=item,
                marks={**FINE, "C": 1},
                now=self.now,
            )
        return self.session

    def claim(self) -> queue.Claimed:
        """Return what the rater has."""
        assert self.session is not None
        return queue.claim(actor=self.user, session=self.session, now=self.now)

    def listen(self, task: RatingTask) -> None:
        """Have the sound sent, and hear it to the end."""
        for part in range(len(task.sounds)):
            queue.delivered(task=task, now=self.now, part=part)
        self.now += HEARD
        task.refresh_from_db()

    def answer(self, task: RatingTask, **changes: Any) -> Rating:
        """Send marks for a task that was heard."""
        given = {"uuid": str(uuid.uuid4()), "marks": self.marker(task), **changes}
        rating = answers.submit(actor=self.user, task=task, answer=Answer(**given), now=self.now)
        self.given.append(rating)
        return rating

    def rate(self, count: int = 1000) -> list[Rating]:
        """Rate up to so many items of the sitting, the whole rest of it by default."""
        made = []
        while len(made) < count:
            task = self.claim().open
            if task is None:
                break
            self.listen(task)
            made.append(self.answer(task))
        return made

    def rate_all(self) -> list[Rating]:
        """Rate in as many sittings as there is anything, a day apart."""
        made: list[Rating] = []
        while sessions.has_work(
            self.rater, self.language, protocols.settings_of(self.rater.protocol), self.now
        ):
            self.begin()
            done = self.rate()
            if not done:
                break
            made += done
            self.now += timedelta(days=1)
        return made

    def scored(self) -> list[RatingTask]:
        """Return the scored tasks of the rater, in their order."""
        rows = RatingTask.objects.filter(rater=self.rater, kind=TaskKind.SCORED)
        return list(rows.select_related("stimulus__system").order_by("session", "position"))


def make_hall(
    *,
    systems: int = 3,
    settings: Mapping[str, int] | None = None,
    is_open: bool = True,
    form: RatingForm = RatingForm.NVV,
    seed: str = "seed",
) -> Hall:
    """Return a rating of `systems` systems; opened unless `is_open` is False."""
    numbers = {**SMALL, **(settings or {})}
    ids = [f"u{number:03d}" for number in range(2 * numbers["texts"])]
    arena = make_speech_arena(ids)
    overseer = organizer(arena)
    submissions = [_submission(arena, ids, number) for number in range(systems)]
    selection = _selection(arena, submissions)
    protocol = protocols.draft(
        actor=overseer,
        selection=selection,
        settings=numbers,
        form=form,
        seed=seed,
        # What all others are compared with is the last one.
        compared_with=selection.systems.last() if form_of(form).is_pair else None,
        now=NOW,
    )
    protocols.lay_out(actor=overseer, protocol=protocol, now=NOW)
    consents.publish(
        actor=overseer, protocol=protocol, texts={"en": "Agree?"}, keeps_ratings=True, now=NOW
    )
    add_controls(protocol, numbers)
    prepare(protocol)
    if is_open:
        protocols.open_protocol(actor=overseer, protocol=protocol, now=NOW)
    return Hall(arena, overseer, selection, protocol, submissions)


def add_controls(protocol: RatingProtocol, numbers: Mapping[str, int]) -> None:
    """Make the traps, known answers and practice items that the numbers ask for."""
    kinds = {
        StimulusKind.TRAP: (numbers["traps"], TRAP),
        StimulusKind.KNOWN: (numbers["known"], KNOWN),
        StimulusKind.PRACTICE: (numbers["practice"], FINE),
    }
    for language in ("en", "zh"):
        for kind, (count, expected) in kinds.items():
            for number in range(count):
                name = f"{protocol.code}-{language}-{kind}-{number}"
                Stimulus.objects.create(
                    protocol=protocol,
                    kind=kind,
                    language=language,
                    name=f"{kind}-{number}",
                    text="[laugh] Listen.",
                    expected=expected_of(protocol.form, {**expected, "C": COMPARED[kind]}),
                    compared_with=compared(protocol, language, name),
                    waveform=waveform(name),
                )


def expected_of(form: str, expected: Mapping[str, int]) -> dict[str, int]:
    """Return of these marks those that a form asks for."""
    return {letter: expected[letter] for letter in form_of(form).letters}


def compared(protocol: RatingProtocol, language: str, name: str) -> Stimulus | None:
    """Return the other sound of a control item, in a form that has one."""
    if not protocol.declared.is_pair:
        return None
    return Stimulus.objects.create(
        protocol=protocol,
        kind=StimulusKind.COMPARED,
        language=language,
        name=f"other-{name}",
        text="[laugh] Listen.",
        waveform=waveform(f"other-{name}"),
    )


def prepare(protocol: RatingProtocol) -> None:
    """Say that every sound is prepared, without any bytes: two seconds each."""
    for stimulus in protocol.stimuli.filter(prepared_at__isnull=True):
        Stimulus.objects.filter(pk=stimulus.pk).update(
            prepared_at=NOW,
            storage_key=f"uploads/00/00/{stimulus.key}",
            sha256=hashlib.sha256(stimulus.key.encode()).hexdigest(),
            size=2 * FRAMES + 44,
            frames=FRAMES,
            gain_cdb=0,
        )


def waveform(name: str) -> Waveform:
    """Return a row of a clip of two seconds; its bytes are nowhere."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Waveform.objects.create(
        sha256=digest,
        size=2 * FRAMES + 44,
        frames=FRAMES,
        storage_key=f"uploads/{digest[:2]}/{digest[2:4]}/{digest}",
        created_at=NOW,
    )


def _submission(arena: Arena, ids: list[str], number: int) -> Submission:
    # The last one is the baseline of the organizers.
    entrant, captain = arena.enter(f"Team number {number} of {arena.competition.slug}")
    submission = SubmissionFactory(
        entrant=entrant,
        phase=arena.phase,
        uploader=captain,
        state=SubmissionState.ACCEPTED,
        validated_at=NOW,
        system=f"system-{number}",
    )
    Clip.objects.bulk_create(
        Clip(
            submission=submission,
            utt_id=utt_id,
            language=arena.rows[utt_id][0],
            member=f"{utt_id}.wav",
            waveform=waveform(f"{submission.code}-{utt_id}"),
        )
        for utt_id in ids
    )
    return submission


def _selection(arena: Arena, submissions: list[Submission]) -> FinalSelection:
    recipe = recipes.live_recipe(arena.phase)
    assert recipe is not None
    selection = FinalSelection.objects.create(
        phase=arena.phase, recipe=recipe, board_number=1, n=8, limit=12, recorded_at=NOW
    )
    for place, submission in enumerate(submissions, 1):
        FinalSystem.objects.create(
            selection=selection,
            position=place,
            submission=submission,
            reason=SelectionReason.TOP,
            place=place,
            score=50.0,
            evaluation=_evaluation(submission),
        )
    return selection


def _evaluation(submission: Submission) -> Any:
    from grading.models import Evaluation

    recipe = recipes.live_recipe(submission.phase)
    return Evaluation.objects.create(
        submission=submission,
        recipe=recipe,
        state="scored",
        queued_at=NOW,
        started_at=NOW,
        finished_at=NOW,
        score=50.0,
    )


__all__ = ["EntrantKind", "Hall", "Panelist", "fair", "make_hall"]
