"""Papers for verification: a team files them, organizers read and check each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from accounts.views.access import person, signed_in
from competition.models import Phase
from competition.rules import is_member
from grading import papers, storage
from grading.enums import FilingKind, FilingVerdict
from grading.final_forms import CheckForm, PaperForm
from grading.models import Filing, FinalSelection, FinalSystem
from grading.services.final import filings
from grading.services.final.filings import SentPaper
from grading.views.lookups import Console, acts_in_console, phase_of


@signed_in
def final_filings(
    request: HttpRequest, slug: str, track: str, phase: str, code: str
) -> HttpResponse:
    """Show a team what is asked of its selected system, and take one paper at a time."""
    found = phase_of(request, slug, track, phase)
    system = _own_system(request, found, code)
    sent_kind = request.POST.get("kind", "") if request.method == "POST" else ""
    if sent_kind and sent_kind not in FilingKind.values:
        raise Http404
    form = _form(sent_kind, request.POST, request.FILES) if sent_kind else None
    if form is not None and form.is_valid():
        with refusals_on(form):
            filings.file(
                actor=person(request),
                system=system,
                kind=FilingKind(sent_kind),
                sent=_sent(form),
                now=timezone.now(),
            )
            messages.success(request, _("Filed. The organizers look at it."))
            return redirect("grading:final-filings", slug, track, phase, code)
    return _show_filings(request, found, system, sent_kind, form)


@signed_in
@require_safe
def filing_file(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Give the file of a paper to its team and the organizers, as a download."""
    rows = Filing.objects.visible_to(person(request)).exclude(storage_key="")
    filing = get_object_or_404(
        rows, code=code, system__selection__phase__track__competition__slug=slug
    )
    try:
        with storage.local_copy(filing.storage_key) as path:
            content = path.read_bytes()
    except storage.BytesMissing as error:
        raise Http404 from error
    response = HttpResponse(content, content_type="application/octet-stream")
    name = quote(filing.filename)
    response["Content-Disposition"] = f"attachment; filename=\"paper\"; filename*=UTF-8''{name}"
    response["Cache-Control"] = "private, no-store"
    return response


@acts_in_console
def filing_check(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show a paper with its history; accept it or return it with a note."""
    rows = Filing.objects.visible_to(place.user).select_related(
        "system__submission__entrant__team", "system__submission__phase__track__competition"
    )
    competition = place.competition
    filing = get_object_or_404(
        rows, code=code, system__selection__phase__track__competition=competition
    )
    form = CheckForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            filings.check(
                actor=place.user,
                filing=filing,
                verdict=FilingVerdict(form.cleaned_data["verdict"]),
                note=form.cleaned_data["note"],
                now=timezone.now(),
            )
            messages.success(request, _("Kept; the team is told."))
            return redirect(
                "grading:console-final", competition.slug, filing.system.submission.phase.code
            )
    others = rows.filter(system=filing.system, kind=filing.kind).order_by("-number")
    context = {
        "place": place,
        "competition": competition,
        "filing": filing,
        "is_newest": filing.pk == others[0].pk,
        "history": others.prefetch_related("checks__checked_by"),
        "form": form,
    }
    return render(request, "grading/console_filing.html", context)


def _own_system(request: HttpRequest, phase: Phase, code: str) -> FinalSystem:
    """Return the selected system of the reader's own team; raises Http404 for any other."""
    systems = FinalSystem.objects.filter(selection__phase=phase, submission__code=code)
    system = systems.select_related("submission__entrant__team", "selection").first()
    if system is None or system.reason in filings.UNRANKED:
        raise Http404
    if not is_member(person(request), system.submission.entrant):
        raise Http404
    return system


def _form(kind: str, data: Any = None, files: Any = None) -> PaperForm:
    """Return a form whose fields have ids of their own: a page holds one of each kind."""
    return PaperForm(data, files, auto_id=f"{kind}_%s")


def _sent(form: PaperForm) -> SentPaper:
    file: UploadedFile[Any] | None = form.cleaned_data["file"]
    return SentPaper(
        text=form.cleaned_data["text"],
        link=form.cleaned_data["link"],
        filename="" if file is None else str(file.name),
        chunks=None if file is None else _chunks(file),
    )


def _chunks(file: UploadedFile[Any]) -> Iterator[bytes]:
    for chunk in file.chunks():
        yield bytes(chunk)


def _show_filings(
    request: HttpRequest, phase: Phase, system: FinalSystem, kind: str, form: PaperForm | None
) -> HttpResponse:
    items = papers.items_of([system])[system.pk]
    context: dict[str, Any] = {
        "phase": phase,
        "competition": phase.track.competition,
        "system": system,
        "selection": FinalSelection.objects.get(pk=system.selection_id),
        "sections": [
            (item, form if form is not None and item.kind == kind else _form(item.kind.value))
            for item in items
        ],
    }
    return render(request, "grading/final_filings.html", context)
