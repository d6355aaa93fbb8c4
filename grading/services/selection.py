"""Which submission of an entrant counts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

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
from grading.ordering import score_key
from grading.rules import is_member
from grading.services import boards, errors, recipes

LINE = (
    "pk",
    "submission__entrant_id",
    "submission_id",
    "submission__number",
    "submission__created_at",
    "submission__marked_at",
    "score",
    "withheld_reason",
    "components",
)


class Line(NamedTuple):
    """What choosing reads of one scored evaluation: a phase has many more of them than rows."""

    evaluation_id: int
    entrant_id: int
    submission_id: int
    number: int
    created_at: datetime
    marked_at: datetime | None
    score: float | None
    withheld_reason: str
    components: dict[str, Any]

    def key(self, recipe: Recipe) -> tuple[Any, ...]:
        """Return the key of the final score under the recipe: the smaller, the better."""
        return score_key(recipe, self.score, self.withheld_reason, self.components)


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
    used = recipe or recipes.live_recipe(phase)
    if used is None:
        return {}
    chosen = counted_lines(phase, before=before, recipe=used)
    keys = [line.evaluation_id for line in chosen.values()]
    found = (
        Evaluation.objects.filter(state=EvaluationState.SCORED)
        .select_related("submission__entrant__team")
        .defer("second_opinion")
        .in_bulk(keys)
    )
    evaluations = [found[key] for key in keys if key in found]
    for evaluation in evaluations:
        # One object for all rows: its parameters are read once, not for every comparison.
        evaluation.recipe = used
    return {one.submission.entrant: one for one in evaluations}


def counted_lines(
    phase: Phase,
    *,
    before: datetime | None = None,
    recipe: Recipe | None = None,
    entrant_id: int | None = None,
) -> dict[int, Line]:
    """Return what counts by the entrant's key: of all, or of one. As `counted`, without the rows."""
    used = recipe or recipes.live_recipe(phase)
    if used is None:
        return {}
    rows = scored(phase, before=before, recipe=used)
    if entrant_id is not None:
        rows = rows.filter(submission__entrant=entrant_id)
    by_entrant: dict[int, list[Line]] = {}
    for row in rows.values_list(*LINE):
        by_entrant.setdefault(row[1], []).append(Line(*row))
    return {
        entrant: _choose(phase.selection, used, lines, before)
        for entrant, lines in by_entrant.items()
    }


def scored(
    phase: Phase, *, before: datetime | None = None, recipe: Recipe | None = None
) -> QuerySet[Evaluation]:
    """Return the phase's scored entries under its live recipe, entrant by entrant.

    `before` and `recipe` as for `counted`.
    """
    first = Q() if before is None else Q(submission__in=queries.scored_before(phase, before))
    return Evaluation.objects.filter(
        first,
        submission__phase=phase,
        submission__kind=SubmissionKind.ENTRY,
        submission__state=SubmissionState.ACCEPTED,
        recipe=recipe or recipes.live_recipe(phase),
        state=EvaluationState.SCORED,
    ).order_by("submission__entrant_id", "submission__number")


def _choose(rule: str, recipe: Recipe, lines: list[Line], before: datetime | None) -> Line:
    """Return the one that counts of an entrant's scored evaluations (at least one).

    Best: by score and tie-breaks, then the earlier upload. A withheld score is the last choice.
    """
    if rule == Selection.LAST:
        return max(lines, key=lambda one: (one.created_at, one.number))
    if rule == Selection.MARKED_ELSE_BEST:
        for one in lines:
            if one.marked_at is not None and (before is None or one.marked_at < before):
                return one
    if len(lines) == 1:
        return lines[0]
    return min(lines, key=lambda one: (one.key(recipe), one.number))


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
