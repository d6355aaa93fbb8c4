"""Cancelling, and the choice of the submission that counts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import AuditEvent
from competition.enums import Selection
from competition.models import Entrant
from grading.enums import EvaluationState, QuotaState, SubmissionState
from grading.models import Board, Evaluation, Submission
from grading.ordering import final_key
from grading.services import cancelling, errors, selection
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, SubmissionFactory, quota_entry, scored

pytestmark = pytest.mark.django_db


def received(arena, **fields) -> Submission:
    submission = SubmissionFactory(
        entrant=arena.entrant, phase=arena.phase, uploader=arena.captain, **fields
    )
    quota_entry(submission)
    return submission


def test_cancelling_gives_the_slot_back(arena):
    submission = cancelling.cancel(actor=arena.captain, submission=received(arena), now=NOW)
    assert (submission.state, submission.ended_at) == (SubmissionState.CANCELLED, NOW)
    assert (submission.quota.state, submission.quota.reason) == (QuotaState.RELEASED, "cancelled")
    assert AuditEvent.objects.filter(kind="submission.cancelled").count() == 1


def test_cancelling_a_submission_under_validation_takes_the_claim_away(arena):
    submission = received(arena, lease_until=NOW, attempt=1)
    cancelled = cancelling.cancel(actor=arena.captain, submission=submission, now=NOW)
    assert (cancelled.state, cancelled.lease_until) == (SubmissionState.CANCELLED, None)


def test_a_queued_evaluation_is_cancelled_with_its_submission(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, None)
    Evaluation.objects.filter(pk=evaluation.pk).update(state="queued", finished_at=None)
    cancelling.cancel(actor=arena.captain, submission=evaluation.submission, now=NOW)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.CANCELLED


@pytest.mark.parametrize("actor_is_organizer", [False, True])
def test_only_members_cancel(arena, actor_is_organizer):
    actor = UserFactory(is_superuser=actor_is_organizer)
    submission = received(arena)
    with pytest.raises(errors.NotAMember):
        cancelling.cancel(actor=actor, submission=submission, now=NOW)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.RECEIVED


def test_what_is_scored_cannot_be_cancelled(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, 50.0)
    with pytest.raises(errors.AlreadyScoring):
        cancelling.cancel(actor=arena.captain, submission=evaluation.submission, now=NOW)
    evaluation.submission.refresh_from_db()
    assert evaluation.submission.state == SubmissionState.ACCEPTED


def test_the_best_counts_until_one_is_marked(arena):
    low = scored(arena, arena.entrant, arena.captain, 40.0)
    high = scored(arena, arena.entrant, arena.captain, 60.0)
    assert selection.counted(arena.phase) == {arena.entrant: high}
    selection.mark(actor=arena.captain, submission=low.submission, now=NOW)
    assert selection.counted(arena.phase) == {arena.entrant: low}
    selection.mark(actor=arena.captain, submission=high.submission, now=NOW)
    assert Submission.objects.filter(marked_at__isnull=False).get() == high.submission
    selection.unmark(actor=arena.captain, submission=high.submission, now=NOW)
    assert not Submission.objects.filter(marked_at__isnull=False).exists()
    assert Board.objects.get(phase=arena.phase).wanted == 3


def test_marking_twice_is_marking_once(arena):
    one = scored(arena, arena.entrant, arena.captain, 40.0).submission
    selection.mark(actor=arena.captain, submission=one, now=NOW)
    selection.mark(actor=arena.captain, submission=one, now=NOW + timedelta(hours=1))
    one.refresh_from_db()
    assert one.marked_at == NOW
    assert AuditEvent.objects.filter(kind="submission.marked").count() == 1


def test_equal_scores_leave_the_earlier_one_in_place(arena):
    first = scored(arena, arena.entrant, arena.captain, 40.0)
    scored(arena, arena.entrant, arena.captain, 40.0 + 1e-12)
    assert selection.counted(arena.phase) == {arena.entrant: first}


def test_tie_breaks_choose_between_equal_scores(arena):
    scored(arena, arena.entrant, arena.captain, 40.0, parts=(0.5, 0.5, 0.5))
    better = scored(arena, arena.entrant, arena.captain, 40.0, parts=(0.6, 0.9, 0.9))
    assert selection.counted(arena.phase) == {arena.entrant: better}


def test_a_withheld_score_counts_only_when_there_is_no_other(arena):
    withheld = scored(arena, arena.entrant, arena.captain, None)
    assert selection.counted(arena.phase) == {arena.entrant: withheld}
    number = scored(arena, arena.entrant, arena.captain, 0.0)
    assert selection.counted(arena.phase) == {arena.entrant: number}


def test_the_last_one_counts_where_the_phase_says_so(arena):
    arena.phase.selection = Selection.LAST
    arena.phase.save()
    scored(arena, arena.entrant, arena.captain, 60.0)
    last = scored(arena, arena.entrant, arena.captain, 40.0, at=NOW + timedelta(minutes=1))
    assert selection.counted(arena.phase) == {arena.entrant: last}
    with pytest.raises(errors.MarkingNotUsed):
        selection.mark(actor=arena.captain, submission=last.submission, now=NOW)


def test_marks_and_scores_since_a_freeze_do_not_count_before_it(arena):
    early = scored(arena, arena.entrant, arena.captain, 40.0, at=NOW)
    later = NOW + timedelta(hours=2)
    scored(arena, arena.entrant, arena.captain, 60.0, at=later)
    earlier_still = scored(arena, arena.entrant, arena.captain, 30.0, at=NOW)
    selection.mark(actor=arena.captain, submission=earlier_still.submission, now=later)
    freeze = NOW + timedelta(hours=1)
    assert selection.counted(arena.phase, before=freeze) == {arena.entrant: early}


def test_only_members_mark(arena):
    one = scored(arena, arena.entrant, arena.captain, 40.0).submission
    with pytest.raises(errors.NotAMember):
        selection.mark(actor=UserFactory(), submission=one, now=NOW)
    one.refresh_from_db()
    assert one.marked_at is None


def test_after_the_end_the_choice_is_final(arena):
    one = scored(arena, arena.entrant, arena.captain, 40.0).submission
    end = arena.phase.closes_at + timedelta(minutes=arena.phase.grace_minutes)
    with pytest.raises(errors.PhaseNotOpen):
        selection.mark(actor=arena.captain, submission=one, now=end)
    one.refresh_from_db()
    assert one.marked_at is None


def test_what_has_failed_cannot_be_marked(arena):
    failed = received(arena, state="failed", failure_code="WORKER_LOST", ended_at=NOW)
    with pytest.raises(errors.NotMarkable):
        selection.mark(actor=arena.captain, submission=failed, now=NOW)
    failed.refresh_from_db()
    assert failed.marked_at is None


@pytest.mark.parametrize("rule", Selection.values)
def test_what_counts_of_many_is_what_whole_rows_say(arena, rule):
    arena.phase.selection = rule
    arena.phase.save()
    entrants = [(arena.entrant, arena.captain), *(arena.enter(f"Team {n}") for n in range(3))]
    numbers = (50.0, 50.0 + 1e-12, None, 61.5, 61.5, 20.0)
    parts = ((0.5, 0.5, 0.5), (0.6, 0.4, 0.4), (0.6, 0.4, 0.3))
    found: dict[Entrant, list[Evaluation]] = {}
    for turn, (entrant, captain) in enumerate(entrants * len(numbers)):
        score, three = numbers[turn * 5 % 6], parts[turn % 3]
        at = NOW + timedelta(minutes=turn * 7 % 11)
        one = scored(arena, entrant, captain, score, parts=three, at=at)
        found.setdefault(entrant, []).append(one)
    marked = found[arena.entrant][1].submission
    Submission.objects.filter(pk=marked.pk).update(marked_at=NOW)

    def best(evaluations: list[Evaluation]) -> Evaluation:
        if rule == Selection.LAST:
            return max(evaluations, key=lambda one: (one.submission.created_at, one.pk))
        if rule == Selection.MARKED_ELSE_BEST and evaluations[1].submission == marked:
            return evaluations[1]
        return min(evaluations, key=lambda one: (final_key(one), one.pk))

    counted = selection.counted(arena.phase)
    assert counted == {entrant: best(evaluations) for entrant, evaluations in found.items()}
    assert [one.languages for one in counted.values()] == [
        best(found[entrant]).languages for entrant in counted
    ]


def test_choosing_takes_the_same_statements_however_many_were_scored(
    arena, django_assert_num_queries
):
    scored(arena, arena.entrant, arena.captain, 40.0)
    with django_assert_num_queries(3):
        selection.counted(arena.phase)
    for score in (50.0, 60.0):
        scored(arena, *arena.enter(f"Team {score}"), score)
    with django_assert_num_queries(3):
        selection.counted(arena.phase)
