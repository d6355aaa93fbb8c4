"""A closed phase of Track 2 with systems that a judge has heard, for tests of the final."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from accounts.models import User
from competition.enums import Role
from competition.models import Competition, Entrant, Phase, RoleGrant, Terms, Track
from grading.enums import (
    EvaluationState,
    ProtocolState,
    SessionState,
    StimulusKind,
    SubmissionState,
    TaskKind,
    TaskState,
)
from grading.models import (
    Evaluation,
    EvaluationTallies,
    FinalBoard,
    FinalSelection,
    RatedSystem,
    RatedText,
    Rater,
    Rating,
    RatingOpening,
    RatingProtocol,
    RatingSession,
    RatingTask,
    Recipe,
    Stimulus,
    Submission,
    Waveform,
)
from grading.scoring import registry
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.rating.forms import NVV, form_of
from grading.scoring.rating.panel import Rating as PanelRating
from grading.scoring.rating.settings import ProtocolSettings, settings_json
from grading.services import boards, recipes, speech_texts, standings
from grading.services.final import choosing, marks, rankings
from grading.services.final.choosing import Wish
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, CompetitionFactory, SubmissionFactory, enter, references
from tests.scoring.rating.finals import LANGUAGES, RATED, both, marks_for, rated, utterances

LATER = NOW + timedelta(minutes=5)
# Long ago by any clock: pages go by the real one.
OPENS, CLOSES = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 2, 1, tzinfo=UTC)


@dataclass(slots=True)
class Stage:
    """The phase of a test, closed yesterday, with its organizer."""

    competition: Competition
    phase: Phase
    organizer: User

    def enter(self, team: str, **fields: Any) -> tuple[Entrant, User]:
        return enter(self.competition, team, **fields)

    def judged(
        self, team: str, score: str | dict[str, str], *, system: str = "", **fields: Any
    ) -> Submission:
        """Enter a team with one submission to which the judge's marks give exactly this score."""
        entrant, captain = self.enter(team, **fields)
        return self.submission(entrant, captain, score, system=system or f"{team}-tts")

    def submission(
        self,
        entrant: Entrant,
        captain: User,
        score: str | dict[str, str],
        *,
        system: str,
        phase: Phase | None = None,
    ) -> Submission:
        submission = SubmissionFactory(
            entrant=entrant,
            phase=phase or self.phase,
            uploader=captain,
            state=SubmissionState.ACCEPTED,
            validated_at=NOW,
            system=system,
        )
        self.evaluate(submission, score if isinstance(score, dict) else both(score))
        return submission

    def evaluate(self, submission: Submission, scores: dict[str, str]) -> Evaluation:
        """Store the evaluation that the scorer makes of the judge's marks."""
        recipe = recipes.live_recipe(submission.phase)
        assert recipe is not None
        found = _evaluated(recipe.digest, tuple(sorted(scores.items())))
        low, high = found.interval or (None, None)
        evaluation = Evaluation.objects.create(
            submission=submission,
            recipe=recipe,
            state=EvaluationState.SCORED,
            queued_at=NOW,
            started_at=NOW,
            finished_at=NOW,
            score=found.score,
            withheld_reason=found.withheld_reason,
            low=low,
            high=high,
            interval_reason=found.interval_reason,
            seed=str(found.seed),
            components=found.components,
            languages=found.languages,
        )
        data = found.tallies.to_bytes()
        EvaluationTallies.objects.create(
            evaluation=evaluation, data=data, sha256=hashlib.sha256(data).hexdigest()
        )
        return evaluation

    def board(self) -> None:
        """Bring the phase's board up to date."""
        board_id = boards.note_change(phase_id=self.phase.pk, now=NOW)
        standings.rebuild(board_id=board_id, now=NOW)

    def select(self, **wish: Any) -> FinalSelection:
        """Record the selection that the board gives."""
        self.board()
        wanted = Wish(**wish)
        proposal = choosing.propose(self.phase, wish=wanted, now=NOW)
        return choosing.record(
            actor=self.organizer, phase=self.phase, wish=wanted, digest=proposal.digest, now=NOW
        )

    def rank(self) -> FinalBoard:
        """Bring the final board up to date."""
        board = FinalBoard.objects.get(phase=self.phase)
        return rankings.rebuild(board_id=board.pk, now=LATER)


@lru_cache(maxsize=256)
def _evaluated(digest: str, scores: tuple[tuple[str, str], ...]) -> Evaluated:
    """Return what the scorer makes of marks that give these scores; the same for every phase."""
    recipe = Recipe.objects.get(digest=digest)
    given = {
        utt_id: [[float(mark) for mark in marks]]
        for language, score in scores
        for utt_id, marks in zip(utterances(language), marks_for(score), strict=True)
    }
    return evaluate(
        track=registry.get(recipe.scorer),
        params=recipe.read_params,
        references=speech_texts.of_recipe(recipe),
        given=given,
        seed=1,
    )


