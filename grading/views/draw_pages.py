"""Windows of draws: for everybody what was committed to and revealed, for organizers the rest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from accounts.views.access import viewer
from competition.enums import ClipSource, Strata
from competition.models import Competition, Draw, DrawWindow, Phase, PhaseDraw
from competition.queries import may_see_board
from competition.views.frame import find_competition, frame
from grading.integrity_forms import PublicValueForm, WindowForm
from grading.services import draws, pool_exposure
from grading.services.draws import Plan
from grading.views.exports import attached
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 20
DRAWS_PER_PAGE = 50
WARN_FROM = Fraction(3, 4)
"""From this share of the pool on, what an entrant has seen is marked."""


@dataclass(frozen=True, slots=True)
class PublicDraw:
    """A draw as everybody may see it once its window is revealed."""

    draw: Draw
    key: str
    utt_ids: list[str]


@dataclass(frozen=True, slots=True)
class Gives:
    """The phase that takes its clips from a window, and the draw that it took, None before there is one."""

    phase: Phase
    draw: Draw | None


@require_safe
def window_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the windows of a competition: commitments at once, seeds after the end."""
    competition = find_competition(request, slug)
    now = timezone.now()
    windows = DrawWindow.objects.visible_to(viewer(request)).filter(competition=competition)
    page = Paginator(windows.select_related("version__dataset", "phase"), PER_PAGE)
    context = frame(competition, now, "draws") | {
        "page": page.get_page(request.GET.get("page")),
        "verified": _verified(request, competition, now),
    }
    return render(request, "grading/draws.html", context)


