"""Has a candidate's evaluations computed beside the live ones, without ever holding those up.

The rows are the queue. A few bells are out at a time; who answers one does fresh work first if any
waits, then one evaluation, and rings for the next. What a dead worker or a lost message left is found
by the sweep: rows that are missing are queued, bells that went unheard are rung again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from competition.models import Phase
from grading.enums import EvaluationState, Priority, RecipeRole, RescoringState, SubmissionState
from grading.models import Evaluation, PhaseRecipe, Recipe, Rescoring, Submission
from grading.rules import first_state, scored_here
from grading.services import doorbell, evaluations, validation
from grading.services.rescoring import standing

BATCH = 500
BELLS = 16
"""How many evaluations may be rung for and not begun; more than the threads of most workers."""
SETTLING = timedelta(days=7)
"""How long after a switch its phase is looked at for submissions that missed the new recipe: also
after a machine that went down at that moment has been mended."""


def fill(*, rescoring_id: int, now: datetime) -> int:
    """Queue an evaluation for every standing submission that lacks one; return how many.

    Batch by batch, each in a transaction of its own: it may be stopped anywhere and called again.
    """
    rescoring = Rescoring.objects.select_related("phase", "recipe").get(pk=rescoring_id)
    filled = 0
    while rescoring.state == RescoringState.OPEN:
        batch = _fill_batch(rescoring.phase, rescoring.recipe, now)
        filled += batch
        if batch < BATCH:
            break
        rescoring.refresh_from_db(fields=["state"])
    ring_more(now)
    return filled


def settle(*, now: datetime) -> int:
    """Queue what is missing in phases that are, or were just, re-scored; return how many rows moved.

    A submission that was being accepted in the very moment of a proposal or a switch is found here.
    """
    moved = _drop_unwanted(now)
    for phase, recipe in _watched(now):
        while (batch := _fill_batch(phase, recipe, now)) == BATCH:
            moved += batch
        moved += batch
    return moved + ring_more(now)


def ring_more(now: datetime) -> int:
    """Ring for candidates until as many bells are out as there may be; return how many were rung."""
    unheard = Q(rung_at__isnull=True) | Q(rung_at__lt=_patience(now))
    queued = Evaluation.objects.filter(state=EvaluationState.QUEUED, priority=Priority.AGAIN)
    waiting = queued.filter(scored_here())
    free = BELLS - waiting.filter(rung_at__gte=_patience(now)).count()
    rung = 0
    if free > 0:
        ids = waiting.filter(unheard).order_by("queued_at").values_list("pk", flat=True)
        for evaluation_id in ids[:free]:
            rung += _ring(queued.filter(unheard, pk=evaluation_id), evaluation_id, now)
    return rung


def answer(*, evaluation_id: int, worker: str, clock: Callable[[], datetime]) -> str:
    """Do one piece of work for a candidate's bell: fresh work that waits goes first.

    Returns what was done. Safe to call any number of times.
    """
    if _do_fresh(worker, clock):
        doorbell.ring(doorbell.EVALUATE_AGAIN, evaluation_id)
        return "fresh work first"
    evaluation = evaluations.run(evaluation_id=evaluation_id, worker=worker, clock=clock)
    if evaluation is None:
        return "nothing to do"
    ring_more(clock())
    return str(evaluation.state)


def _do_fresh(worker: str, clock: Callable[[], datetime]) -> bool:
    """Validate or score the oldest fresh work that nobody has begun; return whether there was any.

    What was begun a moment ago and put back waits for its time: it must not be tried in a circle.
    """
    unbegun = Q(started_at__isnull=True) | Q(started_at__lt=_patience(clock()))
    queued = Evaluation.objects.filter(
        scored_here(), unbegun, state=EvaluationState.QUEUED, priority=Priority.FRESH
    )
    first = queued.order_by("queued_at").values_list("pk", flat=True).first()
    if first is not None:
        return evaluations.run(evaluation_id=first, worker=worker, clock=clock) is not None
    received = Submission.objects.filter(
        state=SubmissionState.RECEIVED, lease_until__isnull=True
    ).order_by("received_at")
    waiting = received.values_list("pk", flat=True).first()
    if waiting is None:
        return False
    return validation.validate(submission_id=waiting, clock=clock) is not None


def _watched(now: datetime) -> list[tuple[Phase, Recipe]]:
    """Return the recipes that standing submissions must have an evaluation under, with their phase."""
    recent = Rescoring.objects.filter(
        Q(state=RescoringState.OPEN)
        | Q(state=RescoringState.SWITCHED, ended_at__gte=now - SETTLING)
    ).select_related("phase", "recipe")
    active = PhaseRecipe.objects.filter(
        phase=OuterRef("phase"),
        recipe=OuterRef("recipe"),
        role__in=[RecipeRole.LIVE, RecipeRole.CANDIDATE],
    )
    return [(one.phase, one.recipe) for one in recent.filter(Exists(active))]


@transaction.atomic
def _fill_batch(phase: Phase, recipe: Recipe, now: datetime) -> int:
    """Queue, or let wait for marks, up to 500 submissions that have no evaluation, or a cancelled one, under the recipe."""
    under = Evaluation.objects.filter(submission=OuterRef("pk"), recipe=recipe)
    lacking = standing(phase).filter(~Exists(under)).order_by("pk")
    ids = list(lacking.values_list("pk", flat=True)[:BATCH])
    Evaluation.objects.bulk_create(
        (
            Evaluation(
                submission_id=submission_id,
                recipe=recipe,
                state=first_state(recipe),
                priority=Priority.AGAIN,
                queued_at=now,
            )
            for submission_id in ids
        ),
        ignore_conflicts=True,
    )
    stopped = Evaluation.objects.filter(
        submission__in=standing(phase), recipe=recipe, state=EvaluationState.CANCELLED
    ).values_list("pk", flat=True)[: BATCH - len(ids)]
    resumed = Evaluation.objects.filter(
        pk__in=list(stopped), state=EvaluationState.CANCELLED
    ).update(state=first_state(recipe), finished_at=None, rung_at=None)
    return len(ids) + resumed


def _drop_unwanted(now: datetime) -> int:
    """Cancel what is queued or waits under recipes that their phase does not use any more."""
    active = PhaseRecipe.objects.filter(
        phase=OuterRef("submission__phase"),
        recipe=OuterRef("recipe"),
        role__in=[RecipeRole.LIVE, RecipeRole.CANDIDATE],
    )
    unbegun = [EvaluationState.WAITING, EvaluationState.QUEUED]
    queued = Evaluation.objects.filter(~Exists(active), state__in=unbegun)
    ids = list(queued.values_list("pk", flat=True)[:BATCH])
    return Evaluation.objects.filter(pk__in=ids, state__in=unbegun).update(
        state=EvaluationState.CANCELLED, finished_at=now
    )


def _ring(row: QuerySet[Evaluation], evaluation_id: int, now: datetime) -> int:
    if not row.update(rung_at=now):
        return 0
    doorbell.ring(doorbell.EVALUATE_AGAIN, evaluation_id)
    return 1


def _patience(now: datetime) -> datetime:
    return now - timedelta(seconds=settings.RING_AGAIN_SECONDS)
