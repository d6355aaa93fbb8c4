"""Real threads on a real PostgreSQL: a publication, outputs and draws at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.models import AuditEvent
from accounts.refusals import Refusal
from competition.models import PhaseDraw, ReferenceVersion
from grading.enums import VerificationState
from grading.models import VerificationOutcome, VerificationPublication, VerificationRun
from grading.services import doorbell, draws
from grading.services.verification import comparing, publishing, scoring
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import NOW, make_arena
from tests.factories.verification import Stage, make_stage
from tests.grading.test_drawn_phases import OPENS, committed

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 8


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_stage(clips=2)


def together(acts: list[Callable[[], object]]) -> list[object]:
    """Do all of it at the same moment; return what each returned or was refused."""
    barrier = threading.Barrier(len(acts))

    def one(act: Callable[[], object]) -> object:
        try:
            barrier.wait(timeout=20)
            return act()
        except Refusal as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def test_eight_publications_are_one(stage: Stage) -> None:
    found = stage.begin()
    seen = comparing.digest(stage.verified(found, (0, 1, 2)))
    made = together(
        [lambda: publishing.publish(actor=None, verification=found, seen=seen, now=NOW)] * CROWD
    )
    assert {one.pk for one in made} == {VerificationPublication.objects.get().pk}  # type: ignore[attr-defined]
    assert VerificationOutcome.objects.count() == 3
    assert AuditEvent.objects.filter(kind="verification.published").count() == 1


def test_an_output_and_a_publication_at_once_never_both_pass(stage: Stage) -> None:
    """Either the output came first and the publication waits for it, or it comes too late."""
    for place in range(3):
        found = stage.begin()
        seen = comparing.digest(stage.verified(found, (0, 1, 2)))
        data = stage.output(2 - place) + b"\n"
        ends = together(
            [
                lambda found=found, seen=seen: publishing.publish(  # type: ignore[misc]
                    actor=None, verification=found, seen=seen, now=NOW
                ),
                lambda found=found, data=data: stage.send(found, 0, data),  # type: ignore[misc]
            ]
        )
        published = isinstance(ends[0], VerificationPublication)
        sent = isinstance(ends[1], VerificationRun)
        assert published != sent, ends


def test_eight_workers_claim_one_output_once_and_eight_uploads_are_one(stage: Stage) -> None:
    found = stage.begin()
    data = stage.output(1)
    sent = together([lambda: stage.send(found, 0, data)] * CROWD)
    run = VerificationRun.objects.get()
    assert {one.pk for one in sent} == {run.pk}  # type: ignore[attr-defined]
    claims = together([lambda: scoring.claim(run_id=run.pk, worker="w", now=NOW)] * CROWD)
    assert sum(one is not None for one in claims) == 1
    run.refresh_from_db()
    assert (run.state, run.attempt) == (VerificationState.RUNNING, 1)


def test_eight_draws_give_a_phase_its_clips_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    arena = make_arena(utterances=4, opens_at=OPENS)
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    for utt_id, (language, _) in arena.rows.items():
        DatasetClipFactory(version=version, utt_id=utt_id, language=language)
    window = committed(version, arena.phase, n=4)
    together([lambda: draws.draw(window=window, now=OPENS)] * CROWD)
    taken = PhaseDraw.objects.get()
    arena.phase.refresh_from_db()
    assert arena.phase.references_id == taken.references_id
    assert ReferenceVersion.objects.filter(track=arena.track).count() == 2
