"""A rating that is open: systems with prepared clips, control items, plans, and people who rate."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from accounts.models import User
from competition.enums import Role
from competition.models import Competition, Phase, Terms, Track
from grading import stimuli
from grading.enums import (
    ProtocolState,
    RaterState,
    RatingForm,
    SelectionReason,
    SessionState,
    StimulusKind,
    SubmissionState,
)
from grading.models import (
    ConsentText,
    FinalSelection,
    FinalSystem,
    PlanRow,
    PlanSlot,
    RatedSystem,
    RatedText,
    Rater,
    RaterConsent,
    RatingOpening,
    RatingProtocol,
    RatingSession,
    Stimulus,
    Submission,
    Waveform,
)
from grading.scoring.rating.forms import form_of
from grading.scoring.rating.settings import read_settings, settings_json
from grading.services import recipes
from grading.services.ratings import queue, raters, sessions
from grading.storage import store_stream
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, CompetitionFactory, SubmissionFactory, enter, references

TEXTS = {
    "en": "You should have seen it [laugh] and then, well [sigh] it was over {number}.",
    "zh": "我跟你说[laugh]那个会开到一半，他居然[sigh]又从第{number}页开始讲。",
}
EXPECTED = {"A": 4, "P": 4, "N": 3, "Q": 5, "E": 3}
SETTINGS = {
    "texts": 24, "wanted": 2, "least": 1, "scored": 20, "traps": 1, "known": 1, "repeats": 1,
    "practice": 2, "traps_passed": 1, "known_right": 1,
}  # fmt: skip
CONSENT = {"en": "We keep your marks and how long you took.", "zh-hans": "我们保存你的评分和用时。"}


@dataclass(slots=True)
class Listening:
    """The rating of a test: `secrets` are strings that no rater's browser may get."""

    competition: Competition
    phase: Phase
    protocol: RatingProtocol
    submissions: list[Submission]
    secrets: set[str] = field(default_factory=set)

    def rater(
        self, user: User | None = None, *, languages: Sequence[str] = ("en",), now: datetime = NOW
    ) -> Rater:
        """Return somebody who has consented and chosen languages."""
        rater = raters.place_for(protocol=self.protocol, user=user or listener(), now=now)
        text = self.protocol.consent_texts.get(language="en")
        RaterConsent.objects.create(rater=rater, text=text, given_at=now)
        Rater.objects.filter(pk=rater.pk).update(state=RaterState.ACTIVE, languages=list(languages))
        rater.refresh_from_db()
        return rater

    def sitting(self, rater: Rater, *, now: datetime = NOW, language: str = "en") -> RatingSession:
        """Return a sitting of a rater that has come to its clips."""
        Rater.objects.filter(pk=rater.pk).update(practiced_at=now)
        session = sessions.start(actor=rater.user, rater=rater, language=language, now=now)
        while session.state == SessionState.CHECKS:
            right = [trial.quietest for trial in sessions.trials(session=session)]
            sessions.answer_check(actor=rater.user, session=session, answers=right, now=now)
        assert session.state == SessionState.RATING
        return session

    def open_task(self, rater: Rater, *, now: datetime = NOW, delivered: bool = True):
        """Return the open task of a new sitting, its sound sent."""
        session = sessions.running(rater=rater) or self.sitting(rater, now=now)
        task = queue.claim(actor=rater.user, session=session, now=now).open
        for part in range(len(task.sounds) if delivered else 0):
            queue.delivered(task=task, now=now, part=part)
        return task


def listener(**fields: Any) -> User:
    """Return somebody of another institution than every entrant."""
    return UserFactory(email=f"{secrets.token_hex(4)}@ears.example.net", **fields)


