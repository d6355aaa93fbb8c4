"""The console's dates: move one with a reason, and see every move."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.models import DeadlineChange, Phase
from competition.timeline import format_moment, phase_state
from grading.forms import DeadlineForm
from grading.services import administration
from grading.views.lookups import Console, acts_in_console, in_console


@in_console
@require_safe
def deadline_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the dates of every phase, and each move with its reason."""
    phases = Phase.objects.filter(track__competition=place.competition).select_related("track")
    changes = DeadlineChange.objects.filter(phase__track__competition=place.competition)
    now = timezone.now()
    context = {
        "place": place,
        "competition": place.competition,
        "phases": [(phase, phase_state(phase, now)) for phase in phases],
        "changes": changes.select_related("phase__track", "actor"),
    }
    return render(request, "grading/console_deadlines.html", context)


@acts_in_console
def deadline_move(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Move one date of a phase."""
    phases = Phase.objects.select_related("track__competition")
    phase = get_object_or_404(phases, track__competition=place.competition, code=code)
    form = DeadlineForm(request.POST or None, initial=_initial(phase))
    if form.is_valid():
        moment: datetime | None = form.cleaned_data["moment"]
        with refusals_on(form):
            administration.move_deadline(
                actor=place.user,
                phase=phase,
                field=form.cleaned_data["field"],
                new=moment,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The date is moved; everybody sees the old one too."))
            return redirect("grading:console-deadlines", place.competition.slug)
    context = {"place": place, "competition": place.competition, "phase": phase, "form": form}
    return render(request, "grading/console_deadline.html", context)


def _initial(phase: Phase) -> dict[str, str]:
    return {"field": "closes_at", "new": format_moment(phase.closes_at, closing=True)}
