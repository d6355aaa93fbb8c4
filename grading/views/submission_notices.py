"""What a submission's page says about its state: what happened, what it cost, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from grading.enums import EvaluationState, FailureCode, SubmissionState
from grading.models import Evaluation, Submission
from grading.presentation import Sight
from grading.shown import grouped
from grading.views.reasons import reason
from grading.waiting import why_waiting


@dataclass(frozen=True, slots=True)
class Notice:
    """One framed sentence or two, with at most one link."""

    kind: str
    icon: str
    strong: str
    text: str = ""
    url: str = ""
    action: str = ""


def notices_of(
    submission: Submission, evaluation: Evaluation | None, sight: Sight, now: datetime
) -> list[Notice]:
    """Return what the page says above the score; usually nothing or one notice."""
    again = _again(submission, now)
    if submission.state == SubmissionState.REJECTED:
        return [_rejected(submission, again)]
    if submission.state == SubmissionState.FAILED:
        return [_failed(submission, again)]
    if submission.state == SubmissionState.CANCELLED:
        strong = _("This submission was cancelled and cost no quota.")
        return [Notice("", "minus", strong, "", *again)]
    if evaluation is None or evaluation.state != EvaluationState.SCORED:
        return _waiting(submission, evaluation)
    return _scored(submission, evaluation, sight)


def _waiting(submission: Submission, evaluation: Evaluation | None) -> list[Notice]:
    """Say why an accepted submission waits: for scorer or judge, or until scoring goes on."""
    reason = why_waiting(evaluation)
    if reason:
        text = _("There is nothing to do: it keeps its place and the time of its upload.")
        return [Notice("warn", "clock", reason, text)]
    competition = submission.phase.track.competition
    is_running = evaluation is not None and evaluation.state == EvaluationState.RUNNING
    if competition.paused_at is None or is_running:
        return []
    strong = _("The organizers have paused scoring: this submission waits, and keeps its place.")
    return [Notice("warn", "clock", strong, competition.paused_reason)]


def _again(submission: Submission, now: datetime) -> tuple[str, str]:
    """Return address and words of the next upload, empty when the phase takes none."""
    phase = submission.phase
    if not phase.opens_at <= now < phase.closes_at:
        return "", ""
    names = [phase.track.competition.slug, phase.track.slug, phase.slug]
    return reverse("grading:submission-create", args=names), _("Submit another file")


def _rejected(submission: Submission, again: tuple[str, str]) -> Notice:
    total, errors = submission.problems_total or 0, submission.errors_total or 0
    strong = _("This file was rejected and cost no quota.")
    listed = min(total, submission.phase.limits.get("listed_problems", 100))
    if listed < total:
        text = _(
            "The first %(listed)s of %(total)s problems are listed below, errors first. Mend what the codes name and check the file again; checking costs no quota."
        ) % {"listed": listed, "total": grouped(total)}
    else:
        text = ngettext(
            "The one error is listed below, so that one more upload is enough.",
            "All %(n)s errors are listed below, so that one more upload is enough.",
            errors,
        ) % {"n": errors}
    return Notice("bad", "cross", strong, text, *again)


def _failed(submission: Submission, again: tuple[str, str]) -> Notice:
    strong = _("This submission could not be processed. It cost no quota.")
    known = submission.failure_code in FailureCode.values
    text = str(FailureCode(submission.failure_code).label) if known else submission.failure_code
    return Notice("bad", "cross", strong, text, *again)


def _scored(submission: Submission, evaluation: Evaluation, sight: Sight) -> list[Notice]:
    if sight == Sight.HIDDEN:
        strong = _("Scored. The score is shown when the phase closes.")
        return [Notice("", "lock", strong, _("This phase gives no feedback while it is open."))]
    if evaluation.score is None:
        strong = _("Scored, but the score is withheld.")
        return [
            Notice(
                "warn", "warn", strong, reason(evaluation.recipe.scorer, evaluation.withheld_reason)
            )
        ]
    if submission.marked_at is not None:
        return [
            Notice(
                "", "check", _("Your team has marked this submission: it is the one that counts.")
            )
        ]
    return []