def make_listening(
    *,
    form: str = RatingForm.NVV,
    languages: Iterable[str] = ("en",),
    systems: int = 3,
    seconds: float = 0.1,
    now: datetime = NOW,
    state: str = ProtocolState.OPEN,
    **settings: Any,
) -> Listening:
    """Return a rating whose clips are tones with silence around, as short as `seconds`."""
    numbers = SETTINGS | settings
    competition = CompetitionFactory(created_at=now, loaded_at=now)
    Terms.objects.create(
        competition=competition, version="1", texts={"en": "x"}, sha256="0" * 64, created_at=now
    )
    phase = _phase(competition, numbers["texts"], now)
    submissions = [_submission(phase, number, now) for number in range(systems)]
    protocol = _protocol(phase, form, numbers, now)
    made = Listening(competition, phase, protocol, submissions)
    sounds = _Sounds(seconds, now, made.secrets)
    rated = _systems(protocol, submissions, made.secrets)
    if protocol.compared_with is not None:
        other = protocol.compared_with.submission
        made.secrets |= {other.code, other.system, other.entrant.team.name}
    for language in languages:
        _lay_out(protocol, rated, language, numbers, sounds)
    for language, text in CONSENT.items():
        ConsentText.objects.create(
            protocol=protocol, version=1, language=language, text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(), keeps_ratings=True, created_at=now,
        )  # fmt: skip
    if state != ProtocolState.DRAFT:
        RatingOpening.objects.create(
            protocol=protocol,
            settings=protocol.settings,
            settings_sha256="0" * 64,
            plan_sha256="0" * 64,
            seed=protocol.seed,
            opened_at=now,
        )
    RatingProtocol.objects.filter(pk=protocol.pk).update(
        state=state,
        opened_at=None if state == ProtocolState.DRAFT else now,
        closed_at=now if state == ProtocolState.CLOSED else None,
    )
    protocol.refresh_from_db()
    return made


def _phase(competition: Competition, count: int, now: datetime) -> Phase:
    track = Track.objects.create(
        competition=competition, slug="generation", kind="nvv-t2", params={}
    )
    rows = {
        f"{language}_{number:03d}": (language, TEXTS[language].format(number=number))
        for language in TEXTS
        for number in range(1, count + 1)
    }
    phase = Phase.objects.create(
        track=track,
        slug="final",
        texts={"en": {"title": "Final"}},
        references=references(track, rows, now),
        opens_at=now - timedelta(days=10),
        closes_at=now - timedelta(days=1),
    )
    recipes.ensure_live(phase=phase, now=now)
    return phase


def _submission(phase: Phase, number: int, now: datetime) -> Submission:
    entrant, captain = enter(
        phase.track.competition, f"Team Secretive {secrets.token_hex(3)} {number}"
    )
    return SubmissionFactory(
        entrant=entrant,
        phase=phase,
        uploader=captain,
        state=SubmissionState.ACCEPTED,
        validated_at=now,
        system=f"hush-tts-{number}",
    )


def _protocol(phase: Phase, form: str, numbers: dict[str, Any], now: datetime) -> RatingProtocol:
    recipe = recipes.live_recipe(phase)
    selection = FinalSelection.objects.create(
        phase=phase, recipe=recipe, board_number=1, n=8, limit=12, recorded_at=now
    )
    return RatingProtocol.objects.create(
        selection=selection,
        form=form,
        compared_with=_yardstick(selection, now) if form_of(form).is_pair else None,
        settings=settings_json(read_settings(numbers)),
        created_at=now,
    )


def _yardstick(selection: FinalSelection, now: datetime) -> FinalSystem:
    """Return a human reference that all others are compared with."""
    submission = _submission(selection.phase, 99, now)
    return FinalSystem.objects.create(
        selection=selection,
        position=1,
        submission=submission,
        reason=SelectionReason.REFERENCE,
    )


def _systems(
    protocol: RatingProtocol, submissions: list[Submission], secrets_kept: set[str]
) -> list[RatedSystem]:
    made = []
    for number, submission in enumerate(submissions, 1):
        name = f"S{number:02d}-{secrets.token_hex(2)}"
        made.append(
            RatedSystem.objects.create(
                protocol=protocol,
                submission=submission,
                reason=SelectionReason.BASELINE if number == 1 else SelectionReason.TOP,
                pseudonym=name,
            )
        )
        team = submission.entrant.team
        secrets_kept |= {name, submission.code, submission.system, submission.entrant.code}
        secrets_kept |= {team.name, team.code, submission.content_id}
    return made


