"""With a bucket the references lie in it, and a machine that has none of them scores all the same."""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path

import pytest

from competition import bucket as buckets
from competition.services import references
from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading.enums import EvaluationState, FailureCode, QuotaState, SubmissionState
from grading.models import Evaluation, PhaseRecipe
from grading.services import evaluations, sweep, validation
from tests.factories.grading import NOW, make_arena, submit

LATER = NOW + timedelta(minutes=1)
FAULT = {"status": 500, "code": "InternalError", "match": "references/"}


def clock():
    return LATER


def ask_for_another_recipe(arena):
    """Change the definition, so that the references are read for a recipe that there is not yet."""
    arena.track.params = {**arena.track.params, "collars": {"en": 1, "zh": 5}}
    arena.track.save()


@pytest.fixture
def arena(db, bucket):
    return make_arena()


@pytest.fixture
def other_machine(settings, tmp_path: Path):
    """Return a function after which this process is on a machine without a single file."""

    def move() -> Path:
        settings.PUBLIC_FILES = tmp_path / "other-files"
        settings.HIDDEN_FILES = tmp_path / "other-hidden"
        return Path(settings.HIDDEN_FILES)

    return move


def test_a_machine_without_files_validates_and_scores(arena, other_machine):
    submission = submit(arena, arena.perfect())
    hidden = other_machine()
    validation.validate(submission_id=submission.pk, clock=clock)
    evaluation = evaluations.run(
        evaluation_id=Evaluation.objects.get().pk, worker="elsewhere", clock=clock
    )
    assert (evaluation.state, evaluation.score, evaluation.worker) == ("scored", 100, "elsewhere")
    kept = hidden / arena.phase.references.storage_key
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o700


def test_what_was_fetched_is_kept_and_what_was_spoilt_is_fetched_anew(arena, bucket, other_machine):
    other_machine()
    version = arena.phase.references
    data = references.read_bytes(version)
    bucket.fault(**FAULT)
    assert references.read_bytes(version) == data
    bucket.fault()
    references.path_of(version).write_bytes(b"spoilt")
    assert references.read_bytes(version) == data


def test_a_bucket_that_does_not_answer_costs_no_attempt(arena, bucket, other_machine):
    submission = submit(arena, arena.perfect())
    validation.validate(submission_id=submission.pk, clock=clock)
    evaluation = Evaluation.objects.get()
    other_machine()
    bucket.fault(**FAULT)
    for _ in range(4):
        evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=clock)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.QUEUED, 0)
    bucket.fault()
    assert evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=clock).score == 100


def test_a_first_upload_waits_for_a_bucket_that_does_not_answer(arena, bucket, other_machine):
    ask_for_another_recipe(arena)
    submission = submit(arena, arena.perfect())
    other_machine()
    bucket.fault(**FAULT)
    for _ in range(4):
        validation.validate(submission_id=submission.pk, clock=clock)
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == (SubmissionState.RECEIVED, 0)
    bucket.fault()
    assert validation.validate(submission_id=submission.pk, clock=clock).state == "accepted"


def test_references_that_a_bucket_has_lost_end_with_a_reason(arena, other_machine):
    submission = submit(arena, arena.perfect())
    validation.validate(submission_id=submission.pk, clock=clock)
    other_machine()
    buckets.remove(arena.phase.references.storage_key)
    for _ in range(3):
        evaluations.run(evaluation_id=Evaluation.objects.get().pk, worker="w", clock=clock)
    submission.refresh_from_db()
    assert (submission.state, submission.failure_code) == ("failed", FailureCode.STORAGE_ERROR)
    assert submission.quota.state == QuotaState.RELEASED


def test_lost_and_unreachable_are_told_apart(arena, bucket, other_machine):
    other_machine()
    bucket.fault(**FAULT)
    with pytest.raises(ReferencesUnreachable):
        references.read_bytes(arena.phase.references)
    bucket.fault()
    buckets.remove(arena.phase.references.storage_key)
    with pytest.raises(ReferencesMissing) as raised:
        references.read_bytes(arena.phase.references)
    assert raised.value.code == "REFERENCES_MISSING"


def test_storing_again_puts_into_the_bucket_what_lay_on_disk_alone(arena):
    version = arena.phase.references
    data = references.read_bytes(version)
    buckets.remove(version.storage_key)
    assert references.store_bytes(data) == (version.storage_key, version.sha256)
    assert b"".join(buckets.fetch(version.storage_key)) == data


def test_one_phase_without_references_does_not_stop_the_sweep(arena, other_machine):
    submission = submit(arena, arena.perfect())
    ask_for_another_recipe(arena)
    PhaseRecipe.objects.all().delete()
    buckets.remove(arena.phase.references.storage_key)
    other_machine()
    swept = sweep.sweep(now=LATER)
    assert (swept.recipes, swept.rung) == (0, 1)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.RECEIVED
