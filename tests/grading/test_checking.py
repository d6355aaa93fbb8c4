""" "Check only": the verdict, no row, no quota, not without end."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache

from grading.enums import FailureCode
from grading.models import QuotaEntry, Submission
from grading.scoring.types import Severity
from grading.services import checking, child, errors
from grading.services.child import ChildFailed
from tests.factories.grading import NOW, Arena, jsonl

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_counter(monkeypatch) -> None:
    monkeypatch.setattr(checking, "cache", LocMemCache(uuid4().hex, {}))


def check(arena: Arena, tmp_path, predictions):
    path = tmp_path / "run.jsonl"
    path.write_bytes(jsonl(predictions))
    return checking.check_only(
        actor=arena.captain, phase=arena.phase, path=path, filename="run.jsonl", now=NOW
    )


def test_a_good_file_would_be_accepted_and_leaves_no_trace(arena, tmp_path):
    report = check(arena, tmp_path, arena.perfect())
    assert (report.accepted, report.rows, report.problems) == (True, 16, ())
    assert (Submission.objects.count(), QuotaEntry.objects.count()) == (0, 0)


def test_a_bad_file_gets_every_problem(arena, tmp_path):
    faulty = dict.fromkeys(arena.perfect(), "[giggle] x")
    report = check(arena, tmp_path, faulty)
    assert (report.accepted, report.errors) == (False, 16)
    assert {problem.severity for problem in report.problems} == {Severity.ERROR}
    assert [problem.line for problem in report.problems] == list(range(1, 17))


def test_checks_are_counted_per_person(arena, tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "CHECKS", 2)
    for _ in range(2):
        checking.throttle(arena.captain, NOW)
    with pytest.raises(errors.ChecksThrottled) as refusal:
        check(arena, tmp_path, arena.perfect())
    assert refusal.value.params == {"limit": 2, "retry_after": 600}
    checking.throttle(arena.enter()[1], NOW)


def test_a_check_that_runs_into_its_limits_says_so(arena, tmp_path, monkeypatch):
    def run(*args, **kwargs):
        raise ChildFailed(FailureCode.SCORER_MEMORY, may_retry=False)

    monkeypatch.setattr(child, "run", run)
    with pytest.raises(errors.ScorerFailed) as refusal:
        check(arena, tmp_path, arena.perfect())
    assert refusal.value.params == {"reason": "SCORER_MEMORY"}


def test_a_crowd_of_checks_waits_for_a_place_and_is_then_told(arena, tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0.01)
    with checking._place(), checking._place(), pytest.raises(errors.ScorerBusy):
        check(arena, tmp_path, arena.perfect())
    assert check(arena, tmp_path, arena.perfect()).accepted
