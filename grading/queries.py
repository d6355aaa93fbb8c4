"""What pages, API and exports read. Rows come through `visible_to`; numbers through presentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, Q, QuerySet

from accounts.models import User
from competition.enums import Role
from competition.models import Competition, Entrant, EntrantMember, Phase
from competition.models.querysets import Viewer, granted
from competition.rules import is_member, is_organizer
from competition.timeline import frozen_since
from grading import board_data, corrections
from grading.enums import EvaluationState, Priority, RecipeRole, SubmissionKind, SubmissionState
from grading.models import Board, Evaluation, Recipe, Standing, Submission
from grading.presentation import Sight, judge_of, shown_score, sight_of
from grading.rules import scored_here, waits_for_scorer
from grading.scoring import registry

FINAL = "final"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Queue:
    """Work that waits or runs: counts, and since when the oldest waits (None = nothing waits)."""

    to_check: int
    to_score: int
    running: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Figures:
    """A competition in numbers for its organizers; submissions by state, evaluations by state."""

    submissions: dict[str, int]
    evaluations: dict[str, int]
    rejected_codes: dict[str, int]
    failures: QuerySet[Submission]
    queue: Queue


def organizes(user: Viewer, phase: Phase) -> bool:
    """Return whether the person organizes the phase's competition."""
    return is_organizer(user, phase.track.competition)


def sight_for(user: Viewer, phase: Phase, now: datetime) -> Sight:
    """Return how much of the phase's scores the person sees."""
    return sight_of(phase, now=now, is_organizer=organizes(user, phase))


def board_object(phase: Phase, user: Viewer, now: datetime) -> Json:
    """Return the board as data.json has it: the published snapshot, or for organizers the current one.

    Whether the person may see the board at all is competition.queries.may_see_board.
    """
    board = _board_of(phase)
    if board is None:
        return board_data.build(Board(phase=phase), None, [], now)
    if not organizes(user, phase) or phase.track.kind in registry.composed():
        return board.data or board_data.build(board, None, [], now)
    while True:
        data = _current(board, phase, now)
        again = _board_of(phase)
        # A rebuild or a switch in between would mix two boards.
        if again is None or again.built == board.built:
            return data
        board = again


def _current(board: Board, phase: Phase, now: datetime) -> Json:
    """Return the board as organizers see it: rows that a freeze holds back, every number."""
    rows = Standing.objects.filter(board=board, audience="current").select_related(
        "evaluation__submission", "evaluation__recipe", "entrant__team"
    )
    built_at = board.built_at or now
    recipe = _live_recipe(phase)
    data = board_data.build(
        board,
        recipe,
        list(rows.order_by("position")),
        now,
        is_organizer=True,
        corrections=corrections.of_phase(phase),
    )
    told = {"built_at": built_at.isoformat(), "number": board.built}
    return {**data, **told, "scatter": (board.data or {}).get("scatter")}


def board_rows(phase: Phase, user: Viewer, view: str, now: datetime) -> list[Json]:
    """Return the rows of one view in the board's order: "" for the final score, else a language."""
    views = board_object(phase, user, now)["views"]
    rows: list[Json] = views.get(view or FINAL, {}).get("rows", [])
    return rows


def history(entrant: Entrant, phase: Phase, user: Viewer, now: datetime) -> list[Json]:
    """Return the entrant's scored submissions of the phase, oldest first, as the person may see them.

    While the board is frozen others see none scored since; nothing shows with feedback "none".
    """
    sight = sight_for(user, phase, now)
    is_own = is_member(user, entrant)
    if sight == Sight.HIDDEN and not is_own:
        return []
    scored = _scored_by_live(phase).filter(submission__entrant=entrant)
    frozen_at = frozen_since(phase, now)
    if frozen_at and not is_own and not organizes(user, phase):
        scored = scored.filter(submission__in=scored_before(phase, frozen_at))
    return [
        {
            "number": one.submission.number,
            "submission": one.submission.code,
            "system": one.submission.system,
            "submitted_at": one.submission.created_at.isoformat(),
            "marked": one.submission.marked_at is not None,
            "judge": judge_of(one.recipe),
            **shown_score(one, sight),
        }
        for one in scored.order_by("submission__created_at", "pk")
    ]


def scored_before(phase: Phase, moment: datetime | None) -> QuerySet[Submission]:
    """Return the phase's submissions that had a score, under whichever recipe, before `moment`."""
    return Submission.objects.filter(
        phase=phase, evaluations__state=EvaluationState.SCORED, evaluations__finished_at__lt=moment
    ).distinct()


def submissions_of(user: Viewer, competition: Competition) -> QuerySet[Submission]:
    """Return the person's own entrant's submissions in the competition, newest first."""
    if not isinstance(user, User):
        return Submission.objects.none()
    # Asked for first: among so many tables the database would not begin with it.
    own = EntrantMember.objects.filter(competition=competition, user=user, left_at__isnull=True)
    entrants = list(own.values_list("entrant_id", flat=True))
    return _with_relations(Submission.objects.filter(entrant__in=entrants))


