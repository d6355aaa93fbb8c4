"""The page of one submission: its states in place, score, report, and what its team may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from accounts.views.access import kept, person, signed_in
from grading import queries
from grading.forms import RenamingForm
from grading.models import Submission
from grading.services import cancelling, renaming, selection
from grading.views.report_page import ReportFilter
from grading.views.submission_page import SubmissionPage

STOP_POLLING = 286
NOTHING_NEW = 204


@signed_in
@require_safe
def submission_detail(request: HttpRequest, code: str) -> HttpResponse:
    """Show a submission to its team and the organizers.

    A polling request gets the changing part alone: nothing (204) while it is as it was, and 286,
    which ends the polling, when it will not change any more.
    """
    page = _page(request, code)
    if "seen" not in request.GET:
        return render(request, "grading/submission.html", {"page": page})
    if request.GET["seen"] == page.fingerprint:
        return HttpResponse(status=NOTHING_NEW)
    status = STOP_POLLING if page.is_settled else 200
    return render(request, "grading/partials/submission_polled.html", {"page": page}, status=status)


@signed_in
def submission_rename(request: HttpRequest, code: str) -> HttpResponse:
    """Change what a submission is called: its team while the phase is open, organizers always."""
    submission, now = visible_submission(request, code), timezone.now()
    given = kept(request) or {"system": submission.system, "note": submission.note}
    form = RenamingForm(request.POST or None, initial=given)
    renaming.admit(actor=person(request), submission=submission, now=now)
    if form.is_valid():
        with refusals_on(form):
            renaming.rename(
                actor=person(request),
                submission=submission,
                system=form.cleaned_data["system"],
                note=form.cleaned_data["note"],
                now=now,
            )
            messages.success(request, _("The submission’s name is changed."))
            return redirect(submission)
    context = {"form": form, "submission": submission}
    return render(request, "grading/submission_rename.html", context)


@signed_in
@require_POST
def submission_cancel(request: HttpRequest, code: str) -> HttpResponse:
    """Cancel a submission that is not being scored yet."""
    return _act(
        request, code, cancelling.cancel, _("The submission is cancelled; its slot is free again.")
    )


@signed_in
@require_POST
def submission_mark(request: HttpRequest, code: str) -> HttpResponse:
    """Make a submission the one that counts."""
    return _act(request, code, selection.mark, _("This submission is now the one that counts."))


@signed_in
@require_POST
def submission_unmark(request: HttpRequest, code: str) -> HttpResponse:
    """Let the rule choose again."""
    return _act(request, code, selection.unmark, _("Your team's best submission counts again."))


def visible_submission(request: HttpRequest, code: str) -> Submission:
    """Return a submission that the reader may see; raises Http404."""
    return get_object_or_404(queries.submission_detail(person(request)), code=code)


def _page(request: HttpRequest, code: str) -> SubmissionPage:
    submission = visible_submission(request, code)
    return SubmissionPage(
        submission=submission,
        evaluation=queries.live_evaluation(submission),
        reader=person(request),
        chosen=ReportFilter.from_query(request.GET),
        now=timezone.now(),
    )


def _act(request: HttpRequest, code: str, service: Callable[..., Any], done: str) -> HttpResponse:
    submission = visible_submission(request, code)
    with refusals_told(request):
        service(actor=person(request), submission=submission, now=timezone.now())
        messages.success(request, done)
    return redirect(submission)
