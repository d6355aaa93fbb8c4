"""Boards over the API: the same object that the page renders, with an ETag."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from competition.api.views import visible_phase
from competition.queries import may_see_board
from grading import queries


class BoardView(APIView):
    """The board of a phase: rows per view, how they were made, and the log's head."""

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="board")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return the board; 304 when the ETag that was sent still holds, 404 while it is not shown."""
        found = visible_phase(request, slug, track, phase)
        now = timezone.now()
        if not may_see_board(request.user, found, now):
            raise Http404
        body = queries.board_object(found, request.user, now)
        tag = etag_of(body)
        if request.headers.get("If-None-Match") == tag:
            return Response(status=304, headers={"ETag": tag})
        return Response(body, headers={"ETag": tag, "Cache-Control": "no-cache"})


def etag_of(body: dict[str, Any]) -> str:
    """Return a quoted tag that changes with any byte of the object."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return f'"{hashlib.sha256(canonical).hexdigest()[:32]}"'