def submissions_seen(user: Viewer) -> QuerySet[Submission]:
    """Return all submissions that the person may see, newest first; as `submission_detail`, for lists."""
    if not isinstance(user, User) or not user.is_active:
        return Submission.objects.none()
    if user.is_superuser or granted(user, (Role.ORGANIZER,)).exists():
        return submission_detail(user)
    own = EntrantMember.objects.filter(user=user, left_at__isnull=True)
    entrants = list(own.values_list("entrant_id", flat=True))
    return _with_relations(Submission.objects.filter(entrant__in=entrants))


def submission_detail(user: Viewer) -> QuerySet[Submission]:
    """Return the submissions that the person may see, with what their page needs."""
    visible: QuerySet[Submission] = Submission.objects.visible_to(user)
    return _with_relations(visible)


def live_evaluation(submission: Submission) -> Evaluation | None:
    """Return the evaluation that counts of a submission: under its phase's live recipe."""
    return (
        Evaluation.objects.filter(
            submission=submission,
            recipe__phases__phase=submission.phase_id,
            recipe__phases__role=RecipeRole.LIVE,
        )
        .select_related("recipe", "submission__phase", "judge_run")
        .first()
    )


def live_evaluations(submissions: Sequence[Submission]) -> dict[int, Evaluation]:
    """Return the live evaluation of each submission that has one, by the submission's key."""
    found = Evaluation.objects.filter(
        submission__in=submissions,
        recipe__phases__phase=F("submission__phase"),
        recipe__phases__role=RecipeRole.LIVE,
    )
    given = {one.pk: one for one in submissions}
    recipes: dict[int, Recipe] = {}
    evaluations = {}
    for one in found.select_related("recipe", "judge_run").defer("second_opinion"):
        one.submission = given[one.submission_id]
        # One object for all of the same recipe: its parameters are read once.
        one.recipe = recipes.setdefault(one.recipe_id, one.recipe)
        evaluations[one.submission_id] = one
    return evaluations


def place_in_queue(submission: Submission) -> int | None:
    """Return how many stand before it in the queue, 0 = next; None when it does not wait its turn."""
    if submission.state == SubmissionState.RECEIVED and submission.lease_until is None:
        waiting = Submission.objects.filter(
            state=SubmissionState.RECEIVED, lease_until__isnull=True
        )
        return waiting.filter(received_at__lt=submission.received_at).count()
    evaluation = live_evaluation(submission)
    if evaluation is None or evaluation.state != EvaluationState.QUEUED:
        return None
    if waits_for_scorer(evaluation):
        return None
    queued = Evaluation.objects.filter(
        scored_here(), state=EvaluationState.QUEUED, priority__lte=evaluation.priority
    )
    return queued.filter(queued_at__lt=evaluation.queued_at).count()


def queue(competition: Competition | None = None) -> Queue:
    """Return the work that waits, in one competition or on the whole server.

    What is scored again beside a live board holds nobody up and is told on its own page.
    """
    of_submissions = Q(phase__track__competition=competition) if competition else Q()
    of_evaluations = Q(submission__phase__track__competition=competition) if competition else Q()
    received = Submission.objects.filter(of_submissions, state=SubmissionState.RECEIVED)
    evaluations = Evaluation.objects.filter(of_evaluations, priority=Priority.FRESH)
    queued = evaluations.filter(state=EvaluationState.QUEUED)
    since = [
        received.aggregate(since=Min("received_at"))["since"],
        queued.aggregate(since=Min("queued_at"))["since"],
    ]
    return Queue(
        to_check=received.count(),
        to_score=queued.count(),
        running=evaluations.filter(state=EvaluationState.RUNNING).count(),
        oldest=min((moment for moment in since if moment), default=None),
    )


def figures(competition: Competition) -> Figures:
    """Return what the organizers' console shows of a competition."""
    submissions = Submission.objects.filter(phase__track__competition=competition)
    evaluations = Evaluation.objects.filter(submission__phase__track__competition=competition)
    rejected = submissions.filter(state=SubmissionState.REJECTED, problems__severity="error")
    return Figures(
        submissions=_counts(submissions, "state"),
        evaluations=_counts(evaluations, "state"),
        rejected_codes=_counts(rejected, "problems__code", distinct=True),
        failures=_with_relations(
            submissions.filter(
                Q(state=SubmissionState.FAILED) | Q(evaluations__state=EvaluationState.FAILED)
            ).distinct()
        ),
        queue=queue(competition),
    )


def _counts(rows: QuerySet[Any], field: str, *, distinct: bool = False) -> dict[str, int]:
    counted = rows.order_by().values_list(field).annotate(count=Count("pk", distinct=distinct))
    return dict(counted.order_by("-count", field))


def _with_relations(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    return rows.select_related(
        "entrant__team", "phase__track__competition", "uploader", "quota"
    ).order_by("-created_at", "-pk")


def _scored_by_live(phase: Phase) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        submission__phase=phase,
        submission__kind=SubmissionKind.ENTRY,
        submission__state=SubmissionState.ACCEPTED,
        state=EvaluationState.SCORED,
        recipe__phases__phase=phase,
        recipe__phases__role=RecipeRole.LIVE,
    ).select_related("submission", "recipe")


def _board_of(phase: Phase) -> Board | None:
    return Board.objects.filter(phase=phase).first()


def _live_recipe(phase: Phase) -> Recipe | None:
    return (
        Recipe.objects.filter(phases__phase=phase, phases__role=RecipeRole.LIVE)
        .select_related("references")
        .first()
    )
