"""What a team may do with a submission; what it may not do gives its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from competition.enums import Selection
from competition.timeline import grace_end
from grading.enums import SubmissionState
from grading.models import Evaluation, Submission
from grading.models.submission import STANDING_STATES
from grading.rules import has_begun


@dataclass(frozen=True, slots=True)
class Act:
    """A button: what it does, and the reason when it cannot be used."""

    key: str
    label: str
    text: str
    url: str
    style: str
    reason: str = ""


def acts_of(submission: Submission, evaluation: Evaluation | None, now: datetime) -> list[Act]:
    """Return the buttons of a submission's page for a member of its team."""
    acts = [_mark(submission, now), _cancel(submission, evaluation)]
    return [act for act in acts if act is not None]


def _mark(submission: Submission, now: datetime) -> Act | None:
    if submission.state not in STANDING_STATES:
        return None
    code = [submission.code]
    reason = _why_not_marked(submission, now)
    if submission.marked_at is not None:
        return Act(
            "unmark",
            _("Let the best one count"),
            _("Takes the mark away: your team's best submission counts again."),
            reverse("grading:submission-unmark", args=code),
            "quiet",
            reason,
        )
    return Act(
        "mark",
        _("Make this the one that counts"),
        _("Instead of your team's best one. You can change it until the phase closes."),
        reverse("grading:submission-mark", args=code),
        "quiet",
        reason,
    )


def _why_not_marked(submission: Submission, now: datetime) -> str:
    phase = submission.phase
    if phase.selection == Selection.BEST:
        return _("In this phase the best submission counts.")
    if phase.selection == Selection.LAST:
        return _("In this phase the last submission counts.")
    if now >= grace_end(phase):
        return _("The phase has closed; the choice is final.")
    return ""


def _cancel(submission: Submission, evaluation: Evaluation | None) -> Act | None:
    if submission.state not in {SubmissionState.RECEIVED, SubmissionState.ACCEPTED}:
        return None
    begun = evaluation is not None and has_begun(evaluation)
    return Act(
        "cancel",
        _("Cancel this submission"),
        _("Gives the slot back. It cannot be undone."),
        reverse("grading:submission-cancel", args=[submission.code]),
        "danger",
        _("Scoring has begun, so it counts and cannot be cancelled any more.") if begun else "",
    )
