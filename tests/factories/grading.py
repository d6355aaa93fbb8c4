"""A small challenge to grade in: an open phase, hidden references, accepted entrants, files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import factory
from factory.django import DjangoModelFactory

from accounts.models import User
from competition.enums import CompetitionState, EntrantState
from competition.models import (
    Competition,
    Entrant,
    EntrantMember,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    Terms,
    TermsAcceptance,
    Track,
)
from competition.services.references import store_bytes
from grading.enums import EvaluationState, QuotaState, SubmissionState
from grading.models import Evaluation, EvaluationTallies, QuotaEntry, Submission
from grading.scoring.metrics.events import Counts
from grading.scoring.tally import NvvTallies, UtteranceTally
from grading.services import intake, recipes
from grading.storage import StoredUpload, store_stream
from tests.factories.accounts import TeamFactory, UserFactory

NOW = datetime(2026, 12, 1, 15, tzinfo=UTC)
LABELS = ("breath", "sniff", "laugh", "cry", "cough", "throat clearing", "sneeze", "sigh")
LABELS += ("gasp", "snore", "yawn", "hum", "moan", "hiss", "lipsmack", "burp")
PARAMS = {
    "labels": list(LABELS),
    "collars": {"en": 2, "zh": 5},
    "weights": {"f1": 0.7, "mntd": 0.2, "error": 0.1},
    "tie_breaks": ["f1", "mntd", "error"],
}
CANARY = "zyzzyva"
"""A word of the references that no page, log or error may hold."""

EN = [
    "we missed the last train home [sigh] and walked",
    "[laugh] you should have seen his face",
    "it is only a cold [cough] i will be fine by monday",
    "please [throat clearing] let us begin",
    f"the {CANARY} crawled [gasp] up the wall",
    "nobody told me [breath] about the meeting",
    "[yawn] wake me when it is over",
    "she opened the door [sneeze] and the dust came in",
]
ZH = [
    "我们错过了末班车[sigh]只好走回去",
    "[laugh]你真该看看他的表情",
    "只是有点感冒[cough]下周一就好了",
    "请大家[throat clearing]安静一下",
    "今天的天气[gasp]实在太热了",
    "没有人告诉我[breath]要开会",
    "[yawn]结束了再叫我",
    "她打开门[sneeze]灰尘就进来了",
]


@dataclass(slots=True)
class Arena:
    """The challenge of a test."""

    competition: Competition
    track: Track
    phase: Phase
    entrant: Entrant
    captain: User
    rows: dict[str, tuple[str, str]]

    def perfect(self) -> dict[str, str]:
        """Return predictions that are the references."""
        return {utt_id: text for utt_id, (_, text) in self.rows.items()}

    def flawed(self, wrong: int, *, word: str = "wrong") -> dict[str, str]:
        """Return predictions of which the first `wrong` of each language are spoilt."""
        predictions = self.perfect()
        for language in ("en", "zh"):
            ids = [i for i, (spoken, _) in self.rows.items() if spoken == language]
            predictions |= dict.fromkeys(ids[:wrong], f"{word} [burp]")
        return predictions

    def store(self, predictions: dict[str, str]) -> StoredUpload:
        """Store a file of predictions as an upload does."""
        return store_stream([jsonl(predictions)], limit=1 << 24)

    def enter(self, name: str = "", **fields: Any) -> tuple[Entrant, User]:
        """Return another accepted entrant and its captain."""
        return enter(self.competition, name, **fields)


def jsonl(predictions: dict[str, str]) -> bytes:
    """Return predictions as JSON Lines."""
    rows = ({"utt_id": i, "text_with_nvvs": text} for i, text in predictions.items())
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def make_arena(*, utterances: int = 8, now: datetime = NOW, **phase_fields: Any) -> Arena:
    """Return a published competition with one open phase and `utterances` rows a language."""
    rows = {
        f"{language}_{number:04d}": (language, texts[number % len(texts)])
        for language, texts in (("en", EN), ("zh", ZH))
        for number in range(utterances)
    }
    competition = CompetitionFactory(created_at=now, loaded_at=now)
    Terms.objects.create(
        competition=competition, version="1", texts={"en": "x"}, sha256="0" * 64, created_at=now
    )
    track = Track.objects.create(
        competition=competition, slug="understanding", kind="nvv-t1", params=PARAMS
    )
    fields = {
        "opens_at": now - timedelta(days=10),
        "closes_at": now + timedelta(days=10),
        "quota_per_day": 3,
        "quota_total": 10,
    }
    phase = Phase.objects.create(
        track=track, slug="final", references=references(track, rows, now), **fields | phase_fields
    )
    recipes.ensure_live(phase=phase, now=now)
    entrant, captain = enter(competition)
    return Arena(competition, track, phase, entrant, captain, rows)


def references(
    track: Track, rows: dict[str, tuple[str, str]], now: datetime, *, name: str = "final"
) -> ReferenceVersion:
    """Store hidden references and their public half."""
    lines = (
        {"utt_id": i, "language": language, "text_with_nvvs": text}
        for i, (language, text) in rows.items()
    )
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    key, sha256 = store_bytes(data)
    version = ReferenceVersion.objects.create(
        track=track,
        name=name,
        version=1,
        sha256=sha256,
        storage_key=key,
        size=len(data),
        counts={
            language: sum(spoken == language for spoken, _ in rows.values())
            for language in ("en", "zh")
        },
        loaded_at=now,
    )
    ReferenceUtterance.objects.bulk_create(
        ReferenceUtterance(references=version, utt_id=i, language=language)
        for i, (language, _) in rows.items()
    )
    return version


def enter(competition: Competition, name: str = "", **fields: Any) -> tuple[Entrant, User]:
    """Return a new accepted entrant and its captain, who has accepted the terms."""
    captain = UserFactory()
    team = TeamFactory(captain=captain, **({"name": name} if name else {}))
    defaults = {"state": EntrantState.ACCEPTED, "registered_at": NOW - timedelta(days=9)}
    entrant = Entrant.objects.create(competition=competition, team=team, **defaults | fields)
    join(entrant, captain)
    return entrant, captain


def join(entrant: Entrant, user: User, *, joined_at: datetime = NOW - timedelta(days=9)) -> None:
    """Make a person a member who has accepted the terms."""
    EntrantMember.objects.create(
        entrant=entrant, competition=entrant.competition, user=user, joined_at=joined_at
    )
    TermsAcceptance.objects.get_or_create(
        terms=entrant.competition.terms.get(),
        user=user,
        defaults={"typed_name": user.name, "accepted_at": joined_at},
    )


class CompetitionFactory(DjangoModelFactory):
    class Meta:
        model = Competition

    slug = factory.Sequence(lambda n: f"challenge-{n}")
    state = CompetitionState.PUBLISHED
    terms_version = "1"
    definition = ""
    definition_sha256 = "0" * 64
    created_at = NOW
    loaded_at = NOW


class SubmissionFactory(DjangoModelFactory):
    """A received submission of the given entrant and phase; its bytes are not on disk."""

    class Meta:
        model = Submission

    number = factory.Sequence(lambda n: n + 1)
    system = "baseline"
    filename = "run.jsonl"
    size = 100
    content_id = factory.Sequence(lambda n: f"{n:064x}")
    storage_key = factory.LazyAttribute(
        lambda one: f"uploads/{one.content_id[:2]}/{one.content_id[2:4]}/{one.content_id}"
    )
    created_at = NOW
    received_at = NOW


def submit(arena: Arena, predictions: dict[str, str], **changes: Any) -> Submission:
    """Store predictions and hand them in, as an upload does."""
    given = {
        "actor": arena.captain,
        "phase": arena.phase,
        "system": "wav2nvv",
        "note": "",
        "filename": "run.jsonl",
        "stored": arena.store(predictions),
        "created_at": NOW,
        "now": NOW,
    }
    return intake.receive(**given | changes)


def quota_entry(submission: Submission, state: str = QuotaState.RESERVED) -> QuotaEntry:
    """Return the ledger line of a submission."""
    return QuotaEntry.objects.create(
        submission=submission,
        entrant=submission.entrant,
        phase=submission.phase,
        aoe_day=submission.created_at.date(),
        state=state,
        reserved_at=submission.received_at,
        settled_at=None if state == QuotaState.RESERVED else submission.received_at,
    )


def scored(
    arena: Arena,
    entrant: Entrant,
    uploader: User,
    score: float | None,
    *,
    half_width: float | None = 1.0,
    parts: tuple[float, float, float] = (0.5, 0.5, 0.5),
    at: datetime = NOW,
    with_tallies: bool = True,
    **submission_fields: Any,
) -> Evaluation:
    """Return a scored evaluation with the given numbers, alike in both languages.

    Its tallies are those of eight utterances and have nothing to do with the numbers.
    """
    submission = SubmissionFactory(
        entrant=entrant,
        phase=arena.phase,
        uploader=uploader,
        state=SubmissionState.ACCEPTED,
        validated_at=at,
        created_at=at,
        received_at=at,
        **submission_fields,
    )
    has_interval = score is not None and half_width is not None
    low, high = (score - half_width, score + half_width) if has_interval else (None, None)
    components = dict(zip(("f1", "mntd", "error_rate"), parts, strict=True))
    language = {
        "score": score,
        "interval": [low, high] if has_interval else None,
        "interval_reason": "" if has_interval else "ZERO_WIDTH",
        "utterances": 8,
        "tp": 3,
        **components,
    }
    evaluation = Evaluation.objects.create(
        submission=submission,
        recipe=recipes.live_recipe(arena.phase),
        state=EvaluationState.SCORED,
        queued_at=at,
        started_at=at,
        finished_at=at,
        attempt=1,
        score=score,
        withheld_reason="" if score is not None else "LANGUAGE_WITHOUT_UTTERANCES",
        low=low,
        high=high,
        interval_reason="" if has_interval else "ZERO_WIDTH",
        seed="1",
        components=components if score is not None else {},
        languages={"en": language, "zh": language},
    )
    if with_tallies:
        data = tallies(hits=submission.pk % 4).to_bytes()
        EvaluationTallies.objects.create(
            evaluation=evaluation, data=data, sha256=hashlib.sha256(data).hexdigest()
        )
    return evaluation


def tallies(*, hits: int) -> NvvTallies:
    """Return tallies of four utterances a language, of which `hits` found their one event."""
    return NvvTallies(
        tuple(
            UtteranceTally(
                utt_id=f"{language}_{number:04d}",
                language=language,
                tp=int(number < hits),
                fp=0,
                fn=int(number >= hits),
                ntd=Fraction(int(number >= hits)),
                edits=int(number >= hits),
                tokens=5,
                labels=(("laugh", Counts(int(number < hits), 0, int(number >= hits))),),
            )
            for language in ("en", "zh")
            for number in range(4)
        )
    )
