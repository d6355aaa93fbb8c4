"""Held-out verification as participants and the public see it: the published outcome, and released inputs."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on
from accounts.models import User
from accounts.services import throttles
from accounts.views.access import person, signed_in, viewer
from competition.models import Competition
from competition.queries import entrant_of, may_see_board, stands_for
from competition.views.frame import find_competition, frame
from grading.models import VerificationPublication, VerificationRun, VerifiedEntrant
from grading.services import intake
from grading.services.verification import comparing, receiving
from grading.storage import store_stream
from grading.verification_forms import OutputForm
from grading.views.lookups import phase_of


@dataclass(frozen=True, slots=True)
class Place:
    """What a member sees of a verification whose inputs were released: its window and own outputs."""

    named: VerifiedEntrant
    runs: list[VerificationRun]
    is_open: bool
    form: OutputForm


@require_safe
def verification_outcome(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Show the published outcome for each verified entrant; 404 before there is one."""
    found = phase_of(request, slug, track, phase)
    if not may_see_board(viewer(request), found, timezone.now()):
        raise Http404
    publications = VerificationPublication.objects.filter(verification__phase=found)
    publication = (
        publications.select_related("verification__held_out", "verification__recipe")
        .order_by("-at", "-pk")
        .first()
    )
    if publication is None:
        raise Http404
    competition = found.track.competition
    context = frame(competition, timezone.now(), "board") | {
        "phase": found,
        "publication": publication,
        "outcomes": publication.outcomes.select_related("named__entrant__team"),
        "column": comparing.column_of(publication.verification.recipe),
        "clips": sum(publication.verification.held_out.counts.values()),
    }
    return render(request, "grading/verification_outcome.html", context)


@signed_in
@require_safe
def own_verifications(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a member the verifications whose inputs were released to its entrant; else 404."""
    competition = find_competition(request, slug)
    named = _released_to(person(request), competition)
    if not named:
        raise Http404
    return _show(request, competition, named, None)


@signed_in
@require_POST
def own_verification_output(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Take the output of the member's own system for the released clips."""
    competition = find_competition(request, slug)
    named = _released_to(person(request), competition)
    chosen = next((one for one in named if one.code == code), None)
    if chosen is None:
        raise Http404
    form = OutputForm(request.POST, request.FILES, auto_id=_ids_of(chosen))
    if form.is_valid():
        with refusals_on(form):
            _receive(request, chosen, form)
            messages.success(
                request, _("Your output is kept. Its score stays sealed until it is published.")
            )
            return redirect("grading:own-verifications", slug)
    return _show(request, competition, named, (chosen, form))


def _ids_of(named: VerifiedEntrant) -> str:
    """Return what the ids of a form's fields are made by: a page has one form for each verification."""
    return f"id_{named.code}_%s"


def _receive(request: HttpRequest, named: VerifiedEntrant, form: OutputForm) -> None:
    user, file = person(request), form.cleaned_data["file"]
    throttles.spend(name="upload", who=user.code, now=timezone.now())
    receiving.admit(actor=user, named=named, now=timezone.now())
    limit = intake.limits_of(named.verification.phase).file_bytes
    receiving.receive(
        actor=user,
        named=named,
        filename=file.name,
        stored=store_stream(file.chunks(), limit=limit),
        now=timezone.now(),
    )


def _released_to(user: User, competition: Competition) -> list[VerifiedEntrant]:
    """Return the person's entrant, and those that went into it, where inputs were released to them."""
    own = entrant_of(user, competition)
    rows = VerifiedEntrant.objects.filter(
        entrant__in=stands_for(own.pk) if own else (), verification__released_at__isnull=False
    ).select_related(
        "entrant__team",
        "verification__phase__track__competition",
        "verification__pack",
        "verification__held_out",
    )
    return list(rows.order_by("-verification__released_at", "-pk"))


def _show(
    request: HttpRequest,
    competition: Competition,
    named: list[VerifiedEntrant],
    filled: tuple[VerifiedEntrant, OutputForm] | None,
) -> HttpResponse:
    now, user = timezone.now(), person(request)
    places = [
        Place(
            named=one,
            # What its score is stays sealed: only whether the file could be read is shown.
            runs=list(one.runs.defer("tallies")[:20]),
            is_open=receiving.is_open_to(user, one, now),
            form=filled[1] if filled and filled[0] == one else OutputForm(auto_id=_ids_of(one)),
        )
        for one in named
    ]
    context = frame(competition, now, "data") | {"places": places}
    return render(request, "grading/verification_own.html", context)
