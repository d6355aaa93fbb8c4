"""The console's held-out verification: sets, who is verified, outputs, comparison, one publication."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on
from competition.models import Phase
from grading.models import HeldOutSet, Verification
from grading.services import intake
from grading.services.verification import beginning, publishing, receiving, releasing, sets
from grading.services.verification.errors import HeldOutInvalid
from grading.storage import store_stream
from grading.verification_forms import (
    BeginForm,
    EntrantOutputForm,
    HeldOutForm,
    PublishForm,
    ReleaseForm,
)
from grading.views import verification_page
from grading.views.lookups import Console, acts_in_console, in_console
from grading.views.verification_page import Forms, Problems, VerificationPage

STOP_POLLING = 286
NOTHING_NEW = 204


@in_console
@require_safe
def verification_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List held-out sets and verifications; for organizers, the phases that can be verified."""
    competition = place.competition
    context = _context(place) | {
        "sets": verification_page.sets_of(competition),
        "found": verification_page.verifications_of(competition),
        "phases": verification_page.phases_of(competition),
        "kept_back": verification_page.kept_back_in(competition),
    }
    return render(request, "grading/console_verifications.html", context)


@acts_in_console
def held_out_create(request: HttpRequest, place: Console) -> HttpResponse:
    """Take the references of held-out clips."""
    posted = request.method == "POST"
    form = HeldOutForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        competition=place.competition,
    )
    problems: Problems = Problems()
    if form.is_valid():
        with refusals_on(form):
            try:
                made = _make_set(place, form)
            except HeldOutInvalid as refusal:
                problems = verification_page.problems_of(refusal)
                raise
            messages.success(
                request,
                _("The set %(title)s is kept; nobody is told of it.") % {"title": made.title},
            )
            return redirect("grading:console-verifications", place.competition.slug)
    examples = verification_page.examples_of(place.competition)
    context = _context(place) | {
        "form": form,
        "problems": problems,
        "examples": examples,
        "left_out": verification_page.left_out_of(place.competition),
    }
    return render(request, "grading/console_verification_set.html", context)


def _make_set(place: Console, form: HeldOutForm) -> HeldOutSet:
    given = form.cleaned_data
    return sets.make(
        actor=place.user,
        track=given["track"],
        version=given["version"],
        title=given["title"],
        data=given["file"].read(),
        now=timezone.now(),
    )


@acts_in_console
def verification_begin(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Choose who is verified against which set; the first three of the board are proposed."""
    phases = Phase.objects.select_related("track__competition", "references")
    phase = get_object_or_404(phases, track__competition=place.competition, code=code)
    rows = beginning.ranked(phase)
    form = BeginForm(request.POST or None, phase=phase, rows=rows)
    if form.is_valid():
        with refusals_on(form):
            made = beginning.begin(
                actor=place.user,
                phase=phase,
                held_out=form.cleaned_data["held_out"],
                wish=form.wish,
                now=timezone.now(),
            )
            messages.success(request, _("The verification is begun; no entrant is told."))
            return redirect("grading:verification", place.competition.slug, made.code)
    context = _context(place) | {
        "phase": phase,
        "form": form,
        "has_rows": bool(rows),
        "has_sets": HeldOutSet.objects.filter(track=phase.track).exists(),
    }
    return render(request, "grading/console_verification_begin.html", context)


@in_console
@require_safe
def verification_detail(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show the comparison and, to organizers, what can be done; auditors see it without clips.

    A polling request gets what follows the outputs: nothing (204) while it is as it was, and 286, which
    ends the polling, once no output is being scored.
    """
    found = _found(place, code)
    page = verification_page.page_of(found, place)
    if "seen" not in request.GET:
        return _show(request, place, page, Forms.of(page))
    if request.GET["seen"] == page.fingerprint:
        return HttpResponse(status=NOTHING_NEW)
    status = 200 if page.is_busy else STOP_POLLING
    name = "grading/partials/verification_polled.html"
    context = _context(place) | {"page": page, "forms": Forms.of(page), "is_polled": True}
    return render(request, name, context, status=status)


@acts_in_console
@require_POST
def verification_output(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Take the output of an entrant's system, run elsewhere."""
    found = _found(place, code)
    page = verification_page.page_of(found, place)
    form = EntrantOutputForm(request.POST, request.FILES, entrants=found.entrants.all())
    if form.is_valid():
        file, named = form.cleaned_data["file"], form.cleaned_data["named"]
        with refusals_on(form):
            receiving.admit(actor=place.user, named=named, now=timezone.now())
            limit = intake.limits_of(found.phase).file_bytes
            receiving.receive(
                actor=place.user,
                named=named,
                filename=file.name,
                stored=store_stream(file.chunks(), limit=limit),
                now=timezone.now(),
            )
            messages.success(request, _("The output is kept and being scored; no entrant is told."))
            return redirect("grading:verification", place.competition.slug, code)
    return _show(request, place, page, Forms.of(page, output=form))


@acts_in_console
@require_POST
def verification_release(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Release the inputs to the named entrants: the clips are held out no more."""
    found = _found(place, code)
    form = ReleaseForm(request.POST)
    if form.is_valid():
        with refusals_on(form):
            releasing.release(
                actor=place.user,
                verification=found,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The inputs are released to the named entrants."))
            return redirect("grading:verification", place.competition.slug, code)
    page = verification_page.page_of(found, place)
    return _show(request, place, page, Forms.of(page, release=form))


@acts_in_console
@require_POST
def verification_publish(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Publish the final standing that was looked at, confirmed by typing."""
    found = _found(place, code)
    form = PublishForm(request.POST)
    if form.is_valid():
        with refusals_on(form):
            publishing.publish(
                actor=place.user,
                verification=found,
                seen=form.cleaned_data["digest"],
                now=timezone.now(),
            )
            messages.success(request, _("The final standing is published."))
            return redirect("grading:verification", place.competition.slug, code)
    page = verification_page.page_of(found, place)
    return _show(request, place, page, Forms.of(page, publish=form))


def _show(
    request: HttpRequest, place: Console, page: VerificationPage, forms: Forms
) -> HttpResponse:
    context = _context(place) | {"page": page, "forms": forms}
    return render(request, "grading/console_verification.html", context)


def _found(place: Console, code: str) -> Verification:
    rows = Verification.objects.visible_to(place.user).select_related(
        "phase__track__competition",
        "held_out__version__dataset",
        "rotation__track__competition",
        "recipe",
        "pack",
        "begun_by",
        "publication",
    )
    found: Verification = get_object_or_404(
        rows, code=code, phase__track__competition=place.competition
    )
    return found


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
