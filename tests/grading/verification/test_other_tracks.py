"""Verification and drawn clips of a track whose score is an error rate: the same code, the other direction."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from competition.enums import Pool
from competition.models import Phase, ReferenceUtterance, ReferenceVersion, Track
from competition.services.references import store_bytes
from grading.enums import Verdict
from grading.models import Evaluation, EvaluationTallies, Verification
from grading.scoring import evaluate, registry
from grading.services import board_pace, boards, drawn_phases, draws, recipes
from grading.services.draws import Plan
from grading.services.verification import beginning, comparing, receiving, scoring, sets
from grading.services.verification.beginning import Wish
from grading.storage import store_stream
from tests.factories.competition import RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory, make_arena

pytestmark = pytest.mark.django_db

PARAMS = {"languages": {"en": {"unit": "wer", "normalizer": "speko-1"}}}
WORDS = ["the", "cat", "sat", "on", "the", "warm", "stone", "wall", "while", "the", "rain", "fell"]


def texts(name: str, count: int) -> dict[str, str]:
    return {f"{name}_{n:02d}": " ".join([*WORDS, WORDS[n % 5], str(n)]) for n in range(count)}


def references_of(rows: dict[str, str]) -> bytes:
    lines = ({"utt_id": one, "language": "en", "text": text} for one, text in rows.items())
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def spoilt(rows: dict[str, str], wrong: int) -> dict[str, str]:
    """Hypotheses with so many words of each text replaced."""
    return {one: " ".join(["oops"] * wrong + text.split()[wrong:]) for one, text in rows.items()}


def recognition(arena: Arena, rows: dict[str, str], **fields: Any) -> Phase:
    """Add a phase of the track that is scored on these texts."""
    track = Track.objects.create(
        competition=arena.competition, slug="recognition", kind="asr-wer", params=PARAMS
    )
    data = references_of(rows)
    key, sha256 = store_bytes(data)
    version = ReferenceVersion.objects.create(
        track=track, name="open", version=1, sha256=sha256, storage_key=key, size=len(data),
        counts={"en": len(rows)}, loaded_at=NOW,
    )  # fmt: skip
    ReferenceUtterance.objects.bulk_create(
        ReferenceUtterance(references=version, utt_id=one, language="en") for one in rows
    )
    given = {"opens_at": NOW - timedelta(days=1), "closes_at": NOW + timedelta(days=9), **fields}
    made: Phase = Phase.objects.create(
        track=track, slug="open", references=version, texts={"en": {"title": "Open"}}, **given
    )
    return made


def score(arena: Arena, phase: Phase, rows: dict[str, str]) -> None:
    """Give the entrant a score on the board, one word of each text wrong."""
    recipe = recipes.ensure_live(phase=phase, now=NOW)
    scorer = registry.get("asr-wer")
    params = scorer.params(PARAMS)
    made = evaluate.evaluate(
        track=scorer, params=params, references=scorer.references(references_of(rows), params),
        given=spoilt(rows, 1), phase_code=phase.code,
    )  # fmt: skip
    submission = SubmissionFactory(
        entrant=arena.entrant, phase=phase, uploader=arena.captain, state="accepted",
        validated_at=NOW, created_at=NOW, received_at=NOW,
    )  # fmt: skip
    low, high = made.interval or (None, None)
    evaluation = Evaluation.objects.create(
        submission=submission, recipe=recipe, state="scored", queued_at=NOW, finished_at=NOW,
        score=made.score, low=low, high=high, seed=str(made.seed),
        components=dict(made.components), languages=dict(made.languages),
    )  # fmt: skip
    stored = made.tallies.to_bytes()
    EvaluationTallies.objects.create(
        evaluation=evaluation, data=stored, sha256=hashlib.sha256(stored).hexdigest()
    )
    boards.want_rebuild(phase_id=phase.pk, now=NOW)
    board_pace.keep_up(board_id=phase.board.pk, now=NOW)


def verify(arena: Arena, phase: Phase, kept: dict[str, str]) -> Verification:
    """Begin a verification of the entrant on these texts."""
    held = DatasetVersionFactory(dataset__competition=arena.competition)
    for one in kept:
        DatasetClipFactory(version=held, utt_id=one, language="en", audio__pool=Pool.HELD_OUT)
    data = references_of(kept)
    held_out = sets.make(
        actor=None, track=phase.track, version=held, title="Eight", data=data, now=NOW
    )
    wish = Wish((arena.entrant,))
    return beginning.begin(actor=None, phase=phase, held_out=held_out, wish=wish, now=NOW)


def test_a_higher_error_rate_on_held_out_clips_is_lower_than_expected() -> None:
    arena = make_arena()
    public, kept = texts("pub", 12), texts("kept", 8)
    phase = recognition(arena, public)
    score(arena, phase, public)
    found = verify(arena, phase, kept)
    rows = ({"utt_id": one, "text": text} for one, text in spoilt(kept, 5).items())
    output = "".join(json.dumps(row) + "\n" for row in rows).encode()
    run = receiving.receive(
        actor=None, named=found.entrants.get(), filename="out.jsonl",
        stored=store_stream([output], limit=1 << 20), now=NOW,
    )  # fmt: skip
    scored = scoring.run(run_id=run.pk, worker="w", clock=lambda: NOW)
    assert scored is not None
    assert scored.state == "scored", scored.problems
    (line,) = comparing.compare(found)
    assert line.verdict == Verdict.LOWER
    assert line.difference.score is not None
    assert line.difference.score > 0
    client = Client()
    client.force_login(RoleGrantFactory(competition=arena.competition).user)
    page = client.get(reverse("grading:verification", args=[arena.competition.slug, found.code]))
    assert "lower than expected" in page.content.decode()


def test_drawn_rows_of_other_references_are_kept_as_they_are() -> None:
    rows = texts("pool", 4)
    data = references_of(rows)
    kept = drawn_phases.restricted(data, {"pool_01", "pool_03"})
    assert kept.splitlines() == [data.splitlines()[1], data.splitlines()[3]]
    assert drawn_phases.restricted(b"\xef\xbb\xbf" + data, {"pool_00"}) == data.splitlines(True)[0]


def test_a_phase_of_that_track_takes_a_draw() -> None:
    arena, rows = make_arena(), texts("pool", 6)
    opens_at, closes_at = NOW + timedelta(hours=1), NOW + timedelta(days=2)
    phase = recognition(arena, rows, opens_at=opens_at, closes_at=closes_at, clips="drawn")
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    for one in rows:
        DatasetClipFactory(version=version, utt_id=one)
    plan = Plan(n=3, opens_at=opens_at, closes_at=closes_at, phase=phase)
    window = draws.commit(actor=None, version=version, plan=plan, now=NOW)
    found = draws.draw(window=window, now=opens_at)
    phase.refresh_from_db()
    assert phase.references.utterances.count() == found.clips.count() == 3
