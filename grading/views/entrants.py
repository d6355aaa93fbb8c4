"""The console's entrants: decide, change the status, disqualify and take it back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, Count, Q, QuerySet, When
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from competition.enums import EntrantKind, EntrantState
from competition.models import Competition, Entrant
from grading.enums import SubmissionKind
from grading.forms import DecisionForm, DisqualifyForm, KindForm
from grading.services import administration
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 50


@in_console
@require_safe
def entrant_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the entrants, those that wait for a decision first."""
    state = request.GET.get("state", "")
    found = _entrants(place.competition)
    if state in EntrantState.values:
        found = found.filter(state=state)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "place": place,
        "competition": place.competition,
        "page": page,
        "states": EntrantState.choices,
        "state": state,
    }
    return render(request, "grading/console_entrants.html", context)


@acts_in_console
@require_POST
def entrant_decide(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Accept or refuse an entrant."""
    entrant, form = _entrant(place, code), DecisionForm(request.POST)
    if form.is_valid():
        accept = form.cleaned_data["decision"] == "accept"
        with refusals_told(request):
            administration.decide(
                actor=place.user,
                entrant=entrant,
                accept=accept,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            done = _("%(team)s is accepted.") if accept else _("%(team)s is refused.")
            messages.success(request, done % {"team": entrant.team.name})
    return redirect("grading:console-entrants", place.competition.slug)


@acts_in_console
def entrant_kind(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Make an entrant official, unofficial or a baseline."""
    entrant = _entrant(place, code)
    form = KindForm(request.POST or None, initial={"kind": entrant.kind})
    if form.is_valid():
        with refusals_on(form):
            administration.set_kind(
                actor=place.user,
                entrant=entrant,
                kind=EntrantKind(form.cleaned_data["kind"]),
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The status of %(team)s is changed.") % _team(entrant))
            return redirect("grading:console-entrants", place.competition.slug)
    return _form_page(request, place, entrant, form, _("Status of %(team)s") % _team(entrant))


@acts_in_console
def entrant_disqualify(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Disqualify an entrant, or take a disqualification or withdrawal back, with the reason."""
    entrant = _entrant(place, code)
    form = DisqualifyForm(request.POST or None, entrant=entrant)
    is_out = entrant.state in {EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN}
    act = administration.reinstate if is_out else administration.disqualify
    if form.is_valid():
        with refusals_on(form):
            reason = form.cleaned_data["reason"]
            act(actor=place.user, entrant=entrant, reason=reason, now=timezone.now())
            done = _("%(team)s takes part again.") if is_out else _("%(team)s is disqualified.")
            messages.success(request, done % _team(entrant))
            return redirect("grading:console-entrants", place.competition.slug)
    title = _("Let %(team)s take part again") if is_out else _("Disqualify %(team)s")
    return _form_page(request, place, entrant, form, title % _team(entrant))


def _team(entrant: Entrant) -> dict[str, str]:
    return {"team": entrant.team.name}


def _entrant(place: Console, code: str) -> Entrant:
    entrants = Entrant.objects.select_related("team", "competition")
    return get_object_or_404(entrants, competition=place.competition, code=code)


def _entrants(competition: Competition) -> QuerySet[Any]:
    entries = Count("submissions", filter=Q(submissions__kind=SubmissionKind.ENTRY), distinct=True)
    people = Count("members", filter=Q(members__left_at__isnull=True), distinct=True)
    waiting_first = Case(When(state=EntrantState.PENDING, then=0), default=1)
    return (
        Entrant.objects.filter(competition=competition)
        .select_related("team")
        .annotate(entry_count=entries, member_count=people)
        .order_by(waiting_first, "team__name_key")
    )


def _form_page(
    request: HttpRequest, place: Console, entrant: Entrant, form: Form, title: str
) -> HttpResponse:
    context = {
        "place": place,
        "competition": place.competition,
        "entrant": entrant,
        "form": form,
        "title": title,
        "is_danger": isinstance(form, DisqualifyForm),
        "changes": entrant.changes.select_related("actor"),
    }
    return render(request, "grading/console_entrant.html", context)
