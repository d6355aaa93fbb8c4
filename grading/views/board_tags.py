"""How an open board page learns, cheaply, that there is something new: an ETag over what it shows."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from accounts.models import User
from competition.models import Phase
from competition.queries import entrant_of
from competition.timeline import PhaseState, frozen_since, phase_state
from grading import queries
from grading.models import Board
from grading.views.board_page import BoardChoice

OPEN_SECONDS = 2
"""How often a page asks while scores may come at any moment."""
QUIET_SECONDS = 30
"""How often before a phase opens and after it closed: corrections and publications are rare."""


def poll_seconds(phase: Phase, now: datetime) -> int:
    """Return how many seconds a page waits between two requests."""
    is_live = phase_state(phase, now) in {PhaseState.OPEN, PhaseState.GRACE}
    return OPEN_SECONDS if is_live else QUIET_SECONDS


def board_etag(user: User | None, phase: Phase, choice: BoardChoice, now: datetime) -> str:
    """Return 16 hex digits that change with what the reader may see of the board in their choice.

    No row is read for it: a board's number and time of making stand for its rows.
    """
    entrant = entrant_of(user, phase.track.competition)
    made = Board.objects.filter(phase=phase).values_list("built", "built_at").first()
    parts = (
        get_language(),
        made,
        phase_state(phase, now),
        phase.closes_at,
        frozen_since(phase, now),
        phase.hidden_at,
        phase.board_visibility,
        queries.organizes(user, phase),
        user.pk if user else None,
        (entrant.code, entrant.state) if entrant else None,
        choice,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def has_tag(request: HttpRequest, etag: str) -> bool:
    """Return whether the request shows that its page has this very state."""
    return request.headers.get("If-None-Match", "").strip('W/"') == etag


def tagged(response: HttpResponse, etag: str) -> HttpResponse:
    """Return the response with its tag, to be asked for again each time."""
    response["ETag"] = f'"{etag}"'
    response["Cache-Control"] = "private, no-cache"
    return response
