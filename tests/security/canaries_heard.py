"""Strings planted in Track 2: in clips, in what a judge answers, and in the ratings of people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from accounts.models import User
from competition.models import Competition, Entrant
from grading.enums import StimulusKind
from grading.models import Clip, Rater, RatingProtocol
from grading.services.ratings import answers
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER, UUID, Place
from tests.security.voices import Hearing, Voices, make_hearing, make_voices

NOBODY: frozenset[str] = frozenset()
EARS = "ears.example.net"
"""Where the people who rate have their addresses: of no entrant's institution."""

Planted = tuple[str, str, frozenset[str]]
"""What it is, the string, and the kinds of people who may read it."""


@dataclass(slots=True)
class Heard:
    """Track 2 of the challenge with all canaries in it."""

    voices: Voices
    hearing: Hearing
    canaries: list[Planted]

    @property
    def clips(self) -> list[str]:
        """Codes of the submissions of clips."""
        return [one.code for one in self.voices.submissions.values()]

    def parts(self, name: str) -> list[dict[str, str]]:
        """Return what an endpoint's address may be made of, for everything here that it may be about."""
        if name.startswith("grading:rate-"):
            places = (*self.hearing.own.values(), self.hearing.other)
            return [_without_secret(place.names) for place in places]
        if name.startswith("grading:judging-"):
            return [{"code": run.code} for run in self.voices.runs.values()]
        if name.startswith("api-v1:file-set-") and name != "api-v1:file-set-create":
            sets = self.voices.sets.values()
            return [{"code": one.code, "name": "say_0001.wav"} for one in sets]
        if name.startswith("grading:rating-"):
            protocols = RatingProtocol.objects.filter(selection__phase=self.hearing_phase)
            return [{"code": one.code, "act": "close"} for one in protocols]
        return []

    @property
    def hearing_phase(self) -> object:
        """The phase whose systems are rated."""
        return self.hearing.other.rater.protocol.selection.phase


def _without_secret(names: dict[str, str]) -> dict[str, str]:
    return {part: value for part, value in names.items() if part != "secret"}


def plant(
    competition: Competition,
    sides: dict[str, tuple[Entrant, User]],
    listener: User,
    *,
    readers: dict[str, frozenset[str]],
    overseers: frozenset[str],
) -> Heard:
    """Add clips of each side and a rater at every step; `readers` are who may read a side's own things."""
    voices = make_voices(competition, list(sides.values()))
    hearing = make_hearing(listener)
    made = Heard(voices, hearing, [])
    for who, (entrant, _captain) in sides.items():
        made.canaries += _of_clips(voices, entrant, who, readers[who] | overseers, overseers)
    for what, place, seen in (
        ("the rater’s", hearing.own["clips"], frozenset({"listener"})),
        ("another rater’s", hearing.other, NOBODY),
    ):
        made.canaries += _of_place(what, place, seen)
    made.canaries += _of_systems(hearing.other.rater)
    return made


def _of_clips(
    voices: Voices, entrant: Entrant, who: str, seen: frozenset[str], overseers: frozenset[str]
) -> Iterator[Planted]:
    for clip in Clip.objects.filter(submission=voices.submissions[entrant.pk]):
        yield "the place of a clip’s bytes", clip.waveform.storage_key, NOBODY
    yield f"the name of a clip’s file of {who}", f"sent-by-{entrant.code}", seen
    yield f"what a judge said of {who}", f"heard-{entrant.code}", overseers
    for sent in voices.sets[entrant.pk].files.all():
        yield "the place of a sent file’s bytes", sent.storage_key, NOBODY


def _of_place(what: str, place: Place, seen: frozenset[str]) -> Iterator[Planted]:
    note = f"notecanary{place.rater.code}"
    answers.submit(
        actor=place.rater.user,
        task=place.task,
        answer=answers.Answer(
            uuid=f"{UUID[:-8]}{place.rater.pk:08d}",
            marks={letter: ANSWER[letter] for letter in "APNQE"},
            placements=["heard", "heard"],
            note=note,
        ),
        now=NOW + timedelta(seconds=30),
    )
    yield f"{what} link to a sound", place.token, seen
    yield f"an invitation to rate, {what}", place.secret, NOBODY
    yield f"{what} comment", note, seen
    yield f"{what} pseudonym", place.rater.pseudonym, NOBODY


def _of_systems(rater: Rater) -> Iterator[Planted]:
    protocol = rater.protocol
    for system in protocol.systems.select_related("submission"):
        yield "the pseudonym of a system that is rated", system.pseudonym, NOBODY
        yield "the name of a system that is rated", system.submission.system, NOBODY
        yield "a submission that is rated", system.submission.code, NOBODY
    for stimulus in protocol.stimuli.exclude(kind=StimulusKind.PRACTICE):
        yield "a recording’s key", stimulus.key, NOBODY
        yield "the hash of a recording", stimulus.sha256, NOBODY
        yield "the place of a recording’s bytes", stimulus.storage_key, NOBODY
