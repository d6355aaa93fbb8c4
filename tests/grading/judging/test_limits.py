"""Limits of an endpoint hold for all workers together; slots of the dead lapse; rows hold what must hold."""

from __future__ import annotations

import threading
from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import DatabaseError, connections, transaction
from django.utils import timezone

from grading.enums import AttemptState, JudgeRunState, JudgeStop
from grading.models import JudgeAnswer, JudgeAttempt, JudgeRating, JudgeRun
from grading.services import judging, judging_claims, judging_gate
from tests.factories.judging import clip, judged_arena, waiting
from tests.grading.judging.test_run import judge, marks_of

RATE = 1_200
SLOT_SECONDS = 60 / RATE


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_workers_share_rate_and_concurrency(standin):
    limits = {"calls_per_minute": RATE, "concurrency": 2}
    arena = judged_arena(limits=limits)
    other = {utt_id: clip(number + 7) for number, utt_id in enumerate(arena.rows)}
    evaluations = [waiting(arena), waiting(arena, other)]
    began = threading.Barrier(2)

    def work(evaluation) -> None:
        began.wait()
        judging.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)
        connections.close_all()

    threads = [threading.Thread(target=work, args=(one,)) for one in evaluations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {JudgeRunState.DONE}
    rows = list(JudgeAttempt.objects.order_by("started_at").values_list("started_at", "ended_at"))
    assert len(rows) == 16
    gaps = [(after[0] - before[0]).total_seconds() for before, after in pairwise(rows)]
    assert min(gaps) >= SLOT_SECONDS - 0.001
    moments = sorted([(start, 1) for start, _ in rows] + [(end, -1) for _, end in rows])
    most = now = 0
    for _, step in moments:
        now += step
        most = max(most, now)
    assert most <= 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_runs_that_want_the_same_clip_at_once_ask_once(standin, behaviour):
    arena = judged_arena()
    evaluations = [waiting(arena), waiting(arena)]
    began = threading.Barrier(2)

    def work(evaluation) -> None:
        began.wait()
        judging.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)
        connections.close_all()

    threads = [threading.Thread(target=work, args=(one,)) for one in evaluations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {JudgeRunState.DONE}
    assert sum(behaviour.asked.values()) == JudgeAnswer.objects.count() == 8
    assert marks_of(evaluations[0]) == marks_of(evaluations[1])


def in_flight(run: JudgeRun, key: str = "k", **changes) -> JudgeAttempt:
    now = timezone.now()
    fields = {"claim": 1, "kind": "clip", "round": 0, "endpoint": "e", "audio_ms": 1}
    fields |= {"started_at": now, "expires_at": now + timedelta(minutes=1)}
    return JudgeAttempt.objects.create(run=run, key=key, **fields | changes)


@pytest.mark.django_db
def test_slots_of_the_dead_lapse(standin):
    evaluation = waiting(judged_arena(limits={"calls_per_minute": 60_000, "concurrency": 1}))
    dead = JudgeRun.objects.create(
        evaluation=waiting(judged_arena()), definition_digest="0" * 64, created_at=timezone.now()
    )
    past = timezone.now() - timedelta(seconds=1)
    in_flight(dead, endpoint=standin.base_url, expires_at=past)
    assert judge(evaluation).state == JudgeRunState.DONE


@pytest.mark.django_db
def test_a_silent_workers_run_is_queued_again_and_its_calls_are_lost():
    evaluation = waiting(judged_arena())
    run = judging_claims.claim(evaluation_id=evaluation.pk, worker="w", now=timezone.now())
    attempt = in_flight(run)
    assert judging_claims.settle(now=timezone.now()) == 0
    assert judging_claims.settle(now=timezone.now() + timedelta(minutes=1)) == 1
    run.refresh_from_db()
    attempt.refresh_from_db()
    assert (run.state, attempt.state) == (JudgeRunState.QUEUED, AttemptState.LOST)


@pytest.mark.django_db
def test_a_run_is_claimed_once():
    evaluation = waiting(judged_arena())
    claims = [
        judging_claims.claim(evaluation_id=evaluation.pk, worker=name, now=timezone.now())
        for name in "ab"
    ]
    assert claims[0] is not None
    assert claims[1] is None


@pytest.mark.django_db
def test_a_longer_pause_stands():
    now = timezone.now()
    gate = judging_gate.locked("e", now)
    judging_gate.pause(endpoint="e", until=now + timedelta(seconds=9))
    judging_gate.pause(endpoint="e", until=now + timedelta(seconds=3))
    gate.refresh_from_db()
    assert (gate.paused_until - now).total_seconds() == 9


def refused(act) -> bool:
    try:
        with transaction.atomic():
            act()
    except DatabaseError:
        return True
    return False


@pytest.mark.django_db
def test_the_database_refuses_what_must_not_be(standin):
    evaluation = waiting(judged_arena())
    run = judge(evaluation)
    runs, answer = JudgeRun.objects.filter(pk=run.pk), JudgeAnswer.objects.first()
    assert refused(lambda: runs.update(state=JudgeRunState.STOPPED))
    assert refused(lambda: runs.update(stop_reason=JudgeStop.REFUSED))
    assert refused(lambda: runs.update(done=7))
    assert refused(lambda: runs.update(done=9))
    assert refused(lambda: runs.update(state=JudgeRunState.RUNNING, ended_at=None))
    assert refused(lambda: runs.update(evaluation=waiting(judged_arena())))
    assert refused(lambda: JudgeAnswer.objects.filter(pk=answer.pk).update(mark_a=4))
    assert refused(lambda: JudgeAnswer.objects.filter(pk=answer.pk).delete())
    assert refused(lambda: JudgeRating.objects.filter(run=run).delete())
    fields = {f.attname: getattr(answer, f.attname) for f in JudgeAnswer._meta.concrete_fields}
    del fields["id"]
    for wrong in ({"mark_n": 0.5}, {"mark_a": -1}, {"mark_q": 6}, {"mark_e": float("nan")}):
        bad = fields | {"cache_key": "x"} | wrong
        assert refused(lambda bad=bad: JudgeAnswer.objects.create(**bad))
    assert refused(lambda: JudgeAnswer.objects.create(**fields))
    in_flight(run)
    assert refused(lambda: in_flight(run))
    assert refused(lambda: JudgeAttempt.objects.filter(key="k").update(state=AttemptState.FAILED))
    assert refused(lambda: in_flight(run, key="c", kind="canary"))
