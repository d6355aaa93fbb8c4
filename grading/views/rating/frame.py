"""What every page of a rater shares: their own place, links to sounds, refusals told to a script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from accounts.refusals import Refusal
from accounts.views.access import person, signed_in
from grading.enums import ProtocolState, RaterState, SessionState
from grading.models import Rater, RatingSession, RatingTask, Stimulus
from grading.prepared import prepared
from grading.services.ratings import answers, delivery, raters, sessions
from grading.services.ratings.places import settings_of

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, Rater, P], HttpResponse]

STEPS = {
    SessionState.CHECKS.value: "grading:rate-check",
    SessionState.PRACTICE.value: "grading:rate-practice",
    SessionState.RATING.value: "grading:rate-desk",
}
"""The page of each state of a sitting that is under way."""


def at_place(view: Page[P]) -> Callable[..., HttpResponse]:
    """Open a page to the rater whose place the address names; for everybody else it is not there."""

    @signed_in
    @wraps(view)
    def guarded(
        request: HttpRequest, /, code: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        rater = _place.first(person(request), code)
        if rater is None:
            raise Http404
        response = view(request, rater, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return guarded


@prepared
def _place(user: User, code: str) -> QuerySet[Rater]:
    places = Rater.objects.visible_to(user).exclude(state=RaterState.WITHDRAWN)
    return places.filter(code=code).select_related(
        "protocol__opening", "protocol__selection__phase__track__competition"
    )


def is_script(request: HttpRequest) -> bool:
    """Return whether the form's script asks, which wants data and not pages."""
    return bool(request.headers.get("X-Fragment"))


def told(refusal: Refusal, **more: object) -> JsonResponse:
    """Return a refusal for the form's script: code, sentence, and what it may go by."""
    params = {name: refusal.params[name] for name in ("seconds_left",) if name in refusal.params}
    return JsonResponse(
        {"code": refusal.code, "message": refusal.message, **params, **more},
        status=refusal.status,
        headers=refusal.headers,
    )


def go(request: HttpRequest, url: str) -> HttpResponse:
    """Lead to another page: by a redirect, or by telling the script where to go."""
    if is_script(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Content-Location": url})
    return HttpResponse(status=HTTPStatus.FOUND, headers={"Location": url})


def to(name: str, rater: Rater, **parts: str) -> str:
    """Return the address of a page of this place."""
    return reverse(f"grading:{name}", kwargs={"code": rater.code, **parts})


def step_of(rater: Rater) -> str:
    """Return where the rater goes on: the step that is due, else the place itself."""
    if rater.protocol.state != ProtocolState.OPEN or rater.state == RaterState.EXCLUDED:
        return to("rate-place", rater)
    if not raters.has_consented(rater):
        return to("rate-consent", rater)
    if not rater.languages:
        return to("rate-languages", rater)
    session = sessions.running(rater=rater)
    if session is None:
        return to("rate-place", rater)
    return reverse(STEPS[session.state], kwargs={"code": rater.code})


def sound_url(
    request: HttpRequest,
    session: RatingSession,
    *,
    task: RatingTask | None = None,
    stimulus: Stimulus | None = None,
    check_sound: str = "",
    part: int = 0,
) -> str:
    """Return the address of one sound for this log-in."""
    token = delivery.grant(
        session=session,
        login=request.session.session_key or "",
        task=task,
        stimulus=stimulus,
        check_sound=check_sound,
        part=part,
        now=timezone.now(),
    )
    return address_of(token)


def address_of(token: str) -> str:
    """Return the address of the sound that a token stands for."""
    return reverse("grading:rate-audio", kwargs={"token": token})


@dataclass(frozen=True, slots=True)
class Spans:
    """What the pages of a place promise, in whole minutes: never more than there is."""

    revise: int
    """How long an answer can be changed; 0 where none can, or for less than a minute."""
    lease: int
    """How long a clip waits for somebody who is away."""


def spans_of(rater: Rater) -> Spans:
    """Return how long answers and clips wait under the numbers of the rater's protocol."""
    numbers = settings_of(rater.protocol)
    revise = numbers.revise_seconds // 60 if numbers.revisable else 0
    return Spans(revise, max(1, numbers.lease_seconds // 60))


def recent_of(rater: Rater) -> list[answers.Revisable]:
    """Return the rater's last answers that may still be changed; none once nothing is taken."""
    if rater.protocol.state != ProtocolState.OPEN or rater.state != RaterState.ACTIVE:
        return []
    return answers.revisable(rater=rater, now=timezone.now())


def page(
    request: HttpRequest, rater: Rater, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render a page of a place."""
    shared = {
        "rater": rater,
        "competition": rater.protocol.selection.phase.track.competition,
        "spans": SimpleLazyObject(lambda: spans_of(rater)),
    }
    return render(request, f"grading/rating/{name}.html", {**shared, **context}, status=status)
