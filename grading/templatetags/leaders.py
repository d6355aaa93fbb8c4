"""The first rows of a board for pages of other apps: the public snapshot, as everybody sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import template

from competition.models import Phase
from grading.kept import Kept
from grading.models import Standing
from grading.presentation import Sight, judge_in, sight_of
from grading.scoring import registry
from grading.scoring.tracks.columns import Column
from grading.views import judge_label, parts

register = template.Library()

FIRST = 5
NAMES = (
    "place",
    "entrant__code",
    "entrant__team__name",
    "evaluation__submission__system",
    "score",
    "low",
    "high",
    "evaluation__recipe__scorer",
    "evaluation__recipe__params",
    "evaluation__recipe__digest",
)
_HEADS: Kept[Column] = Kept(64)


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the first places."""

    place: int
    code: str
    team: str
    system: str
    score: str
    interval: str
    provisional: str
    provisional_note: str
    score_name: str


@register.simple_tag(takes_context=True)
def leaders(context: template.Context, phase: Phase) -> list[Leader] | None:
    """Return the first official places of the public board, at most five; None while scores are hidden."""
    if sight_of(phase, now=context["server_now"], is_organizer=False) == Sight.HIDDEN:
        return None
    rows = Standing.objects.filter(
        board__phase=phase, audience="public", view="", place__isnull=False
    )
    # The places alone first: joined with their teams, a planner may read every row of the board.
    first = rows.order_by("position").values("pk")[:FIRST]
    found = Standing.objects.filter(pk__in=first).order_by("position")
    return [_leader(row) for row in found.values(*NAMES)]


def _leader(row: Mapping[str, Any]) -> Leader:
    scorer, params = row["evaluation__recipe__scorer"], row["evaluation__recipe__params"]
    judge = judge_in(scorer, params)
    head = _head(scorer, row["evaluation__recipe__digest"], params)
    return Leader(
        place=row["place"] or 0,
        code=row["entrant__code"],
        team=row["entrant__team__name"],
        system=row["evaluation__submission__system"],
        score=parts.written(head, row["score"]),
        interval=parts.span(head, row["low"], row["high"]),
        provisional=judge_label.heading(judge),
        provisional_note=judge_label.note(judge),
        score_name=parts.words(head.label),
    )


def _head(scorer: str, digest: str, params: Mapping[str, Any]) -> Column:
    """Return the score's column of a recipe, read once a recipe."""

    def read() -> Column:
        track = registry.get(scorer)
        return track.columns_of(track.params(params))[0]

    return _HEADS.get((scorer, digest), read)
