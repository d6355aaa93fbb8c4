"""A submission of the server's own, scored end to end every few minutes; its digits are known.

It belongs to a draft competition that only administrators see, takes no quota and stands on no board.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet

from accounts.models import Team, User
from competition.enums import CompetitionState, EntrantState
from competition.models import Competition, Entrant, Phase, Track
from competition.services import references
from competition.services.references import StoredReferences
from grading import canary_challenge as challenge
from grading import storage
from grading.enums import EvaluationState, SubmissionKind, SubmissionState
from grading.models import Evaluation, Submission
from grading.services import doorbell, recipes

SLUG = "plaudit-canary"
EMAIL = "canary@plaudit.invalid"
TEAM_KEY = "plaudit canary"
"""Folded names hold no spaces: no team of people can have this key."""
SLACK = timedelta(seconds=5)
PATIENCE = timedelta(minutes=5)
BYTES_KEPT = timedelta(days=1)
FOREVER = timedelta(days=365 * 50)
LARGEST = 64 * 1024


class CanaryState(StrEnum):
    """How the last canary ended."""

    NONE = "none"
    WELL = "well"
    LATE = "late"
    WRONG = "wrong"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CanaryVerdict:
    """The last canary that ended: when it was sent, how long it took, and what is wrong with it."""

    state: CanaryState
    sent_at: datetime | None = None
    took: timedelta | None = None
    code: str = ""

    @property
    def is_alarm(self) -> bool:
        """Whether somebody should look."""
        return self.state not in {CanaryState.NONE, CanaryState.WELL}


def start_if_due(*, now: datetime) -> Submission | None:
    """Send a canary when the last one is older than CANARY_SECONDS (0: never); return it.

    Its bytes are stored and it is rung for like any upload; from there on it takes their way.
    """
    every = timedelta(seconds=settings.CANARY_SECONDS)
    last = canaries().order_by("-created_at").first()
    if not every or (last is not None and now - last.created_at < every - SLACK):
        return None
    phase = ensure_phase(now=now)
    entrant = Entrant.objects.get(competition=phase.track.competition)
    number = _next_number(entrant)
    stored = storage.store_stream([challenge.predictions(number)], limit=LARGEST)
    submission = _send(entrant, phase, number, stored, now)
    remove_old_bytes(now)
    return submission


def ensure_phase(*, now: datetime) -> Phase:
    """Return the canary's phase for this version of the scorer, made where it is missing."""
    found = Phase.objects.filter(code=challenge.phase_code()).select_related(
        "track__competition", "references"
    )
    if not found.exists():
        data = challenge.references()
        key, sha256 = references.store_bytes(data)
        languages = challenge.languages()
        counts = {code: list(languages.values()).count(code) for code in languages.values()}
        _make(StoredReferences(key, sha256, len(data), counts, languages), now)
    phase = found.get()
    recipes.ensure_live(phase=phase, now=now)
    return phase


def canaries() -> QuerySet[Submission]:
    """Return the canaries of this version of the scorer."""
    return Submission.objects.filter(kind=SubmissionKind.CANARY, phase__code=challenge.phase_code())


def look(*, now: datetime) -> CanaryVerdict:
    """Return what the canaries tell: well, or late, wrong, failed; none before the first has ended."""
    ended = Q(state__in=[SubmissionState.FAILED, SubmissionState.REJECTED]) | Q(
        evaluations__state__in=[EvaluationState.SCORED, EvaluationState.FAILED]
    )
    last = canaries().filter(ended).order_by("-created_at").first()
    late_from = now - 2 * timedelta(seconds=settings.CANARY_SECONDS) - PATIENCE
    if not settings.CANARY_SECONDS:
        return CanaryVerdict(CanaryState.NONE)
    if last is None:
        waits = canaries().filter(created_at__lt=late_from).exists()
        return CanaryVerdict(CanaryState.LATE if waits else CanaryState.NONE)
    verdict = _verdict(last)
    if verdict.state == CanaryState.WELL and last.created_at < late_from:
        return CanaryVerdict(CanaryState.LATE, last.created_at, verdict.took)
    return verdict


