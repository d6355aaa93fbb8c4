"""The final board over the API: the same object and the same CSV as on its page."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from competition.api.views import visible_phase
from grading.enums import FinalList
from grading.final_files import Body, body_of, list_csv
from grading.spreadsheets import csv_bytes

VIEW = OpenApiParameter("view", OpenApiTypes.STR, description="a language; empty: the final score")
LIST = OpenApiParameter(
    "list", OpenApiTypes.STR, enum=FinalList.values, description="which of the two lists"
)


def _body(request: Request, slug: str, track: str, phase: str) -> Body:
    body = body_of(visible_phase(request, slug, track, phase), request.user, timezone.now())
    if body is None:
        raise Http404
    return body


class FinalView(APIView):
    """The final board of a phase: scores of judge and people, combined, and how they were made."""

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="final")
    def get(self, request: Request, slug: str, track: str, phase: str) -> HttpResponse:
        """Return the board; 304 when the ETag that was sent still holds, 404 until it is published."""
        body = _body(request, slug, track, phase)
        headers = {"ETag": body.etag, "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == body.etag:
            return HttpResponse(status=304, headers=headers)
        return HttpResponse(body.body, content_type="application/json", headers=headers)


class FinalCsvView(APIView):
    """One list of the final board as CSV."""

    @extend_schema(
        responses={(200, "text/csv"): OpenApiTypes.STR},
        parameters=[VIEW, LIST],
        operation_id="final_csv",
    )
    def get(self, request: Request, slug: str, track: str, phase: str) -> HttpResponse:
        """Return the rows of a list in a view; 404 until the board is published."""
        body = _body(request, slug, track, phase)
        query = request.query_params
        text = list_csv(body.data, view=query.get("view", ""), listing=query.get("list", ""))
        if text is None:
            raise Http404
        headers = {"Cache-Control": "no-cache"}
        return HttpResponse(
            csv_bytes(text), content_type="text/csv; charset=utf-8", headers=headers
        )
