"""Boards over the API: the same object that the page renders, with an ETag."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from competition.api.views import visible_phase
from competition.queries import may_see_board
from grading.published import board_json


class BoardView(APIView):
    """The board of a phase: rows per view, how they were made, and the log's head."""

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="board")
    def get(self, request: Request, slug: str, track: str, phase: str) -> HttpResponse:
        """Return the board; 304 when the ETag that was sent still holds, 404 while it is not shown."""
        found = visible_phase(request, slug, track, phase)
        now = timezone.now()
        if not may_see_board(request.user, found, now):
            raise Http404
        data = board_json(found, request.user, now)
        headers = {"ETag": data.etag, "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == data.etag:
            return HttpResponse(status=304, headers=headers)
        return HttpResponse(data.body, content_type="application/json", headers=headers)
