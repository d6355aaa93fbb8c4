"""The console's people of an entrant: who takes part, taken out with a reason; and the entrant's withdrawal."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.models import Entrant
from competition.queries import members_of
from grading.console_forms import ReasonForm
from grading.services import administration
from grading.views.lookups import Console, acts_in_console, in_console


@in_console
@require_safe
def member_list(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """List the people who take part with an entrant."""
    entrant = _entrant(place, code)
    context = _context(place) | {"entrant": entrant, "members": members_of(entrant)}
    return render(request, "grading/console_people.html", context)


@acts_in_console
def member_remove(request: HttpRequest, place: Console, code: str, member: str) -> HttpResponse:
    """Take a person out of an entrant, with the reason."""
    entrant = _entrant(place, code)
    user = get_object_or_404(members_of(entrant), user__code=member).user
    form = ReasonForm(request.POST or None, shown_to=_("The team and the person read it."))
    if form.is_valid():
        with refusals_on(form):
            administration.remove_member(
                actor=place.user,
                entrant=entrant,
                user=user,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("%(name)s no longer takes part.") % {"name": user.name})
            return redirect("grading:entrant-people", place.competition.slug, code)
    names = {"name": user.name, "team": entrant.team.name}
    context = _context(place) | {
        "form": form,
        "title": _("Take %(name)s out of %(team)s") % names,
        "meaning": _("The quota that the team has used with this person stays used."),
        "is_danger": True,
        "back": "grading:console-entrants",
    }
    return render(request, "grading/console_reason.html", context)


@acts_in_console
def entrant_withdraw(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Withdraw an entrant at its wish, with the reason."""
    entrant = _entrant(place, code)
    form = ReasonForm(request.POST or None, shown_to=_("The team reads it."))
    if form.is_valid():
        with refusals_on(form):
            administration.withdraw(
                actor=place.user,
                entrant=entrant,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("%(team)s is withdrawn.") % {"team": entrant.team.name})
            return redirect("grading:console-entrants", place.competition.slug)
    context = _context(place) | {
        "form": form,
        "title": _("Withdraw %(team)s") % {"team": entrant.team.name},
        "meaning": _("Its line stays on the board, marked, without a score or a place."),
        "is_danger": True,
        "back": "grading:console-entrants",
    }
    return render(request, "grading/console_reason.html", context)


def _entrant(place: Console, code: str) -> Entrant:
    entrants = Entrant.objects.select_related("team", "competition")
    return get_object_or_404(entrants, competition=place.competition, code=code)


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
