"""Where one evaluation stands: on the public board, and against the entrant's earlier ones."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from competition.enums import EntrantKind
from grading.enums import EvaluationState, SubmissionKind, SubmissionState
from grading.models import Evaluation, Standing
from grading.ordering import final_key


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the public board: its place among `ranked`, band and rank range; or why it has none."""

    place: int | None
    ranked: int
    range: str
    band: int | None
    reason: str


def place_of(evaluation: Evaluation) -> Place | None:
    """Return the evaluation's row on the public board, None when another one stands there."""
    rows = Standing.objects.filter(audience="public", view="")
    row = rows.filter(evaluation=evaluation).select_related("entrant").first()
    if row is None:
        return None
    ranked = rows.filter(board=row.board_id, place__isnull=False).count()
    return Place(row.place, ranked, _range(row), row.band, _reason(row))


def previous_best(evaluation: Evaluation) -> Evaluation | None:
    """Return the best scored evaluation of the same entrant, phase and recipe before this one."""
    submission = evaluation.submission
    earlier = Evaluation.objects.filter(
        submission__entrant=submission.entrant_id,
        submission__phase=submission.phase_id,
        submission__kind=SubmissionKind.ENTRY,
        submission__state=SubmissionState.ACCEPTED,
        submission__number__lt=submission.number,
        recipe=evaluation.recipe_id,
        state=EvaluationState.SCORED,
        score__isnull=False,
    ).select_related("submission")
    found = list(earlier.defer("second_opinion"))
    for one in found:
        # One object for all: its parameters are read once.
        one.recipe = evaluation.recipe
    return min(found, key=lambda one: (final_key(one), one.submission.number), default=None)


def _range(row: Standing) -> str:
    if row.range_first is None:
        return ""
    if row.range_first == row.range_last:
        return str(row.range_first)
    return f"{row.range_first}–{row.range_last}"


def _reason(row: Standing) -> str:
    if row.place is not None:
        return ""
    names = {
        EntrantKind.UNOFFICIAL: _("none: unofficial"),
        EntrantKind.BASELINE: _("none: baseline"),
    }
    return names.get(EntrantKind(row.entrant.kind), _("none"))
