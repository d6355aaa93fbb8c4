"""Uploads in parts for the submit page's script: the same calls as the API's, with the page's log-in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.refusals import Refusal
from accounts.views.access import person, signed_in
from competition.models import Phase
from grading.forms import NamedForm
from grading.models import UploadSession
from grading.services import upload_sessions
from grading.services.upload_sessions import Begun, Named
from grading.upload_shown import upload_json
from grading.views.lookups import phase_of
from grading.views.submit import arrived_at, created, refused


@require_POST
@signed_in
def upload_create(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Name a file larger than 16 MiB; the answer has links for the parts that are missing."""
    found = phase_of(request, slug, track, phase)
    form = NamedForm(request.POST)
    if not form.is_valid():
        return refused(request, found, form, None)
    try:
        begun = _begin(request, found, form)
    except Refusal as refusal:
        return refused(request, found, form, refusal)
    if begun.submission is not None:
        return created(request, begun.submission)
    return _told(request, begun.session.code if begun.session else "", 201 if begun.is_new else 200)


@require_GET
@signed_in
def upload_detail(request: HttpRequest, code: str) -> HttpResponse:
    """Tell what is missing of an upload, with fresh links."""
    try:
        return _told(request, code, 200)
    except Refusal as refusal:
        return refused(request, _visible(request, code).phase, NamedForm(), refusal)


@require_POST
@signed_in
def upload_complete(request: HttpRequest, code: str) -> HttpResponse:
    """Put the parts together and submit."""
    session = _visible(request, code)
    try:
        submission = upload_sessions.complete(
            actor=person(request),
            session=session,
            now=arrived_at(request),
            address=request.META.get("REMOTE_ADDR", ""),
            user_agent=request.headers.get("User-Agent", "")[:256],
        )
    except Refusal as refusal:
        return refused(request, session.phase, NamedForm(), refusal)
    return created(request, submission)


@require_POST
@signed_in
def upload_abort(request: HttpRequest, code: str) -> HttpResponse:
    """Give an upload up; its slot is free again."""
    session = _visible(request, code)
    try:
        upload_sessions.abort(actor=person(request), session=session, now=timezone.now())
    except Refusal as refusal:
        return refused(request, session.phase, NamedForm(), refusal)
    if request.headers.get("X-Fragment"):
        return HttpResponse(status=204)
    messages.info(request, _("The upload was given up. Its slot is free again."))
    return redirect("grading:submission-create", *_names(session.phase))


def _names(phase: Phase) -> list[str]:
    return [phase.track.competition.slug, phase.track.slug, phase.slug]


def _begin(request: HttpRequest, phase: Phase, form: NamedForm) -> Begun:
    fields = form.cleaned_data
    named = Named(
        filename=fields["filename"],
        system=fields["system"],
        note=fields["note"],
        size=fields["size"],
        part_hashes=fields["parts"].split(","),
    )
    return upload_sessions.begin(
        actor=person(request),
        phase=phase,
        named=named,
        created_at=arrived_at(request),
        now=timezone.now(),
    )


def _visible(request: HttpRequest, code: str) -> UploadSession:
    rows = UploadSession.objects.visible_to(person(request)).select_related(
        "phase__track__competition", "phase__references", "entrant__competition", "submission"
    )
    found: UploadSession = get_object_or_404(rows, code=code)
    return found


def _told(request: HttpRequest, code: str, status: int) -> JsonResponse:
    body = upload_json(_visible(request, code), request.build_absolute_uri)
    return JsonResponse(body, status=status)
