"""Who may do what with submissions: predicates of (person, object). They agree with `visible_to`."""

from __future__ import annotations

from competition import rules
from competition.models.querysets import Viewer
from grading.models import Submission


def is_member(user: Viewer, submission: Submission) -> bool:
    """Return whether the person is an active member of the submission's entrant: may cancel and mark."""
    return rules.is_member(user, submission.entrant)


def may_see(user: Viewer, submission: Submission) -> bool:
    """Return whether the person may know of the submission: its team, its organizers, administrators.

    Auditors see the log, not what was uploaded.
    """
    return is_member(user, submission) or rules.is_organizer(
        user, submission.phase.track.competition
    )
