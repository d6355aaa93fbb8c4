"""The submit page: a file, a system's name, a note; "Check only" and "Submit"."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusals import Invalid, Refusal
from accounts.views.access import kept, person, signed_in, viewer
from competition.models import Phase
from grading.forms import CheckForm, SubmissionForm, new_key
from grading.models import Submission
from grading.scoring import registry
from grading.services import checking, errors, intake, uploading
from grading.storage import spool
from grading.uploads import LimitedUploadHandler
from grading.views.advice import advice_for
from grading.views.lookups import phase_of
from grading.views.report_page import report_of_check
from grading.views.submit_page import SubmitPage, submit_page

ENDPOINT = "html.submission-create"


class UploadCut(Invalid):
    """The body ended before its last field: the connection broke."""

    code = "UPLOAD_CUT"
    status = 400


def _streams_to_disk(request: HttpRequest, phase: Phase) -> LimitedUploadHandler:
    """Install the handler that reads the file; must come before anything reads the form."""
    handler = LimitedUploadHandler(request, limit=intake.limits_of(phase).file_bytes)
    request.upload_handlers = [handler]
    return handler


@csrf_exempt  # the inner view is protected, after the upload handler is in its place
@require_http_methods(["GET", "HEAD", "POST"])
def submission_create(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Show the submit page, or take an upload."""
    found = phase_of(request, slug, track, phase)
    if request.method != "POST":
        return _show(request, found)
    handler = _streams_to_disk(request, found)
    return _submit(request, found, handler)


@csrf_exempt  # as above
@require_POST
def submission_check(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Check an upload without keeping anything."""
    found = phase_of(request, slug, track, phase)
    handler = _streams_to_disk(request, found)
    return _check(request, found, handler)


def _show(request: HttpRequest, phase: Phase) -> HttpResponse:
    initial = {"idempotency_key": new_key(), **(kept(request) or {})}
    page = submit_page(viewer(request), phase, request.path, timezone.now())
    context = {"page": page, "form": SubmissionForm(initial=initial)}
    return render(request, "grading/submit.html", context)


@csrf_protect
@signed_in
def _submit(request: HttpRequest, phase: Phase, handler: LimitedUploadHandler) -> HttpResponse:
    form = SubmissionForm(request.POST, request.FILES)
    try:
        upload = _upload_of(request, handler)
        if not form.is_valid():
            return refused(request, phase, form, None)
        submission = _receive(request, phase, form.cleaned_data, upload)
    except Refusal as refusal:
        return refused(request, phase, form, refusal)
    return created(request, submission)


@csrf_protect
@signed_in
def _check(request: HttpRequest, phase: Phase, handler: LimitedUploadHandler) -> HttpResponse:
    form = CheckForm(request.POST, request.FILES)
    try:
        checking.admit(actor=person(request), phase=phase, now=timezone.now())
        upload = _upload_of(request, handler)
        with spool(upload.chunks(), limit=handler.limit, durable=False) as spooled:
            report = checking.check_only(
                actor=person(request),
                phase=phase,
                path=spooled.path,
                now=timezone.now(),
                filename=upload.name or "",
            )
    except Refusal as refusal:
        return refused(request, phase, form, refusal)
    accepted = report.accepted
    verdict = _("This file would be accepted.") if accepted else _("This file would be rejected.")
    of_sounds = registry.get(phase.track.kind).sends_sounds
    told = report_of_check(report, of_sounds=of_sounds)
    check = {"accepted": accepted, "verdict": verdict, "report": told}
    return _answer(request, phase, form, {"check": check}, status=200)


def _upload_of(request: HttpRequest, handler: LimitedUploadHandler) -> UploadedFile[Any]:
    """Return the file that came; raises a refusal when it is missing, cut or too large."""
    if handler.oversized:
        raise errors.UploadTooLarge.over(handler.limit)
    if request.POST.get("end") != "1":
        raise UploadCut(_("The connection broke before the whole file had arrived."))
    upload = request.FILES.get("file")
    if upload is None:
        raise errors.FileNotGiven(_("No file was sent. Choose a file first."))
    return upload


def _receive(
    request: HttpRequest, phase: Phase, fields: dict[str, Any], upload: UploadedFile[Any]
) -> Submission:
    sent = uploading.Sent(
        chunks=upload.chunks(),
        filename=upload.name or "",
        system=fields["system"],
        note=fields["note"],
        created_at=arrived_at(request),
        endpoint=ENDPOINT,
        key=fields["idempotency_key"],
        address=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", "")[:256],
        entrant=fields["entrant"],
    )
    return uploading.submit(actor=person(request), phase=phase, sent=sent)


def arrived_at(request: HttpRequest) -> datetime:
    """Return when the headers were read: deadlines go by it, not by when the body had come."""
    arrived: datetime = getattr(request, "arrived_at", None) or timezone.now()
    return arrived


def created(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Lead to the submission: a script by Content-Location, a plain form by a redirect."""
    place = submission.get_absolute_url()
    if submission.repeated:
        text = _("Your team had sent this very file before: this is that submission.")
        messages.info(request, text)
    if not request.headers.get("X-Fragment"):
        return redirect(place)
    response = HttpResponse(status=201)
    response["Content-Location"] = place
    return response


def refused(
    request: HttpRequest, phase: Phase, form: forms.Form, refusal: Refusal | None
) -> HttpResponse:
    """Say why an upload was refused; without a refusal the form's own errors say it."""
    if refusal is None:
        refusal = errors.TextInvalid(_faults_told(request, form))
    context = {"refusal": advice_for(refusal, phase)}
    response = _answer(request, phase, form, context, status=refusal.status)
    for name, value in refusal.headers.items():
        response[name] = value
    return response


def _faults_told(request: HttpRequest, form: forms.Form) -> str:
    """Return the form's faults for a script; a page has them beside its fields already."""
    if not request.headers.get("X-Fragment"):
        return _("Please mend what is marked below.")
    return " ".join(str(error) for errors_of in form.errors.values() for error in errors_of)


def _answer(
    request: HttpRequest, phase: Phase, form: forms.Form, context: dict[str, Any], status: int
) -> HttpResponse:
    """Answer a script with the outcome alone, a plain form with the page and what was typed."""
    key = new_key()
    if request.headers.get("X-Fragment"):
        name = "grading/partials/submit_outcome.html"
        response = render(request, name, {**context, "new_key": key}, status=status)
        response["X-Fragment"] = "outcome"
        return response
    page: SubmitPage = submit_page(viewer(request), phase, request.path, timezone.now())
    page.kept_file = True
    form.data = {**request.POST.dict(), "idempotency_key": key}
    form.errors.pop("file", None)  # what is wrong with the file is told above
    return render(
        request, "grading/submit.html", {"page": page, "form": form, **context}, status=status
    )