class _Sounds:
    """Makes waveforms and stimuli, prepared in this process as the child would."""

    def __init__(self, seconds: float, now: datetime, secrets_kept: set[str]) -> None:
        self.frames = round(seconds * stimuli.RATE)
        self.now = now
        self.secrets = secrets_kept
        self.count = 0

    def add(self, **fields: Any) -> Stimulus:
        self.count += 1
        at = np.arange(self.frames) / stimuli.RATE
        sound = 6_000 * np.sin(2 * np.pi * (150 + self.count) * at)
        made = stimuli.prepare(np.rint(sound).astype(np.int16))
        kept = store_stream([made.data], limit=1 << 24)
        waveform = self._waveform(np.rint(sound).astype(np.int16))
        row = Stimulus.objects.create(
            **fields,
            waveform=waveform,
            storage_key=kept.key,
            sha256=made.sha256,
            size=len(made.data),
            frames=made.frames,
            gain_cdb=made.levels.gain,
            loudness=made.levels.as_json(),
            peaks=list(made.outline),
            prepared_at=self.now,
        )
        self.secrets |= {row.name, row.sha256, kept.key, waveform.sha256}
        if row.system is not None or row.kind == StimulusKind.COMPARED:
            self.secrets.add(row.key)
        return row

    def other(self, form: str, **fields: Any) -> Stimulus | None:
        """Return the other sound of a pair, in a form that has pairs."""
        if not form_of(form).is_pair:
            return None
        return self.add(**fields, kind=StimulusKind.COMPARED)

    def _waveform(self, sound: Any) -> Waveform:
        data = stimuli.wav_of(sound)
        made, _ = Waveform.objects.get_or_create(
            sha256=hashlib.sha256(data).hexdigest(),
            defaults={
                "size": len(data),
                "frames": len(sound),
                "storage_key": store_stream([data], limit=1 << 24).key,
                "created_at": self.now,
            },
        )
        return made


def _lay_out(
    protocol: RatingProtocol,
    systems: list[RatedSystem],
    language: str,
    numbers: dict[str, Any],
    sounds: _Sounds,
) -> None:
    common = {"protocol": protocol, "language": language}
    texts = [
        RatedText.objects.create(
            **common, utt_id=f"{language}_{number:03d}", text=TEXTS[language].format(number=number)
        )
        for number in range(1, numbers["texts"] + 1)
    ]
    others = {
        text.pk: sounds.other(
            protocol.form, **common, name=text.utt_id, text=text.text, rated_text=text
        )
        for text in texts
    }
    found = {
        (system.pk, text.pk): sounds.add(
            **common, kind=StimulusKind.SCORED, name=text.utt_id, text=text.text,
            system=system, rated_text=text, compared_with=others[text.pk],
        )
        for system in systems
        for text in texts
    }  # fmt: skip
    for kind, many in ((StimulusKind.TRAP, 2), (StimulusKind.KNOWN, 2), (StimulusKind.PRACTICE, 2)):
        for number in range(many):
            sounds.add(
                **common, kind=kind, name=f"control-{kind}-{number}", text=TEXTS[language].format(number=0),
                expected=expected_of(protocol.form),
                compared_with=sounds.other(
                    protocol.form, **common, name=f"other-{kind}-{number}", text="x"
                ),
                explanation={"en": "The laugh is plain to hear.", "zh": "笑声很清楚。"},
            )  # fmt: skip
    for row_number in range(1, numbers["wanted"] * len(systems) + 1):
        row = PlanRow.objects.create(**common, number=row_number)
        PlanSlot.objects.bulk_create(
            PlanSlot(
                **common, row=row, position=place, rated_text=text, system=system,
                stimulus=found[system.pk, text.pk],
            )
            for place, text in enumerate(texts)
            for system in [systems[(place + row_number) % len(systems)]]
        )  # fmt: skip


def expected_of(form: str) -> dict[str, int]:
    """Return the marks that the control items expect."""
    marks = {**EXPECTED, "C": 2}
    return {letter: marks[letter] for letter in form_of(form).letters}


def organizer_of(listening: Listening) -> User:
    """Return an organizer of the competition."""
    user = UserFactory()
    RoleGrantFactory(competition=listening.competition, user=user, role=Role.ORGANIZER)
    return user
