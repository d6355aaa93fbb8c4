"""A board as CSV and JSON, in the order of the page, and the board's own object, data.json."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.views.access import viewer
from competition.queries import may_see_board
from grading.published import published
from grading.scoring import registry
from grading.views.board_page import BoardChoice, chosen_rows
from grading.views.board_rows import BoardRow, Columns, columns_of
from grading.views.board_source import BoardSource, board_source
from grading.views.boards import board_choice
from grading.views.lookups import phase_of

BYTE_ORDER_MARK = "\ufeff"
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""Spreadsheets of East Asia take full-width signs for the others."""
FIXED = ("place", "rank_first", "rank_last", "band", "team", "system", "kind", "status")


@require_safe
def board_csv(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Export the rows of a board's page as CSV, with a byte order mark for spreadsheets."""
    source, columns, choice = _chosen(request, slug, track, phase)
    rows = chosen_rows(source.rows, columns, choice)
    text = csv_text([_record(row, columns) for row in rows], _names(columns))
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


def csv_text(records: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Return records as CSV; a text that a spreadsheet would run as a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    for record in records:
        writer.writerow([neutral(record[name]) for name in names])
    return out.getvalue()


def neutral(value: Any) -> Any:
    """Return a cell that no spreadsheet runs; missing is empty, numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, str) and value.lstrip(" \u3000").startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def csv_response(text: str, filename: str) -> HttpResponse:
    """Return CSV as a download with a byte order mark, so that spreadsheets read it as UTF-8."""
    body = (BYTE_ORDER_MARK + text).encode()
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
    languages = registry.get(found.track.kind).languages
    choice = board_choice(request, languages)
    source = board_source(viewer(request), found, choice.view, timezone.now())
    if source.hidden_reason:
        raise Http404
    return source, columns_of(languages, choice.view), choice


def _names(columns: Columns) -> list[str]:
    numbers = [column.key for column in columns]
    return [*FIXED, numbers[0], "low", "high", *numbers[1:], "differs_from_first", "difference"]


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
    }
