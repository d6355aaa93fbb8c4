"""The first rows of a board for pages of other apps: the public snapshot, as everybody sees it."""

from __future__ import annotations

from dataclasses import dataclass

from django import template

from competition.models import Phase
from grading import shown
from grading.models import Standing
from grading.presentation import Sight, sight_of

register = template.Library()

FIRST = 5


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the first places."""

    place: int
    code: str
    team: str
    system: str
    score: str
    interval: str


@register.simple_tag(takes_context=True)
def leaders(context: template.Context, phase: Phase) -> list[Leader] | None:
    """Return the first official places of the public board, at most five; None while scores are hidden."""
    if sight_of(phase, now=context["server_now"], is_organizer=False) == Sight.HIDDEN:
        return None
    rows = Standing.objects.filter(
        board__phase=phase, audience="public", view="", place__isnull=False
    )
    found = rows.select_related("entrant__team", "evaluation__submission").order_by("position")
    return [_leader(row) for row in found[:FIRST]]


def _leader(row: Standing) -> Leader:
    return Leader(
        place=row.place or 0,
        code=row.entrant.code,
        team=row.entrant.team.name,
        system=row.evaluation.submission.system,
        score=shown.number(row.score, 2),
        interval=shown.span(row.low, row.high, 2),
    )
