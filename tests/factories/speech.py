"""A phase that takes waveforms, with archives to hand in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from competition.models import Phase, Terms, Track
from grading.models import Submission
from grading.services import intake, recipes, validation
from grading.storage import store_stream
from tests.factories.grading import NOW, Arena, CompetitionFactory, enter, references
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.sounds import zipped

IDS: list[str] = json.loads((CASES / "ref/track2_ids.json").read_text("utf-8"))
TEXTS = {"en": "[laugh] You should have seen it.", "zh": "[cough]下周一就好了"}


def make_speech_arena(
    ids: Iterable[str] = IDS,
    *,
    now: datetime = NOW,
    params: dict[str, Any] | None = None,
    texts: dict[str, str] | None = None,
    **fields: Any,
) -> Arena:
    """Return a published competition with one open phase for clips; languages take turns."""
    rows = {
        utt_id: (language, (texts or {}).get(utt_id, TEXTS[language]))
        for number, utt_id in enumerate(ids)
        for language in (("en", "zh")[number % 2],)
    }
    competition = CompetitionFactory(created_at=now, loaded_at=now)
    Terms.objects.create(
        competition=competition, version="1", texts={"en": "x"}, sha256="0" * 64, created_at=now
    )
    track = Track.objects.create(
        competition=competition, slug="generation", kind="nvv-t2", params=params or {}
    )
    defaults = {
        "opens_at": now - timedelta(days=10),
        "closes_at": now + timedelta(days=10),
        "quota_per_day": 200,
        "quota_total": 200,
    }
    phase = Phase.objects.create(
        track=track, slug="final", references=references(track, rows, now), **defaults | fields
    )
    recipes.ensure_live(phase=phase, now=now)
    entrant, captain = enter(competition)
    return Arena(competition, track, phase, entrant, captain, rows)


def hand_in(arena: Arena, data: bytes | dict[str, bytes], **changes: Any) -> Submission:
    """Store an archive (files are packed into a zip) and hand it in, as an upload does."""
    content = data if isinstance(data, bytes) else zipped(data)
    given = {
        "actor": arena.captain,
        "phase": arena.phase,
        "system": "wav-maker",
        "note": "",
        "filename": "clips.zip",
        "stored": store_stream([content], limit=1 << 31),
        "created_at": NOW,
        "now": NOW,
    }
    return intake.receive(**given | changes)


def validated(arena: Arena, data: bytes | dict[str, bytes], **changes: Any) -> Submission:
    """Hand in an archive and validate it, as a worker does."""
    submission = hand_in(arena, data, **changes)
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    submission.refresh_from_db()
    return submission