def remove_old_bytes(now: datetime) -> int:
    """Delete the bytes of canaries older than a day; their rows and scores stay. Return how many."""
    old = Submission.objects.filter(
        kind=SubmissionKind.CANARY, created_at__lt=now - BYTES_KEPT
    ).exclude(storage_key="")
    removed = 0
    for submission in old.filter(evaluations__state=EvaluationState.SCORED)[:100]:
        key = submission.storage_key
        Submission.objects.filter(pk=submission.pk).update(storage_key="")
        removed += storage.remove_before(key, now)
    return removed


def _verdict(submission: Submission) -> CanaryVerdict:
    evaluation = Evaluation.objects.filter(
        submission=submission, state=EvaluationState.SCORED
    ).first()
    if evaluation is None or evaluation.finished_at is None:
        code = submission.failure_code or submission.state
        return CanaryVerdict(CanaryState.FAILED, submission.created_at, code=code)
    took = evaluation.finished_at - submission.created_at
    is_right = _digits(evaluation) == challenge.EXPECTED
    state = CanaryState.WELL if is_right else CanaryState.WRONG
    return CanaryVerdict(state, submission.created_at, took)


def _digits(evaluation: Evaluation) -> dict[str, float | None]:
    return {
        "score": evaluation.score,
        "low": evaluation.low,
        "high": evaluation.high,
        **{name: evaluation.components.get(name) for name in ("f1", "mntd", "error_rate")},
    }


@transaction.atomic
def _send(
    entrant: Entrant, phase: Phase, number: int, stored: storage.StoredUpload, now: datetime
) -> Submission | None:
    """Make the row unless another server sent one meanwhile."""
    Entrant.objects.select_for_update().get(pk=entrant.pk)
    if _next_number(entrant) != number:
        return None
    submission = Submission.objects.create(
        entrant=entrant,
        phase=phase,
        uploader=User.objects.get(email=EMAIL),
        number=number,
        kind=SubmissionKind.CANARY,
        system="canary",
        filename="canary.jsonl",
        size=stored.size,
        content_id=stored.content_id,
        storage_key=stored.key,
        created_at=now,
        received_at=now,
        rung_at=now,
    )
    doorbell.ring(doorbell.VALIDATE, submission.pk)
    return submission


def _next_number(entrant: Entrant) -> int:
    sent = Submission.objects.filter(entrant=entrant).aggregate(top=Max("number"))["top"]
    return (sent or 0) + 1


@transaction.atomic
def _make(given: StoredReferences, now: datetime) -> None:
    competition, _ = Competition.objects.get_or_create(
        slug=SLUG,
        defaults={
            "state": CompetitionState.DRAFT,
            "texts": {"en": {"title": "Canary"}},
            "terms_version": "1",
            "definition": "",
            "definition_sha256": "0" * 64,
            "created_at": now,
            "loaded_at": now,
        },
    )
    Competition.objects.select_for_update().get(pk=competition.pk)
    code = challenge.phase_code()
    if Phase.objects.filter(code=code).exists():
        return
    track = Track.objects.create(
        competition=competition, slug=code, kind=challenge.KIND, params=challenge.PARAMS
    )
    Phase.objects.create(
        code=code,
        track=track,
        slug="canary",
        references=references.keep_version(track=track, name="canary", given=given, now=now),
        opens_at=now,
        closes_at=now + FOREVER,
    )
    _make_entrant(competition, now)


def _make_entrant(competition: Competition, now: datetime) -> None:
    user = User.objects.filter(email=EMAIL).first()
    if user is None:
        user = User.objects.create_user(EMAIL, name="Canary", is_active=False, created_at=now)
    team, _ = Team.objects.get_or_create(
        name_key=TEAM_KEY, defaults={"name": "Canary", "created_at": now}
    )
    Entrant.objects.get_or_create(
        competition=competition,
        team=team,
        defaults={"state": EntrantState.ACCEPTED, "registered_at": now, "decided_at": now},
    )
