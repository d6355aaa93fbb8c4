"""The final board of a phase: the page, CSV, and the object that both are made from."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.views.access import viewer
from competition.models import Phase
from competition.queries import entrant_of
from grading import finals
from grading.final_files import Body, body_of, list_csv
from grading.models import FinalSystem
from grading.scoring import registry
from grading.services.final.filings import UNRANKED
from grading.views.exports import csv_response
from grading.views.final_page import FinalPage, rating_words
from grading.views.lookups import phase_of


@require_safe
def final(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Show the final board in the chosen view; before it is published, that it is not."""
    found, now = _phase(request, slug, track, phase), timezone.now()
    seen = finals.seen_by(found, viewer(request), now)
    page = final_page(found, seen, viewer(request), request.GET.get("view", ""))
    rating = page.data.get("rating") if page else None
    context = {
        "page": page,
        "phase": found,
        "rating": rating_words(rating),
        "own": _own_systems(found, viewer(request)),
    }
    return render(request, "grading/final.html", context)


@require_safe
def final_csv(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Export one list of the final board in the chosen view: systems that people rated, or `list=judged`."""
    body = _body(request, _phase(request, slug, track, phase))
    listing = request.GET.get("list", "")
    text = list_csv(body.data, view=request.GET.get("view", ""), listing=listing)
    if text is None:
        raise Http404
    return csv_response(text, f"{slug}-{track}-{phase}-final.csv")


@require_safe
def final_json(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Give the object that the page is made from; an unchanged one answers 304."""
    body = _body(request, _phase(request, slug, track, phase))
    response = HttpResponse(body.body, content_type="application/json")
    response["ETag"] = body.etag
    response["Cache-Control"] = "no-cache"
    return get_conditional_response(request, etag=body.etag, response=response) or response


def _own_systems(phase: Phase, user: User | None) -> list[FinalSystem]:
    """Return the selected systems of the reader's own team that papers are asked of."""
    entrant = entrant_of(user, phase.track.competition)
    if entrant is None:
        return []
    rows = FinalSystem.objects.filter(selection__phase=phase, submission__entrant=entrant)
    return list(rows.exclude(reason__in=UNRANKED).select_related("submission"))


def final_page(
    phase: Phase, seen: finals.Seen | None, user: User | None, view: str
) -> FinalPage | None:
    """Return the final board as a page; None while nothing of it is shown."""
    if seen is None:
        return None
    languages = registry.get(phase.track.kind).languages
    entrant = entrant_of(user, phase.track.competition)
    return FinalPage(
        phase=phase,
        data=finals.final_object(phase, seen),
        view=view if view in languages else "",
        languages=languages,
        mine=entrant.code if entrant else "",
        is_organizer=seen.is_organizer,
    )


def _phase(request: HttpRequest, slug: str, track: str, phase: str) -> Phase:
    """Return a phase whose track has a final; raises Http404."""
    found = phase_of(request, slug, track, phase)
    if not registry.get(found.track.kind).has_final:
        raise Http404
    return found


def _body(request: HttpRequest, phase: Phase) -> Body:
    """Return the object as the reader may see it; raises Http404 while nothing is shown."""
    body = body_of(phase, viewer(request), timezone.now())
    if body is None:
        raise Http404
    return body