def make_stage(**params: Any) -> Stage:
    """Return a closed phase of Track 2 with 125 texts a language and an organizer."""
    competition = CompetitionFactory(
        created_at=NOW, loaded_at=NOW, texts={"en": {"title": "A challenge of voices"}}
    )
    Terms.objects.create(
        competition=competition, version="1", texts={"en": "x"}, sha256="0" * 64, created_at=NOW
    )
    organizer = UserFactory()
    RoleGrant.objects.create(
        competition=competition, user=organizer, role=Role.ORGANIZER, granted_at=NOW
    )
    return add_stage(competition, organizer, **params)


def add_stage(competition: Competition, organizer: User, **params: Any) -> Stage:
    """Return a closed phase of Track 2 that a competition gets beside its others."""
    track = Track.objects.create(
        competition=competition,
        slug="generation",
        kind="nvv-t2",
        params=params,
        texts={"en": {"title": "Generation"}},
    )
    rows = {
        utt_id: (language, "say it [laugh] like this" if language == "en" else "这样说[laugh]吧")
        for language in LANGUAGES
        for utt_id in utterances(language)
    }
    phase = Phase.objects.create(
        track=track,
        slug="final",
        texts={"en": {"title": "Final phase"}},
        references=references(track, rows, NOW),
        opens_at=OPENS,
        closes_at=CLOSES,
    )
    recipes.ensure_live(phase=phase, now=NOW)
    return Stage(competition, phase, organizer)


def rate(
    selection: FinalSelection, scores: dict[str, dict[str, str]], *, now: datetime = LATER
) -> RatingProtocol:
    """Store five ratings of each of 25 texts a language, by system name, that give these scores.

    Every rater hears one system, each text once.
    """
    protocol = _protocol(selection, now)
    for row in selection.systems.select_related("submission"):
        system = RatedSystem.objects.create(
            protocol=protocol,
            submission=row.submission,
            reason=row.reason,
            pseudonym=f"S{row.position}",
        )
        given = scores.get(row.submission.system)
        if given:
            add_ratings(system, rated(row.submission.code, given), now=now)
    marks.note_change(phase_id=selection.phase_id, now=now)
    return protocol


def _protocol(selection: FinalSelection, now: datetime) -> RatingProtocol:
    protocol = RatingProtocol.objects.create(
        selection=selection, state=ProtocolState.OPEN, created_at=NOW, opened_at=now
    )
    RatingOpening.objects.create(
        protocol=protocol,
        # In one draw of 200 no rater of a system is drawn: with fewer draws chance might count 1 %.
        settings=settings_json(ProtocolSettings(draws=3000)),
        settings_sha256="0" * 64,
        plan_sha256="0" * 64,
        seed=protocol.seed,
        opened_at=now,
    )
    RatedText.objects.bulk_create(
        RatedText(protocol=protocol, language=language, utt_id=utt_id, text="say [laugh] it")
        for language in LANGUAGES
        for utt_id in utterances(language, RATED)
    )
    return protocol


def add_ratings(system: RatedSystem, rows: Sequence[PanelRating], *, now: datetime) -> None:
    """Store answers of one system, raters named after it."""
    texts = {one.utt_id: one for one in system.protocol.texts.all()}
    sessions = {name: _session(system, name, now) for name in sorted({row.rater for row in rows})}
    waveform, _made = Waveform.objects.get_or_create(
        sha256="0" * 64,
        defaults={"size": 32044, "frames": 16000, "storage_key": "x", "created_at": NOW},
    )
    stimuli = {
        utt_id: Stimulus.objects.create(
            protocol=system.protocol,
            kind=StimulusKind.SCORED,
            language=texts[utt_id].language,
            name=utt_id,
            text=texts[utt_id].text,
            system=system,
            rated_text=texts[utt_id],
            waveform=waveform,
        )
        for utt_id in sorted({row.utt_id for row in rows})
    }
    tasks = RatingTask.objects.bulk_create(
        RatingTask(
            session=sessions[row.rater],
            rater=sessions[row.rater].rater,
            position=place,
            kind=TaskKind.SCORED,
            stimulus=stimuli[row.utt_id],
            rated_text=texts[row.utt_id],
            state=TaskState.ANSWERED,
            created_at=now,
            opened_at=now,
            ended_at=now,
        )
        for place, row in enumerate(rows)
    )
    Rating.objects.bulk_create(
        Rating(
            uuid=uuid.uuid4(),
            task=task,
            rater=task.rater,
            form="nvv",
            took_ms=20_000,
            created_at=now,
            **{
                mark.column: int(value)
                for mark, value in zip(form_of(NVV).marks, row.marks, strict=True)
            },
        )
        for task, row in zip(tasks, rows, strict=True)
    )


def _session(system: RatedSystem, name: str, now: datetime) -> RatingSession:
    rater = Rater.objects.create(
        protocol=system.protocol,
        pseudonym=f"{system.pseudonym}-{name}",
        joined_at=now,
        seen_at=now,
    )
    return RatingSession.objects.create(
        rater=rater,
        language=name.split("-", maxsplit=1)[0],
        number=1,
        state=SessionState.FINISHED,
        started_at=now,
        rating_since=now,
        ended_at=now,
        check_seed="x",
    )
