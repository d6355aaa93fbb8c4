"""The console's acts on boards and on scoring: each asks for a reason and keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.enums import BoardAct
from competition.models import BoardChange, Phase
from competition.services import publication
from competition.templatetags.texts import phase_name
from competition.timeline import frozen_since
from grading.console_forms import ReasonForm
from grading.services import administration, pausing
from grading.views.lookups import Console, acts_in_console, in_console


@dataclass(frozen=True, slots=True)
class BoardState:
    """One phase's board as its organizers direct it."""

    phase: Phase
    frozen_since: datetime | None
    acts: list[tuple[str, str]]


def verbs() -> dict[BoardAct, str]:
    """Return what the buttons say."""
    return {
        BoardAct.FREEZE: _("Freeze"),
        BoardAct.UNFREEZE: _("Unfreeze"),
        BoardAct.PUBLISH: _("Publish"),
        BoardAct.TAKE_DOWN: _("Take down"),
    }


@in_console
@require_safe
def board_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the boards with their state, what can be done, and what was done with which reason."""
    now = timezone.now()
    phases = Phase.objects.filter(track__competition=place.competition).select_related("track")
    words = verbs()
    states = [
        BoardState(
            phase,
            frozen_since(phase, now),
            [(act.value, words[act]) for act in words if act in publication.possible(phase, now)],
        )
        for phase in phases.prefetch_related("board_changes")
    ]
    changes = BoardChange.objects.filter(phase__track__competition=place.competition)
    context = _context(place) | {
        "boards": states,
        "changes": changes.select_related("phase__track", "actor"),
    }
    return render(request, "grading/console_boards.html", context)


@acts_in_console
def board_act(request: HttpRequest, place: Console, code: str, act: str) -> HttpResponse:
    """Freeze, unfreeze, publish or take down a board, with the reason."""
    if act not in BoardAct.values:
        raise Http404
    phases = Phase.objects.select_related("track__competition")
    phase = get_object_or_404(phases, track__competition=place.competition, code=code)
    form = ReasonForm(request.POST or None, shown_to=_("Everybody reads it on the board."))
    kind = BoardAct(act)
    if form.is_valid():
        with refusals_on(form):
            administration.change_board(
                actor=place.user,
                phase=phase,
                act=kind,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("Done; the board follows within seconds."))
            return redirect("grading:console-boards", place.competition.slug)
    context = _context(place) | {
        "form": form,
        "title": f"{verbs()[kind]}: {phase_name(phase)}",
        "meaning": _meanings()[kind],
        "is_danger": kind == BoardAct.TAKE_DOWN,
        "back": "grading:console-boards",
    }
    return render(request, "grading/console_reason.html", context)


@acts_in_console
def scoring_pause(request: HttpRequest, place: Console) -> HttpResponse:
    """Pause scoring with the reason, or let it go on."""
    is_paused = place.competition.paused_at is not None
    form = ReasonForm(request.POST or None, shown_to=_("The teams read it."))
    act = pausing.resume if is_paused else pausing.pause
    if form.is_valid():
        with refusals_on(form):
            reason = form.cleaned_data["reason"]
            act(actor=place.user, competition=place.competition, reason=reason, now=timezone.now())
            done = _("Scoring goes on.") if is_paused else _("Scoring is paused.")
            messages.success(request, done)
            return redirect("grading:console", place.competition.slug)
    title = _("Let scoring go on") if is_paused else _("Pause scoring")
    meaning = _(
        "Uploads are taken and checked as always. Nothing new is scored until scoring goes on; "
        "what is being scored now ends."
    )
    context = _context(place) | {
        "form": form,
        "title": title,
        "meaning": "" if is_paused else meaning,
        "back": "grading:console",
    }
    return render(request, "grading/console_reason.html", context)


def _meanings() -> dict[BoardAct, str]:
    return {
        BoardAct.FREEZE: _(
            "The public board stands still, also beyond the end of the phase, until you unfreeze "
            "or publish it. New scores go to their own teams alone."
        ),
        BoardAct.UNFREEZE: _("The public board shows every score again."),
        BoardAct.PUBLISH: _("Everybody sees the board as it stands; the teams are told."),
        BoardAct.TAKE_DOWN: _(
            "Nobody but the organizers and auditors sees the board until you publish it again. "
            "The reason stands in its place."
        ),
    }


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
