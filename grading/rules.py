"""Who may do what with submissions: predicates of (person, object), usable as permissions."""

from __future__ import annotations

import rules
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from competition.enums import Role
from competition.models import Competition, EntrantMember, RoleGrant
from grading.models import Submission

Person = User | AnonymousUser


def is_member(person: Person, submission: Submission) -> bool:
    """Return whether the person is an active member of the submission's entrant."""
    return (
        isinstance(person, User)
        and EntrantMember.objects.filter(
            entrant=submission.entrant_id, user=person, left_at__isnull=True
        ).exists()
    )


def is_organizer(person: Person, competition: Competition) -> bool:
    """Return whether the person organizes the competition."""
    if not isinstance(person, User):
        return False
    grants = RoleGrant.objects.filter(
        competition=competition, user=person, role=Role.ORGANIZER, revoked_at__isnull=True
    )
    return person.is_superuser or grants.exists()


def may_see(person: Person, submission: Submission) -> bool:
    """Return whether the person may know of the submission: its team, its organizers, the staff."""
    return is_member(person, submission) or is_organizer(person, submission.phase.track.competition)


rules.add_perm("grading.view_submission", rules.predicate(may_see))
rules.add_perm("grading.cancel_submission", rules.predicate(is_member))
rules.add_perm("grading.mark_submission", rules.predicate(is_member))
