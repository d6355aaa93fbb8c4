"""The page of a place: where the rater stands, what comes next, what was done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusals import Refusal
from accounts.views.access import person
from competition.models import Competition
from grading.enums import ProtocolState, RaterState, SessionState
from grading.models import Rater, RatingSession
from grading.services.ratings import raters, sessions
from grading.services.ratings.places import settings_of
from grading.services.ratings.sessions import SessionProgress
from grading.views.rating.frame import at_place, page, recent_of, step_of, to


@dataclass(frozen=True, slots=True)
class Row:
    """A rating that somebody takes part in."""

    rater: Rater
    competition: Competition
    session: RatingSession | None
    progress: SessionProgress | None
    answered: int

    @property
    def is_open(self) -> bool:
        """Whether anything can be rated there now."""
        return (
            self.rater.protocol.state == ProtocolState.OPEN
            and self.rater.state != RaterState.EXCLUDED
        )

    @property
    def is_under_way(self) -> bool:
        """Whether a sitting has come to its clips."""
        return self.session is not None and self.session.state == SessionState.RATING


def place_row(rater: Rater, now: datetime) -> Row:
    """Return what the pages say of one place."""
    session = sessions.running(rater=rater)
    return Row(
        rater=rater,
        competition=rater.protocol.selection.phase.track.competition,
        session=session,
        progress=sessions.progress(session=session, now=now) if session else None,
        answered=rater.ratings.filter(revision=0).count(),
    )


@at_place
@require_safe
def place(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show where a rater stands, and the one thing that comes next."""
    now = timezone.now()
    row = place_row(rater, now)
    has_consented = raters.has_consented(rater)
    is_ready = row.is_open and has_consented and bool(rater.languages)
    context = {
        "row": row,
        "has_consented": has_consented,
        "next_url": step_of(rater),
        "is_ready": is_ready,
        "offers": _offers(rater, now) if is_ready and row.session is None else [],
        "settings": settings_of(rater.protocol),
        "recent": recent_of(rater),
        "ended": rater.sessions.filter(ended_at__isnull=False).order_by("-number")[:20],
    }
    return page(request, rater, "place", context)


def _offers(rater: Rater, now: datetime) -> list[tuple[str, str]]:
    """Return each language with why no sitting can begin in it, empty where one can."""
    found = []
    for language in rater.languages:
        refusal = sessions.hindrance(rater=rater, language=language, now=now)
        found.append((language, "" if refusal is None else refusal.message))
    return found


@at_place
@require_POST
def start(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Begin a sitting in a language, or go on with the one that runs."""
    try:
        sessions.start(
            actor=person(request),
            rater=rater,
            language=request.POST.get("language", ""),
            now=timezone.now(),
        )
    except Refusal as refusal:
        messages.warning(request, refusal.message)
        return redirect(to("rate-place", rater))
    return redirect(step_of(rater))


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def rest(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Take the break that is offered, or go on; the page of a break waits as long as one likes."""
    session = sessions.running(rater=rater)
    if session is None:
        return redirect(to("rate-place", rater))
    if request.method == "POST":
        sessions.rest(actor=person(request), session=session, now=timezone.now())
        if request.POST.get("act") != "rest":
            return redirect(step_of(rater))
        return redirect(to("rate-rest", rater))
    found = sessions.progress(session=session, now=timezone.now())
    return page(request, rater, "rest", {"progress": found, "next_url": step_of(rater)})


@at_place
@require_POST
def leave(request: HttpRequest, rater: Rater) -> HttpResponse:
    """End a sitting early."""
    session = sessions.running(rater=rater)
    if session is None:
        return redirect(to("rate-place", rater))
    sessions.leave(actor=person(request), session=session, now=timezone.now())
    messages.success(request, _("The sitting is over. What you sent counts."))
    return redirect(to("rate-sitting", rater, sitting=session.code))


@at_place
@require_safe
def sitting(request: HttpRequest, rater: Rater, sitting: str) -> HttpResponse:
    """Show how a sitting ended, and what may come next."""
    found = get_object_or_404(rater.sessions, code=sitting)
    if found.ended_at is None:
        return redirect(step_of(rater))
    context = {
        "session": found,
        "settings": settings_of(rater.protocol),
        "recent": recent_of(rater),
        "answered": found.tasks.filter(ratings__revision=0).count(),
        "row": place_row(rater, timezone.now()),
    }
    return page(request, rater, "sitting", context)
