"""The console's corrections: propose a recipe, watch it, see who moves, switch or drop; score again on appeal."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from competition.models import Phase
from grading import queries
from grading.models import RescoreCheck, Rescoring, Submission
from grading.rescoring_forms import CheckScoreForm, ProposalForm, SwitchForm
from grading.services import errors, rescore_checks, rescoring, rescoring_switch
from grading.views import rescoring_page
from grading.views.lookups import Console, acts_in_console, in_console
from grading.views.rescoring_page import ProposalPage

STOP_POLLING = 286
NOTHING_NEW = 204


@in_console
@require_safe
def rescoring_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the phases with what is proposed, and every correction that was made or dropped."""
    context = {
        "place": place,
        "competition": place.competition,
        "lines": rescoring_page.lines_of(place.competition),
        "ended": rescoring_page.ended(place.competition),
    }
    return render(request, "grading/console_rescoring.html", context)


@acts_in_console
@require_safe
def rescoring_detail(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show a phase's proposal with its progress and preview, or the form that makes one.

    A polling request gets the figures alone: nothing (204) while they are as they were, and 286,
    which ends the polling and shows the whole page anew, once every submission has a result.
    """
    phase = _phase(place, code)
    page = _page(phase, request)
    if page is None:
        return _show(request, place, phase, None, ProposalForm())
    if "seen" not in request.GET:
        return _show(request, place, phase, page, _switch_form(page))
    if request.GET["seen"] == page.fingerprint:
        return HttpResponse(status=NOTHING_NEW)
    context = {"place": place, "competition": place.competition, "page": page}
    status = STOP_POLLING if page.progress.finished else 200
    return render(request, "grading/partials/rescoring_progress.html", context, status=status)


@acts_in_console
@require_POST
def rescoring_propose(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Make a candidate from new references, a new definition's parameters, or the new scorer."""
    phase = _phase(place, code)
    form = ProposalForm(request.POST, request.FILES)
    if form.is_valid():
        with refusals_on(form):
            _propose(place, phase, form)
            messages.success(
                request, _("Every submission is scored again. The board stays as it is meanwhile.")
            )
            return redirect("grading:rescoring", place.competition.slug, code)
    return _show(request, place, phase, _page(phase, request), form)


@acts_in_console
@require_POST
def rescoring_switch_to(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Put the candidate and its board in the place of the live ones."""
    phase = _phase(place, code)
    page = _page(phase, request)
    if page is None:
        return redirect("grading:rescoring", place.competition.slug, code)
    form = SwitchForm(request.POST, word=page.word, failed=page.preview.failed)
    if form.is_valid():
        with refusals_on(form):
            rescoring_switch.switch(
                actor=place.user,
                phase=phase,
                accepted_failures=form.cleaned_data.get("accepted", []),
                digest=form.cleaned_data["digest"],
                now=timezone.now(),
            )
            messages.success(request, _("The board is corrected; every team is told."))
            return redirect("grading:console-rescoring", place.competition.slug)
    return _show(request, place, phase, page, form)


@acts_in_console
@require_POST
def rescoring_drop(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Drop the candidate; the board stays as it is."""
    with refusals_told(request):
        rescoring.cancel(actor=place.user, phase=_phase(place, code), now=timezone.now())
        messages.success(request, _("The correction is dropped. Nothing has changed."))
    return redirect("grading:console-rescoring", place.competition.slug)


@acts_in_console
def score_checks(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """List how a submission's score came out when it was computed again; ask for another time."""
    submission = _submission(place, code)
    form = CheckScoreForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            rescore_checks.request(
                actor=place.user,
                submission=submission,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The score is computed again; the answer comes here."))
            return redirect("grading:score-checks", place.competition.slug, code)
    checks = RescoreCheck.objects.visible_to(place.user).filter(evaluation__submission=submission)
    found = checks.select_related("evaluation__recipe", "evaluation__tallies", "requested_by")
    context = {
        "place": place,
        "competition": place.competition,
        "submission": submission,
        "checks": [(check, rescoring_page.comparison(check)) for check in found],
        "form": form,
    }
    return render(request, "grading/console_checks.html", context)


def _phase(place: Console, code: str) -> Phase:
    phases = Phase.objects.select_related("track__competition", "references")
    return get_object_or_404(phases, track__competition=place.competition, code=code)


def _submission(place: Console, code: str) -> Submission:
    submissions = queries.submission_detail(place.user)
    return get_object_or_404(submissions, phase__track__competition=place.competition, code=code)


def _page(phase: Phase, request: HttpRequest) -> ProposalPage | None:
    try:
        proposal: Rescoring = rescoring.open_of(phase)
    except errors.NoCandidate:
        return None
    return ProposalPage(proposal, request.GET.get("page", ""), timezone.now())


def _switch_form(page: ProposalPage) -> SwitchForm:
    initial = {"digest": page.proposal.recipe.digest}
    return SwitchForm(initial=initial, word=page.word, failed=page.preview.failed)


def _propose(place: Console, phase: Phase, form: ProposalForm) -> None:
    file = form.cleaned_data.get("references")
    text: str | None = form.cleaned_data["definition"]
    rescoring.propose(
        actor=place.user,
        phase=phase,
        references=file.read() if file else None,
        params=rescoring.params_of_definition(text=text, phase=phase) if text else None,
        reason=form.cleaned_data["reason"],
        now=timezone.now(),
    )


def _show(
    request: HttpRequest,
    place: Console,
    phase: Phase,
    page: ProposalPage | None,
    form: ProposalForm | SwitchForm,
) -> HttpResponse:
    context = {
        "place": place,
        "competition": place.competition,
        "phase": phase,
        "page": page,
        "form": form,
    }
    return render(request, "grading/console_rescoring_phase.html", context)
