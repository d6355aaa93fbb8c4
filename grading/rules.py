"""Who may do what with submissions, agreeing with `visible_to`; and what the scorer that runs here can do."""

from __future__ import annotations

from django.db.models import Q

from competition import rules
from competition.models.querysets import Viewer
from grading.enums import EvaluationState
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


def waits_for_scorer(evaluation: Evaluation | None) -> bool:
    """Return whether an evaluation is queued for a version of the scorer that does not run here."""
    return (
        evaluation is not None
        and evaluation.state == EvaluationState.QUEUED
        and not runs_here(evaluation.recipe)
    )
