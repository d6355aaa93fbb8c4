"""How pages find what an address names: what a reader may not know of is not there (404)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import translation

from accounts.models import User
from accounts.views.access import person, signed_in, viewer
from competition import rules
from competition.models import Competition, Phase, Track

P = ParamSpec("P")
CONSOLE_LANGUAGE = "en"
"""The console is in one language, its frame too: half a page in another one helps nobody."""


@dataclass(frozen=True, slots=True)
class Console:
    """An organizer's (or auditor's) view of a competition: who looks, and whether they may act."""

    competition: Competition
    user: User
    may_act: bool


def competition_of(request: HttpRequest, slug: str) -> Competition:
    """Return the competition that `slug` names for the reader; raises Http404."""
    return get_object_or_404(Competition.objects.visible_to(viewer(request)), slug=slug)


def track_of(request: HttpRequest, slug: str, track: str) -> Track:
    """Return a track of a visible competition; raises Http404."""
    tracks = Track.objects.visible_to(viewer(request)).select_related("competition")
    return get_object_or_404(tracks, competition__slug=slug, slug=track)


def phase_of(request: HttpRequest, slug: str, track: str, phase: str) -> Phase:
    """Return a phase of a visible competition with its track; raises Http404."""
    phases = Phase.objects.visible_to(viewer(request)).select_related(
        "track__competition", "references"
    )
    return get_object_or_404(phases, track__competition__slug=slug, track__slug=track, slug=phase)


def in_console(
    view: Callable[Concatenate[HttpRequest, Console, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Open a page to organizers and auditors; others who see the competition get 403."""

    @signed_in
    @wraps(view)
    def guarded(
        request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        return _in_english(view, request, _console(request, slug), *args, **kwargs)

    return guarded


def acts_in_console(
    view: Callable[Concatenate[HttpRequest, Console, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Open a page to organizers alone: it changes something, or shows hidden references."""

    @signed_in
    @wraps(view)
    def guarded(
        request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        place = _console(request, slug)
        if not place.may_act:
            raise PermissionDenied
        return _in_english(view, request, place, *args, **kwargs)

    return guarded


def _in_english(
    view: Callable[Concatenate[HttpRequest, Console, P], HttpResponse],
    request: HttpRequest,
    place: Console,
    *args: P.args,
    **kwargs: P.kwargs,
) -> HttpResponse:
    with translation.override(CONSOLE_LANGUAGE):
        response = view(request, place, *args, **kwargs)
    response["Content-Language"] = CONSOLE_LANGUAGE
    return response


def _console(request: HttpRequest, slug: str) -> Console:
    competition, user = competition_of(request, slug), person(request)
    may_act = rules.is_organizer(user, competition)
    if not may_act and not rules.is_auditor(user, competition):
        raise PermissionDenied
    return Console(competition, user, may_act)
