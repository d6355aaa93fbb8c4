"""Which submission of an entrant counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Selection
from competition.models import Entrant, Phase
from competition.timeline import PhaseState, phase_state
from grading import queries
from grading.enums import EvaluationState, SubmissionKind, SubmissionState
from grading.models import Evaluation, Recipe, Submission
from grading.models.submission import STANDING_STATES
from grading.ordering import final_key
from grading.rules import is_member
from grading.services import boards, errors, recipes


def mark(*, actor: User, submission: Submission, now: datetime) -> Submission:
    """Make this the entrant's submission that counts in its phase, instead of any other.

    Raises NotAMember, MarkingNotUsed, PhaseNotOpen, NotMarkable; then nothing has changed.
    """
    return _set_mark(actor, submission, now, marked=True)


def unmark(*, actor: User, submission: Submission, now: datetime) -> Submission:
    """Leave the choice to the rule again. Raises what `mark` raises."""
    return _set_mark(actor, submission, now, marked=False)


def counted(
    phase: Phase, *, before: datetime | None = None, recipe: Recipe | None = None
) -> dict[Entrant, Evaluation]:
    """Return, by entrant, the evaluation that counts in the phase under its live recipe.

    With `before`, as if nothing had been scored or marked from that moment on; a score that was
    corrected since keeps the moment of the first. With `recipe`, as if that one were live.
    """
    by_entrant: dict[Entrant, list[Evaluation]] = {}
    for evaluation in scored(phase, before=before, recipe=recipe):
        by_entrant.setdefault(evaluation.submission.entrant, []).append(evaluation)
    return {
        entrant: choose(phase.selection, found, before=before)
        for entrant, found in by_entrant.items()
    }


def scored(
    phase: Phase, *, before: datetime | None = None, recipe: Recipe | None = None
) -> QuerySet[Evaluation]:
    """Return the phase's scored entries under its live recipe, with what a board needs.

    `before` and `recipe` as for `counted`.
    """
    first = Q() if before is None else Q(submission__in=queries.scored_before(phase, before))
    return (
        Evaluation.objects.filter(
            first,
            submission__phase=phase,
            submission__kind=SubmissionKind.ENTRY,
            submission__state=SubmissionState.ACCEPTED,
            recipe=recipe or recipes.live_recipe(phase),
            state=EvaluationState.SCORED,
        )
        .select_related("submission__entrant__team")
        # One object for all rows: its parameters are read once, not for every comparison.
        .prefetch_related("recipe")
        .order_by("submission__entrant_id", "submission__number")
    )


def choose(
    rule: str, evaluations: Iterable[Evaluation], *, before: datetime | None = None
) -> Evaluation:
    """Return the one that counts of an entrant's scored evaluations (at least one).

    Best: by score and tie-breaks, then the earlier upload. A withheld score is the last choice.
    """
    found = list(evaluations)
    if rule == Selection.LAST:
        return max(found, key=lambda one: (one.submission.created_at, one.submission.number))
    if rule == Selection.MARKED_ELSE_BEST:
        for one in found:
            at = one.submission.marked_at
            if at is not None and (before is None or at < before):
                return one
    return min(found, key=lambda one: (final_key(one), one.submission.number))


def counted_by_code(phase: Phase) -> Mapping[str, str]:
    """Return the code of the submission that counts, by the entrant's code."""
    return {entrant.code: one.submission.code for entrant, one in counted(phase).items()}


def _set_mark(actor: User, submission: Submission, now: datetime, *, marked: bool) -> Submission:
    with audit.audited():
        Entrant.objects.select_for_update().get(pk=submission.entrant_id)
        submission = Submission.objects.select_related("phase__track__competition").get(
            pk=submission.pk
        )
        _check_may_mark(actor, submission, now)
        if (submission.marked_at is not None) == marked:
            return submission
        same_phase = Submission.objects.filter(
            entrant=submission.entrant_id, phase=submission.phase_id
        )
        same_phase.filter(marked_at__isnull=False).update(marked_at=None)
        if marked:
            same_phase.filter(pk=submission.pk).update(marked_at=now)
        boards.want_rebuild(phase_id=submission.phase_id, now=now)
        audit.record(
            scope=submission.phase.track.competition.audit_scope,
            kind="submission.marked" if marked else "submission.unmarked",
            actor=actor,
            target=f"submission:{submission.code}",
            payload={},
            now=now,
        )
    submission.refresh_from_db()
    return submission


def _check_may_mark(actor: User, submission: Submission, now: datetime) -> None:
    phase = submission.phase
    if not is_member(actor, submission):
        raise errors.NotAMember(_("Only members of the team can choose what counts."))
    if phase.selection != Selection.MARKED_ELSE_BEST:
        raise errors.MarkingNotUsed(_("In this phase the submission that counts is not chosen."))
    if phase_state(phase, now) == PhaseState.CLOSED:
        raise errors.PhaseNotOpen(
            _("This phase has closed; the choice is final."),
            closed_at=phase.closes_at.isoformat(),
        )
    if submission.state not in STANDING_STATES:
        raise errors.NotMarkable(_("A rejected, failed or cancelled submission cannot count."))
