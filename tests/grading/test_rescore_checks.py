"""A score computed again on appeal: every digit compared, both kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from accounts.services import audit
from competition.services import references
from competition.services.errors import NotOrganizer, ReasonMissing
from grading.enums import CheckState, EvaluationState
from grading.models import Evaluation, EvaluationTallies, RescoreCheck
from grading.services import doorbell, errors, evaluations, rescore_checks, validation
from tests.factories.grading import NOW, submit
from tests.factories.rescoring import organizer

pytestmark = pytest.mark.django_db


def clock():
    return NOW


@pytest.fixture
def submission(arena, monkeypatch):
    """A submission that really went through the scorer."""
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    made = submit(arena, arena.flawed(1))
    validation.validate(submission_id=made.pk, clock=clock)
    evaluations.run(evaluation_id=evaluations.live_of(made).pk, worker="w", clock=clock)
    made.refresh_from_db()
    return made


def ask(submission, **changes) -> RescoreCheck:
    given = {"actor": None, "submission": submission, "reason": "The team asks.", "now": NOW}
    return rescore_checks.request(**given | changes)


def run(check: RescoreCheck) -> RescoreCheck | None:
    return rescore_checks.run(check_id=check.pk, worker="w", clock=clock)


def test_the_same_file_under_the_same_recipe_gives_the_same_digits(arena, submission):
    before = Evaluation.objects.values().get()
    actor = organizer(arena)
    check = ask(submission, actor=actor)
    found = run(check)
    assert (found.state, found.differences, found.attempt) == (CheckState.SAME, [], 1)
    assert found.found["score"] == before["score"]
    assert found.found["languages"] == before["languages"]
    assert found.found["tallies_sha256"] == EvaluationTallies.objects.get().sha256
    assert Evaluation.objects.values().get() == before
    assert run(check) is None
    kinds = AuditEvent.objects.filter(kind__startswith="check.").order_by("number")
    assert [(event.kind, event.actor) for event in kinds] == [
        ("check.requested", actor.code),
        ("check.finished", ""),
    ]
    assert audit.verify().ok


def test_a_score_that_does_not_come_out_again_is_shown_beside_what_does(submission):
    evaluation = Evaluation.objects.get()
    Evaluation.objects.filter(pk=evaluation.pk).update(score=evaluation.score + 1e-9)
    found = run(ask(submission))
    assert (found.state, found.differences) == (CheckState.DIFFERS, ["score"])
    assert found.found["score"] == evaluation.score
    assert Evaluation.objects.get().score == evaluation.score + 1e-9, "what stands is kept"


def test_a_score_is_asked_for_once_at_a_time(submission):
    first = ask(submission)
    with pytest.raises(errors.CheckUnderWay):
        ask(submission)
    run(first)
    run(ask(submission))
    assert list(RescoreCheck.objects.values_list("state", flat=True)) == ["same", "same"]


def test_what_cannot_be_asked_for_changes_nothing(arena, submission):
    with pytest.raises(NotOrganizer):
        ask(submission, actor=arena.captain)
    with pytest.raises(ReasonMissing):
        ask(submission, reason="")
    waiting = submit(arena, arena.perfect())
    with pytest.raises(errors.NotScored):
        ask(waiting)
    assert not RescoreCheck.objects.exists()


@pytest.mark.slow
def test_references_that_are_gone_are_told_after_three_tries(submission):
    check = ask(submission)
    references.path_of(submission.phase.references).unlink()
    for _ in range(2):
        assert run(check).state == CheckState.QUEUED
    found = run(check)
    assert (found.state, found.failure_code) == (CheckState.FAILED, "STORAGE_ERROR")
    assert Evaluation.objects.get().state == EvaluationState.SCORED


def test_a_lapsed_check_is_given_back_and_a_late_answer_dropped(submission):
    check = ask(submission)
    claimed = rescore_checks._claim(check.pk, "w", NOW)
    later = NOW + timedelta(minutes=5)
    assert rescore_checks.settle(now=later) == 1
    check.refresh_from_db()
    assert (check.state, check.lease_until) == (CheckState.QUEUED, None)
    with pytest.raises(rescore_checks.ClaimLost):
        rescore_checks._move(claimed, None, state=CheckState.SAME, finished_at=later)
    assert run(check).state == CheckState.SAME


def test_a_worker_that_renewed_in_this_very_moment_keeps_its_claim(submission, monkeypatch):
    check = ask(submission)
    claimed = rescore_checks._claim(check.pk, "w", NOW)
    later = NOW + timedelta(minutes=5)
    give_up = rescore_checks._give_up

    def renewed_first(*args, **kwargs):
        rescore_checks._mine(claimed).update(lease_until=later + timedelta(seconds=30))
        give_up(*args, **kwargs)

    monkeypatch.setattr(rescore_checks, "_give_up", renewed_first)
    rescore_checks.settle(now=later)
    check.refresh_from_db()
    assert (check.state, check.attempt) == (CheckState.RUNNING, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "same"},
        {"state": "running"},
        {"state": "odd"},
        {"lease_until": NOW},
        {"finished_at": NOW},
        {"reason": "other"},
    ],
)
def test_the_database_refuses_checks_that_contradict_themselves(submission, fields):
    check = ask(submission)
    with pytest.raises(IntegrityError), transaction.atomic():
        RescoreCheck.objects.filter(pk=check.pk).update(**fields)
