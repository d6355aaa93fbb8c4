"""The organizer's console: what goes on, and every submission."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from competition.models import Competition, Entrant, Phase
from competition.templatetags.texts import phase_name
from grading.enums import EvaluationState, SubmissionState
from grading.models import Submission
from grading.views import console_page
from grading.views.histories import listed
from grading.views.lookups import Console, in_console

PER_PAGE = 50
STATES = {
    "received": Q(state=SubmissionState.RECEIVED),
    "waiting": Q(state=SubmissionState.ACCEPTED, evaluations__state=EvaluationState.WAITING),
    "queued": Q(state=SubmissionState.ACCEPTED, evaluations__state=EvaluationState.QUEUED),
    "running": Q(state=SubmissionState.ACCEPTED, evaluations__state=EvaluationState.RUNNING),
    "scored": Q(state=SubmissionState.ACCEPTED, evaluations__state=EvaluationState.SCORED),
    "rejected": Q(state=SubmissionState.REJECTED),
    "failed": Q(state=SubmissionState.FAILED),
    "cancelled": Q(state=SubmissionState.CANCELLED),
}


@in_console
@require_safe
def console(request: HttpRequest, place: Console) -> HttpResponse:
    """Show queue, workers, failures and quota use of a competition.

    The page asks for its changing part again every few seconds.
    """
    now = timezone.now()
    workers = console_page.workers_of(now)
    context = {
        "place": place,
        "competition": place.competition,
        "figures": console_page.figures_of(place.competition, now),
        "alarm": console_page.alarm_of(workers),
        "queue": console_page.queue_of(place.competition, now),
        "workers": workers,
        "failures": console_page.failures_of(place.competition, now),
        "quotas": console_page.quota_of(place.competition, now),
        "waiting_entrants": console_page.waiting_entrants(place.competition).count(),
        "waiting_questions": place.competition.questions.filter(answered_at__isnull=True).count(),
        "alarms": console_page.alarms_of(now),
        "now": now,
    }
    template = "partials/console_live.html" if "live" in request.GET else "console.html"
    return render(request, f"grading/{template}", context)


@in_console
@require_safe
def submission_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List every submission of a competition, newest first, filtered by state, entrant and phase."""
    chosen = {key: _code(request.GET.get(key, "")) for key in ("state", "entrant", "phase")}
    found = _filtered(place.competition, chosen)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    rows = listed(list(page), place.user, timezone.now(), counted=False)
    context = {
        "place": place,
        "competition": place.competition,
        "chosen": chosen,
        "page": page,
        "submissions": rows,
        "states": list(STATES),
        "entrants": _entrants(place.competition),
        "phases": _phases(place.competition),
    }
    return render(request, "grading/console_submissions.html", context)


def _code(text: str) -> str:
    """Return a code that a query names, empty for anything that cannot be one."""
    return text if text.isascii() and text.isalnum() else ""


def _filtered(competition: Competition, chosen: dict[str, str]) -> QuerySet[Submission]:
    wanted = Q(phase__track__competition=competition)
    wanted &= STATES.get(chosen["state"], Q())
    if chosen["entrant"]:
        wanted &= Q(entrant__code=chosen["entrant"])
    if chosen["phase"]:
        wanted &= Q(phase__code=chosen["phase"])
    return (
        Submission.objects.filter(wanted)
        .select_related("entrant__team", "phase__track__competition")
        .distinct()
        .order_by("-created_at", "-pk")
    )


def _entrants(competition: Competition) -> QuerySet[Entrant]:
    return (
        Entrant.objects.filter(competition=competition)
        .select_related("team")
        .order_by("team__name_key")
    )


def _phases(competition: Competition) -> list[dict[str, Any]]:
    phases = Phase.objects.filter(track__competition=competition).select_related("track")
    return [{"code": phase.code, "title": phase_name(phase, competition)} for phase in phases]
