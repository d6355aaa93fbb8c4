"""What a lost message or a dead worker leaves behind is put right."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db.models import F

from competition.enums import CompetitionState
from competition.models import DeadlineChange, EntrantChange, Phase
from grading import storage
from grading.enums import EvaluationState, SubmissionState
from grading.models import Board, Evaluation, IdempotencyKey, PhaseRecipe, Submission
from grading.services import doorbell, sweep
from tests.factories.grading import NOW, SubmissionFactory, quota_entry, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _not_tidied() -> None:
    cache.delete("grading.tidied")


@pytest.fixture
def rung(monkeypatch) -> list[tuple[str, int]]:
    bells: list[tuple[str, int]] = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row: bells.append((name, row)))
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act: act())
    return bells


def received(arena, **fields) -> Submission:
    submission = SubmissionFactory(
        entrant=arena.entrant, phase=arena.phase, uploader=arena.captain, **fields
    )
    quota_entry(submission)
    return submission


def queued(arena, **fields) -> Evaluation:
    evaluation = scored(arena, arena.entrant, arena.captain, None)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        **{"state": "queued", "finished_at": None} | fields
    )
    return evaluation


def test_a_quiet_server_has_nothing_to_sweep(arena, rung):
    swept = sweep.sweep(now=NOW)
    assert set(swept.as_json().values()) == {0}
    assert rung == []


def test_what_was_never_rung_or_rung_long_ago_is_rung_once(arena, rung):
    never = received(arena, rung_at=None)
    received(arena, rung_at=NOW - timedelta(seconds=29))
    lost = queued(arena, rung_at=NOW - timedelta(seconds=31))
    assert sweep.sweep(now=NOW).rung == 2
    assert rung == [(doorbell.VALIDATE, never.pk), (doorbell.EVALUATE, lost.pk)]
    assert sweep.sweep(now=NOW).rung == 0


def test_a_long_queue_is_not_rung_for_as_a_whole(arena, rung):
    for _ in range(sweep.AT_ONCE + 5):
        received(arena)
    assert sweep.sweep(now=NOW).rung == sweep.AT_ONCE


def test_lapsed_leases_are_released_and_rung_for(arena, rung):
    waiting = received(arena, lease_until=NOW - timedelta(seconds=1), attempt=1)
    received(arena, lease_until=NOW + timedelta(seconds=1), attempt=1)
    running = queued(arena, state="running", lease_until=NOW - timedelta(seconds=1), attempt=1)
    assert sweep.sweep(now=NOW).lapsed == 2
    waiting.refresh_from_db()
    running.refresh_from_db()
    assert (waiting.state, waiting.lease_until) == (SubmissionState.RECEIVED, None)
    assert running.state == EvaluationState.QUEUED
    assert (doorbell.VALIDATE, waiting.pk) in rung
    assert (doorbell.EVALUATE, running.pk) in rung


def test_a_board_that_is_behind_is_rung_for(arena, rung):
    board = Board.objects.get(phase=arena.phase)
    Board.objects.filter(pk=board.pk).update(wanted=1, rung_at=NOW - timedelta(minutes=1))
    assert sweep.sweep(now=NOW).boards == 1
    assert rung == [(doorbell.REBUILD, board.pk)]


@pytest.mark.parametrize("field", ["closes_at", "frozen_from"])
def test_a_board_is_rebuilt_when_a_date_has_passed_since_it_was_built(arena, rung, field):
    board = Board.objects.get(phase=arena.phase)
    Board.objects.filter(pk=board.pk).update(built_at=NOW)
    Phase.objects.filter(pk=arena.phase.pk).update(**{field: NOW + timedelta(minutes=5)})
    sweep.sweep(now=NOW + timedelta(minutes=4))
    board.refresh_from_db()
    assert (board.wanted, rung) == (0, [])
    sweep.sweep(now=NOW + timedelta(minutes=5))
    sweep.sweep(now=NOW + timedelta(minutes=5))
    board.refresh_from_db()
    assert board.wanted == 1
    assert rung == [(doorbell.REBUILD, board.pk)]


def test_a_board_is_rebuilt_when_an_entrant_or_a_date_was_changed(arena, rung):
    board = Board.objects.get(phase=arena.phase)
    change = {"old": "official", "new": "unofficial", "at": NOW}
    EntrantChange.objects.create(entrant=arena.entrant, field="kind", **change)
    DeadlineChange.objects.create(
        phase=arena.phase, field="closes_at", reason="storm", at=NOW + timedelta(minutes=2)
    )
    for minute, wanted in ((-1, 1), (1, 2), (3, 2)):
        built_at = NOW + timedelta(minutes=minute)
        Board.objects.filter(pk=board.pk).update(built_at=built_at, built=F("wanted"))
        sweep.sweep(now=NOW + timedelta(minutes=4))
        board.refresh_from_db()
        assert board.wanted == wanted


@pytest.mark.parametrize(
    ("state", "made"), [(CompetitionState.PUBLISHED, 1), (CompetitionState.DRAFT, 0)]
)
def test_a_phase_gets_its_recipe_and_board_before_the_first_upload(arena, rung, state, made):
    Board.objects.all().delete()
    PhaseRecipe.objects.all().delete()
    arena.competition.state = state
    arena.competition.save()
    assert sweep.sweep(now=NOW).recipes == made
    assert Board.objects.filter(phase=arena.phase).count() == made


def test_expired_keys_are_forgotten(arena, rung):
    IdempotencyKey.objects.create(
        user=arena.captain, endpoint="e", key="k", created_at=NOW - timedelta(hours=24)
    )
    assert sweep.sweep(now=NOW).keys == 1


def stored(arena, text: str, *, hours: float, **fields) -> str:
    upload = storage.store_stream([text.encode()], limit=100)
    moment = (NOW - timedelta(hours=hours)).timestamp()
    os.utime(storage.path_of(upload.key), (moment, moment))
    if fields:
        received(arena, storage_key=upload.key, content_id=upload.sha256, **fields)
    return upload.key


def test_files_without_a_row_go_after_an_hour_and_only_they(arena, rung):
    orphan = stored(arena, "orphan", hours=2)
    fresh = stored(arena, "fresh", hours=0.5)
    kept = stored(arena, "kept", hours=2, state="accepted", validated_at=NOW)
    assert sweep.sweep(now=NOW).files == 1
    assert [storage.is_stored(key) for key in (orphan, fresh, kept)] == [False, True, True]


def test_bytes_of_rejected_uploads_go_after_seven_days_and_the_verdict_stays(arena, rung):
    gone = {"state": "rejected", "validated_at": NOW, "ended_at": NOW - timedelta(days=8)}
    recent = {**gone, "ended_at": NOW - timedelta(days=6)}
    old = stored(arena, "old", hours=200, **gone)
    young = stored(arena, "young", hours=150, **recent)
    shared = stored(arena, "shared", hours=200, **gone)
    received(arena, storage_key=shared, state="accepted", validated_at=NOW)
    assert sweep.sweep(now=NOW).files == 1
    assert [storage.is_stored(key) for key in (old, young, shared)] == [False, True, True]
    assert Submission.objects.filter(state="rejected", storage_key="").count() == 2


def test_tidying_is_done_once_an_hour(arena, rung):
    sweep.sweep(now=NOW)
    stored(arena, "orphan", hours=2)
    assert sweep.sweep(now=NOW).files == 0
    assert sweep.tidy(now=NOW) == 1
