"""A member's packs: what is on offer, one's own copies, and asking for one."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from accounts.views.access import kept, person, signed_in
from competition.copies import offers_of
from competition.enums import EntrantState, IssueState
from competition.forms import TermsForm
from competition.models import Competition, Pack, PackIssue
from competition.queries import current_terms, entrant_of
from competition.rules import is_overseer
from competition.services import issues, packs
from competition.views.frame import find_competition, frame


@signed_in
@require_safe
def pack_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the packs that a member of an accepted entrant may ask for, and their copies."""
    competition = find_competition(request, slug)
    user, now = person(request), timezone.now()
    entrant = entrant_of(user, competition)
    context = frame(competition, now, "data") | {
        "offers": offers_of(user, competition, now),
        "entrant": entrant,
        "is_in": entrant is not None and entrant.state == EntrantState.ACCEPTED,
    }
    return render(request, "competition/packs.html", context)


@signed_in
def pack_request(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Ask for a copy; who has not accepted the terms in force accepts them with the typed name."""
    competition = find_competition(request, slug)
    pack = _pack(request, competition, code)
    accepted = issues.accepted_by(person(request), competition)
    form = (
        TermsForm(request.POST or None, initial=kept(request) or {})
        if accepted is None
        else forms.Form({} if request.method == "POST" else None)
    )
    if form.is_valid():
        with refusals_on(form):
            issue = issues.request(
                actor=person(request),
                pack=pack,
                typed_name=accepted.typed_name if accepted else form.cleaned_data["typed_name"],
                now=timezone.now(),
            )
            messages.success(request, _told(issue))
            return redirect("competition:pack-list", slug)
    context = frame(competition, timezone.now(), "data") | {
        "pack": pack,
        "form": form,
        "accepted": accepted,
        "terms": current_terms(competition),
    }
    return render(request, "competition/pack_request.html", context)


@signed_in
@require_safe
def pack_manifest(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Send the manifest whose SHA-256 is the pack's identity; to overseers before it is on offer, too."""
    competition = find_competition(request, slug)
    if is_overseer(person(request), competition):
        pack = get_object_or_404(competition.packs.all(), code=code)
    else:
        pack = _pack(request, competition, code)
    response = HttpResponse(packs.manifest_of(pack), content_type="application/json")
    name = f"{pack.name}-v{pack.version}-MANIFEST.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _pack(request: HttpRequest, competition: Competition, code: str) -> Pack:
    """Return a pack on offer that the person may know of; 403 where they know of it and may not ask."""
    user = person(request)
    found = get_object_or_404(
        Pack.objects.filter(competition=competition, offered_at__isnull=False), code=code
    )
    entrant = entrant_of(user, competition)
    if not issues.is_addressed(found, entrant.pk if entrant else 0):
        raise Http404
    if entrant is None or entrant.state != EntrantState.ACCEPTED:
        raise PermissionDenied
    return found


def _told(issue: PackIssue) -> str:
    if issue.state == IssueState.ACTIVE:
        return _("The pack is yours; you find the download below.")
    return _("You have asked for the pack. An organizer decides; you see the answer here.")
