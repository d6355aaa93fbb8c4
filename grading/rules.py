"""Who may do what with submissions, agreeing with `visible_to`; and what the scorer that runs here can do."""

from __future__ import annotations

from django.db.models import Q

from competition import rules
from competition.models import Track
from competition.models.querysets import Viewer
from grading.enums import EvaluationState, JudgeRunState
from grading.models import Evaluation, Recipe, Submission
from grading.scoring import registry


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


def runs_here(recipe: Recipe) -> bool:
    """Return whether the scorer of this process is of the version that the recipe names."""
    return recipe.scorer in registry.names() and (
        registry.get(recipe.scorer).version == recipe.version
    )


def scored_here() -> Q:
    """Return what keeps the evaluations whose recipe names the scorer of this process."""
    found = Q(pk__in=[])
    for name in registry.names():
        found |= Q(recipe__scorer=name, recipe__version=registry.get(name).version)
    return found


def first_state(recipe: Recipe) -> EvaluationState:
    """Return where an evaluation under the recipe begins: waiting where its score is made of marks."""
    return EvaluationState.WAITING if is_marked(recipe) else EvaluationState.QUEUED


def is_marked(recipe: Recipe) -> bool:
    """Return whether its scores are made of marks: by the track itself, or since a judge is defined."""
    return recipe.scorer in registry.needing_marks() or has_judge(recipe)


def scores_by_marks(track: Track) -> bool:
    """Return whether a track's scores are made of marks that come by themselves, as it is defined now."""
    scorer = registry.get(track.kind)
    return scorer.is_marked(scorer.params(track.params))


def has_judge(recipe: Recipe) -> bool:
    """Return whether the recipe defines a judge, whose marks come by themselves; a name is none."""
    return isinstance(recipe.params.get("judge"), dict)


def has_begun(evaluation: Evaluation) -> bool:
    """Return whether its scoring, or the judge's paid work for it, has begun: then it counts."""
    waits = evaluation.state in {EvaluationState.WAITING, EvaluationState.QUEUED}
    return not waits or (is_marked(evaluation.recipe) and evaluation.started_at is not None)


def waits_for_judge() -> Q:
    """Return what keeps the evaluations whose judge has to be asked.

    It is named, nobody asks it now, and its run was not stopped; one that ended goes on.
    """
    named = Q(recipe__params__has_key="judge") & ~Q(recipe__params__judge=None)
    held = [JudgeRunState.RUNNING, JudgeRunState.STOPPED]
    unasked = Q(judge_run__isnull=True) | ~Q(judge_run__state__in=held)
    return scored_here() & named & unasked & Q(state=EvaluationState.WAITING)


def waits_for_scorer(evaluation: Evaluation | None) -> bool:
    """Return whether an evaluation is queued for a version of the scorer that does not run here."""
    return (
        evaluation is not None
        and evaluation.state == EvaluationState.QUEUED
        and not runs_here(evaluation.recipe)
    )
