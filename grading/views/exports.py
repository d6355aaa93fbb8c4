"""A board as CSV and JSON, in the order of the page, and the board's own object, data.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.views.access import viewer
from competition.queries import may_see_board
from grading.presentation import judge_in
from grading.published import published
from grading.scoring.tracks.columns import SCORE
from grading.spreadsheets import csv_bytes, csv_text
from grading.views.board_page import BoardChoice, chosen_rows
from grading.views.board_rows import BoardRow, Columns, columns_of
from grading.views.board_source import BoardSource, board_source
from grading.views.boards import board_choice
from grading.views.lookups import phase_of

FIXED = ("place", "rank_first", "rank_last", "band", "team", "system", "kind", "status")
LAST = ("withheld_reason", "corrected_on")


@require_safe
def board_csv(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Export the rows of a board's page as CSV, with a byte order mark for spreadsheets."""
    source, columns, choice = _chosen(request, slug, track, phase)
    rows = chosen_rows(source.rows, columns, choice)
    judge = _judge(source)
    told = {} if judge is None else {"judge": _judge_word(judge)}
    text = csv_text([_record(row, columns) | told for row in rows], [*_names(columns), *told])
    return csv_response(text, f"{slug}-{track}-{phase}-board.csv")


@require_safe
def board_json(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Export the rows of a board's page as JSON; missing numbers are null."""
    source, columns, choice = _chosen(request, slug, track, phase)
    rows = chosen_rows(source.rows, columns, choice)
    body = {
        "competition": slug,
        "track": track,
        "phase": phase,
        "view": choice.view,
        "recipe_digest": source.recipe["digest"] if source.recipe else None,
        "judge": _judge(source),
        "computed_at": source.built_at.isoformat() if source.built_at else None,
        "rows": [_record(row, columns) for row in rows],
    }
    response = JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return attached(response, f"{slug}-{track}-{phase}-board.json")


@require_safe
def board_data(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Give the object that the public board is made from; an unchanged one answers 304."""
    found = phase_of(request, slug, track, phase)
    now = timezone.now()
    if not may_see_board(viewer(request), found, now):
        raise Http404
    data = published(found, now)
    response = HttpResponse(data.body, content_type="application/json")
    response["ETag"] = data.etag
    response["Cache-Control"] = "no-cache"
    return get_conditional_response(request, etag=data.etag, response=response) or response


def csv_response(text: str, filename: str) -> HttpResponse:
    """Return CSV as a download with a byte order mark, so that spreadsheets read it as UTF-8."""
    body = csv_bytes(text)
    return attached(HttpResponse(body, content_type="text/csv; charset=utf-8"), filename)


def attached(response: HttpResponse, filename: str) -> HttpResponse:
    """Mark an answer as a download; `filename` is made of slugs and codes."""
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    response["Cache-Control"] = "no-cache"
    return response


def _chosen(
    request: HttpRequest, slug: str, track: str, phase: str
) -> tuple[BoardSource, Columns, BoardChoice]:
    found = phase_of(request, slug, track, phase)
    choice = board_choice(request, found)
    source = board_source(viewer(request), found, choice.view, timezone.now())
    if source.hidden_reason:
        raise Http404
    return source, columns_of(source.head, choice.view), choice


def _judge(source: BoardSource) -> dict[str, Any] | None:
    """Return the judge whose marks made the scores, None where no judge's did."""
    recipe = source.recipe
    return judge_in(recipe["track"], recipe.get("params") or {}) if recipe else None


def _judge_word(judge: Mapping[str, Any]) -> str:
    """Return what the judge is, for a spreadsheet: `stand-in`, `recorded` or `model`."""
    if judge["is_stand_in"]:
        return "stand-in"
    return "recorded" if judge["is_recorded"] else "model"


def _names(columns: Columns) -> list[str]:
    first, *others = [column.key for column in columns] or [SCORE]
    return [*FIXED, first, "low", "high", *others, "differs_from_first", "difference", *LAST]


def _record(row: BoardRow, columns: Columns) -> dict[str, Any]:
    return {
        "place": row.place,
        "rank_first": row.first,
        "rank_last": row.last,
        "band": row.band,
        "team": row.team,
        "system": row.system,
        "kind": row.kind,
        "status": row.status,
        "low": row.low,
        "high": row.high,
        **{column.key: row.values.get(column.key) for column in columns},
        "differs_from_first": row.difference.get("differs"),
        "difference": row.difference.get("delta"),
        "withheld_reason": row.withheld_reason or None,
        "corrected_on": row.corrected_on or None,
    }