@require_safe
def window_detail(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show one window: its terms, and once revealed its seed, its keys and its lists."""
    competition = find_competition(request, slug)
    window = _public(request, competition, code)
    found = window.draws.all() if window.revealed_at else window.draws.none()
    page = Paginator(found.order_by("run"), PER_PAGE).get_page(request.GET.get("page"))
    context = frame(competition, timezone.now(), "draws") | {
        "window": window,
        "gives": _gives(window),
        "page": page,
        "drawn": [_shown(one) for one in page.object_list],
    }
    return render(request, "grading/draw_window.html", context)


@require_safe
def pool_download(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Send the pool's rows, whose SHA-256 was published: what the `draw` command reads."""
    window = _public(request, find_competition(request, slug), code)
    clips = [row.clip for row in window.pool.select_related("clip")]
    body = draws.pool_manifest(clips)
    response = HttpResponse(body, content_type="application/jsonl; charset=utf-8")
    return attached(response, f"pool-{window.code}.jsonl")


@in_console
@require_safe
def console_windows(request: HttpRequest, place: Console) -> HttpResponse:
    """List the windows with what has been drawn, and make one."""
    windows = place.competition.windows.select_related("version__dataset", "phase")
    rows = windows.annotate(made=Count("draws")).order_by("-made_at", "-pk")
    page = Paginator(rows, PER_PAGE)
    context = {
        "place": place,
        "competition": place.competition,
        "page": page.get_page(request.GET.get("page")),
        "now": timezone.now(),
    }
    return render(request, "grading/console_draws.html", context)


@acts_in_console
def window_create(request: HttpRequest, place: Console) -> HttpResponse:
    """Commit to a window: a secret seed is made and its hash published."""
    form = WindowForm(request.POST or None, competition=place.competition)
    if form.is_valid():
        given = form.cleaned_data
        with refusals_on(form):
            window = draws.commit(
                actor=place.user,
                version=given["version"],
                plan=Plan(
                    n=given["n"],
                    opens_at=given["opens_at"],
                    closes_at=given["closes_at"],
                    strata=Strata(given["strata"]),
                    public_name=given["public_name"],
                    phase=given["phase"],
                    gives_clips=given["gives_clips"],
                ),
                now=timezone.now(),
            )
            messages.success(request, _("The window is committed to; its hash is public now."))
            return redirect("grading:console-draw", place.competition.slug, window.code)
    context = {"place": place, "competition": place.competition, "form": form}
    return render(request, "grading/console_window.html", context)


@in_console
@require_safe
def console_window(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show one window to its organizers: draws, whether they can be made again, exposure."""
    window, now = _own(place, code), timezone.now()
    page = Paginator(window.draws.order_by("run"), DRAWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "place": place,
        "competition": place.competition,
        "window": window,
        "gives": _gives(window),
        "page": page,
        "checked": [(one, draws.reconstruct(one)) for one in page.object_list],
        "seen": pool_exposure.of_pool(window),
        "warn_from": WARN_FROM,
        "form": PublicValueForm(),
        "may_draw": _may_draw(window, now),
        "may_reveal": now >= window.closes_at and window.revealed_at is None,
        "lacks_value": _lacks_value(window),
        "next_step": _next_step(window, now),
        "now": now,
    }
    return render(request, "grading/console_draw.html", context)


@acts_in_console
@require_POST
def window_act(request: HttpRequest, place: Console, code: str, act: str) -> HttpResponse:
    """Draw the window's own clips, write down the public value, or reveal the seed."""
    window, now = _own(place, code), timezone.now()
    with refusals_told(request):
        messages.success(request, _act(request, place, window, act, now))
    return redirect("grading:console-draw", place.competition.slug, code)


def _act(request: HttpRequest, place: Console, window: DrawWindow, act: str, now: datetime) -> str:
    if act == "draw":
        if window.draws.filter(run=0).exists() and not _may_draw(window, now):
            return _("The clips were drawn before; nothing has changed.")
        draws.draw(window=window, now=now)
        return _("The clips are drawn.")
    if act == "value":
        value = request.POST.get("value", "")
        draws.set_public_value(actor=place.user, window=window, value=value, now=now)
        return _("The public value stands.")
    if act == "reveal":
        draws.reveal(actor=place.user, window=window, now=now)
        return _("The seed is public.")
    raise Http404


def _gives(window: DrawWindow) -> Gives | None:
    """Return what a phase has of the window; None where no phase takes its clips."""
    phase = window.phase
    if phase is None or phase.clips != ClipSource.DRAWN:
        return None
    taken = PhaseDraw.objects.filter(phase=phase).select_related("draw").first()
    return Gives(phase, taken.draw if taken and taken.draw.window_id == window.pk else None)


def _verified(request: HttpRequest, competition: Competition, now: datetime) -> list[Phase]:
    """Return the phases whose verified standing the reader may see."""
    phases = Phase.objects.filter(
        track__competition=competition, verifications__publication__isnull=False
    ).select_related("track__competition")
    return [one for one in phases.distinct() if may_see_board(viewer(request), one, now)]


def _may_draw(window: DrawWindow, now: datetime) -> bool:
    """Return whether the window's own draw would make or give anything now.

    It may also be made late, but not once the seed is out: everybody can tell the list by then.
    """
    if now < window.opens_at or window.revealed_at is not None or _lacks_value(window):
        return False
    gives = _gives(window)
    return not window.draws.filter(run=0).exists() or (gives is not None and gives.draw is None)


def _next_step(window: DrawWindow, now: datetime) -> str:
    """Return the sentence that tells an organizer what comes next."""
    may_draw, is_open = _may_draw(window, now), now < window.closes_at
    is_early, gives = now < window.opens_at, _gives(window) is not None
    steps = (
        (
            window.revealed_at is not None,
            _("Nothing is left to do: anybody can make the list again from what is public now."),
        ),
        (may_draw and is_open, _("The window is open. Next: draw its clips.")),
        (
            may_draw,
            _("Draw its clips before you reveal the seed: afterwards nothing can be drawn."),
        ),
        (
            _lacks_value(window),
            _("Nothing can be drawn before the public value is known and written down here."),
        ),
        (
            is_early and gives,
            _("Once the window opens the server draws, and the phase has its clips."),
        ),
        (is_early, _("Come back when the window opens: you draw its clips here then.")),
        (is_open, _("Its clips are drawn. Once the window has closed you publish the seed here.")),
    )
    last = _("The window has closed. Next: reveal the seed, so that anybody can check the draw.")
    return next((text for holds, text in steps if holds), last)


def _lacks_value(window: DrawWindow) -> bool:
    return bool(window.public_name and not window.public_value)


def _shown(one: Draw) -> PublicDraw:
    return PublicDraw(one, draws.key_of(one.window, one.run), draws.ids_of(one))


def _public(request: HttpRequest, competition: Competition, code: str) -> DrawWindow:
    found: Any = DrawWindow.objects.visible_to(viewer(request)).select_related(
        "version__dataset", "phase__track__competition", "competition"
    )
    window: DrawWindow = get_object_or_404(found, competition=competition, code=code)
    return window


def _own(place: Console, code: str) -> DrawWindow:
    rows = place.competition.windows.select_related(
        "version__dataset", "phase__track__competition", "competition"
    )
    return get_object_or_404(rows, code=code)
