"""The console's finals: choose systems, watch snapshots, publish, compute again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from accounts.refusals import Refusal
from competition.enums import BoardAct
from competition.models import Competition, Phase
from competition.templatetags.texts import phase_name
from competition.timeline import is_closed
from grading import finals, papers
from grading.console_forms import ReasonForm
from grading.final_forms import SelectForm, WishForm
from grading.models import FinalBoard, FinalCheck, FinalRanking, FinalSelection, FinalSystem
from grading.scoring import registry
from grading.services.final import choosing, publishing, rankings, recomputing
from grading.services.final.choosing import Proposal, Wish
from grading.views.direction import verbs
from grading.views.final_story import Story, stories_of
from grading.views.lookups import Console, acts_in_console, in_console


@dataclass(frozen=True, slots=True)
class Line:
    """One phase that has, or may get, a final."""

    phase: Phase
    is_closed: bool
    board: FinalBoard | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A selection before it is recorded: what is asked for, what would be, or why nothing can be."""

    phase: Phase
    form: WishForm
    proposal: Proposal | None = None
    select: SelectForm | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """A final after its selection, as organizers direct it."""

    selection: FinalSelection
    systems: list[tuple[FinalSystem, list[papers.Item]]]
    board: FinalBoard
    ranking: FinalRanking | None
    is_behind: bool
    acts: list[tuple[str, str]]
    checks: list[FinalCheck]
    stories: list[Story]


@in_console
@require_safe
def final_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the phases whose systems people rate, with what stands."""
    context = _context(place) | {"lines": _lines(place.competition, timezone.now())}
    return render(request, "grading/console_finals.html", context)


@acts_in_console
@require_safe
def final_detail(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show a phase's final; before the selection the form, and what it would select."""
    phase, now = _phase(place, code), timezone.now()
    selection = FinalSelection.objects.visible_to(place.user).filter(phase=phase).first()
    if selection is not None:
        context = _context(place) | {"phase": phase, "final": _overview(phase, selection, place)}
        return render(request, "grading/console_final.html", context)
    form = WishForm(request.GET if "n" in request.GET else None, phase=phase)
    wish = Wish()
    if form.is_bound and form.is_valid():
        wish = form.wish
    choice = Choice(phase, form)
    if not form.is_bound or form.is_valid():
        proposal, refused = _proposed(phase, wish, now)
        select = _select_form(phase, wish, proposal) if proposal else None
        choice = Choice(phase, form, proposal, select, refused)
    return _show_choice(request, place, choice)


@acts_in_console
@require_POST
def final_select(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Record the selection that was looked at and confirmed by typing."""
    phase = _phase(place, code)
    form = SelectForm(request.POST, phase=phase)
    if form.is_valid():
        with refusals_on(form):
            choosing.record(
                actor=place.user,
                phase=phase,
                wish=form.wish,
                digest=form.cleaned_data["digest"],
                now=timezone.now(),
            )
            messages.success(request, _("The systems are selected; their teams are told."))
            return redirect("grading:console-final", place.competition.slug, code)
    wish = form.wish if _has_wish(form) else Wish()
    proposal, refused = _proposed(phase, wish, timezone.now())
    anew = WishForm(phase=phase, initial=_values(wish))
    return _show_choice(request, place, Choice(phase, anew, proposal, form, refused))


@acts_in_console
def final_act(request: HttpRequest, place: Console, code: str, act: str) -> HttpResponse:
    """Publish, freeze, unfreeze or take down a final board, with the reason."""
    if act not in BoardAct.values:
        raise Http404
    phase, kind = _phase(place, code), BoardAct(act)
    form = ReasonForm(request.POST or None, shown_to=_("Everybody reads it on the board."))
    if form.is_valid():
        with refusals_on(form):
            publishing.act(
                actor=place.user,
                phase=phase,
                kind=kind,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("Done."))
            return redirect("grading:console-final", place.competition.slug, code)
    context = _context(place) | {
        "form": form,
        "title": _("%(act)s the final board: %(phase)s")
        % {"act": verbs()[kind], "phase": phase_name(phase)},
        "meaning": _meanings()[kind],
        "is_danger": kind in {BoardAct.PUBLISH, BoardAct.TAKE_DOWN},
        "back": "grading:console-finals",
    }
    return render(request, "grading/console_reason.html", context)


@acts_in_console
@require_POST
def final_recompute(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Have the newest snapshot computed again; the answer comes on the page."""
    with refusals_told(request):
        recomputing.request(actor=place.user, phase=_phase(place, code), now=timezone.now())
        messages.success(request, _("It is computed again; the answer comes here."))
    return redirect("grading:console-final", place.competition.slug, code)


def _lines(competition: Competition, now: datetime) -> list[Line]:
    phases = Phase.objects.filter(track__competition=competition).select_related(
        "track", "final_board"
    )
    return [
        Line(phase, is_closed(phase, now), getattr(phase, "final_board", None))
        for phase in phases
        if registry.get(phase.track.kind).has_final
    ]


def _phase(place: Console, code: str) -> Phase:
    phases = Phase.objects.select_related("track__competition", "references")
    found = get_object_or_404(phases, track__competition=place.competition, code=code)
    if not registry.get(found.track.kind).has_final:
        raise Http404
    return found


def _overview(phase: Phase, selection: FinalSelection, place: Console) -> Overview:
    board = FinalBoard.objects.get(phase=phase)
    rows = list(selection.systems.select_related("submission__entrant__team"))
    items = papers.items_of(rows)
    words, possible = verbs(), publishing.possible(board)
    seen = finals.seen_by(phase, place.user, timezone.now())
    checks = FinalCheck.objects.filter(ranking__board=board).select_related(
        "ranking", "requested_by"
    )
    return Overview(
        selection=selection,
        systems=[(row, items[row.pk]) for row in rows],
        board=board,
        ranking=rankings.newest(board),
        is_behind=rankings.behind(board),
        acts=[(act.value, words[act]) for act in words if act in possible],
        checks=list(checks[:10]),
        stories=stories_of(finals.final_object(phase, seen)) if seen and seen.ranking else [],
    )


def _proposed(phase: Phase, wish: Wish, now: datetime) -> tuple[Proposal | None, str]:
    """Return what would be recorded, or why nothing can be."""
    try:
        return choosing.propose(phase, wish=wish, now=now), ""
    except Refusal as refused:
        return None, refused.message


def _select_form(phase: Phase, wish: Wish, proposal: Proposal) -> SelectForm:
    initial = {**_values(wish), "digest": proposal.digest}
    return SelectForm(phase=phase, initial=initial)


def _values(wish: Wish) -> dict[str, Any]:
    return {name: getattr(wish, name) for name in Wish.__slots__}


def _has_wish(form: WishForm) -> bool:
    return all(name in form.cleaned_data for name in Wish.__slots__)


def _show_choice(request: HttpRequest, place: Console, choice: Choice) -> HttpResponse:
    context = _context(place) | {"phase": choice.phase, "choice": choice}
    return render(request, "grading/console_final_choice.html", context)


def _meanings() -> dict[BoardAct, str]:
    return {
        BoardAct.PUBLISH: _(
            "Everybody sees the scores of judge and people and the final ranking as they stand, and "
            "every later change with what it came from. The teams are told."
        ),
        BoardAct.FREEZE: _("The public final board stands still until you unfreeze it."),
        BoardAct.UNFREEZE: _("The public final board follows every change again."),
        BoardAct.TAKE_DOWN: _(
            "Nobody but the organizers sees the final board until you publish it again."
        ),
    }


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
