"""The public pages of a competition: overview, data, rules, timeline, announcements."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.views.access import viewer
from competition.charts import timeline_chart
from competition.entries import situation
from competition.enums import EntrantState
from competition.guidance import next_step
from competition.models import DeadlineChange, Phase, PhaseDraw
from competition.queries import current_terms, may_see_board
from competition.views.frame import find_competition, frame

NEWS_ON_OVERVIEW = 2
NEWS_PER_PAGE = 20


def competition_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what to send, by when, how it is scored, who leads, and what to do next."""
    now = timezone.now()
    competition = find_competition(request, slug)
    context = frame(competition, now, "overview")
    given = situation(viewer(request), competition, now)
    phase = context["board_phase"]
    context |= {
        "step": next_step(given).value,
        "entrant": given.entrant or given.joinable,
        "news": competition.announcements.all()[:NEWS_ON_OVERVIEW],
        "entrant_count": competition.entrants.filter(state=EntrantState.ACCEPTED).count(),
        "shows_board": phase is not None and may_see_board(viewer(request), phase, now),
    }
    return render(request, "competition/overview.html", context)


def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the data, the format of an upload and its limits."""
    competition = find_competition(request, slug)
    context = frame(competition, timezone.now(), "data")
    phases = Phase.objects.filter(track__competition=competition)
    drawn = Exists(PhaseDraw.objects.filter(phase=OuterRef("pk")))
    context["sets"] = (
        phases.select_related("track", "references")
        .annotate(is_drawn=drawn)
        .order_by("track__position", "track__slug", "position", "slug")
    )
    offered = competition.packs.filter(
        offered_at__isnull=False, withdrawn_at__isnull=True, addressees__isnull=True
    )
    context["has_packs"] = offered.exists()
    return render(request, "competition/data.html", context)


def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules and the terms in force."""
    competition = find_competition(request, slug)
    context = frame(competition, timezone.now(), "rules")
    context["terms"] = current_terms(competition)
    return render(request, "competition/rules.html", context)


def timeline(request: HttpRequest, slug: str) -> HttpResponse:
    """Show when each phase opens and closes, and every deadline that was moved."""
    now = timezone.now()
    competition = find_competition(request, slug)
    context = frame(competition, now, "timeline")
    context["chart"] = timeline_chart(context["phases"], now)
    context["changes"] = DeadlineChange.objects.filter(
        phase__track__competition=competition
    ).select_related("phase__track")
    return render(request, "competition/timeline.html", context)


def announcements(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the organizers' news, newest first."""
    competition = find_competition(request, slug)
    context = frame(competition, timezone.now(), "announcements")
    news = Paginator(competition.announcements.all(), NEWS_PER_PAGE)
    context["page"] = news.get_page(request.GET.get("page"))
    return render(request, "competition/announcements.html", context)
