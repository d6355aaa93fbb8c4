"""Taking a submission back before it is scored."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import Entrant
from grading.enums import SUBMISSION_TRANSITIONS, EvaluationState, SubmissionState
from grading.models import Evaluation, Submission
from grading.rules import is_marked, is_member
from grading.services import errors, quota


def cancel(*, actor: User, submission: Submission, now: datetime) -> Submission:
    """Cancel a submission whose scoring has not begun, and give its slot back.

    Raises NotAMember, SubmissionEnded, AlreadyScoring; then nothing has changed.
    """
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=submission.entrant_id)
        submission = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
        if not is_member(actor, submission):
            raise errors.NotAMember(_("Only members of the team can cancel its submissions."))
        if SubmissionState.CANCELLED not in SUBMISSION_TRANSITIONS[submission.state]:
            raise errors.SubmissionEnded(_("This submission has ended; it cannot be cancelled."))
        _stop_evaluations(submission, now)
        Submission.objects.filter(pk=submission.pk, state=submission.state).update(
            state=SubmissionState.CANCELLED, lease_until=None, ended_at=now, marked_at=None
        )
        quota.release(submission_id=submission.pk, reason="cancelled", now=now)
        audit.record(
            scope=submission.phase.track.competition.audit_scope,
            kind="submission.cancelled",
            actor=actor,
            target=f"submission:{submission.code}",
            payload={"content_id": submission.content_id, "was": submission.state},
            now=now,
        )
    submission.refresh_from_db()
    return submission


def _stop_evaluations(submission: Submission, now: datetime) -> None:
    """Cancel what is queued or waits; a run that has begun cannot be taken back.

    Marks that a judge has begun to give cost something: they count as begun.
    """
    of_it = Evaluation.objects.filter(submission=submission)
    # By keys: a condition in a subquery is not looked at again after waiting for a claim.
    marked = [one.pk for one in of_it.select_related("recipe") if is_marked(one.recipe)]
    of_it.filter(
        ~Q(pk__in=marked) | Q(started_at__isnull=True),
        state__in=[EvaluationState.WAITING, EvaluationState.QUEUED],
    ).update(state=EvaluationState.CANCELLED, finished_at=now)
    begun = Evaluation.objects.filter(submission=submission).exclude(
        state=EvaluationState.CANCELLED
    )
    if begun.exists():
        raise errors.AlreadyScoring(
            _("Scoring has begun, so the submission counts; it cannot be cancelled any more.")
        )
