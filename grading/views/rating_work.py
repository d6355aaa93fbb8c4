"""The console's pages of a rating that runs: results, exclusions, reports, import and export."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from grading.enums import BrokenOutcome
from grading.models import (
    Rater,
    RatingExclusion,
    RatingProtocol,
    RatingSession,
    RatingTask,
    Stimulus,
)
from grading.rating_forms import BrokenForm, ExcludeForm, ImportForm, ReasonForm
from grading.services.ratings import exchange, exchange_rows, exclusions
from grading.services.ratings.errors import ImportInvalid
from grading.services.ratings.exclusions import Target
from grading.services.ratings.figures import Figures
from grading.spreadsheets import csv_text
from grading.views.exports import csv_response
from grading.views.lookups import Console, acts_in_console
from grading.views.rating_setup import context, protocol_of, show_form


@acts_in_console
@require_safe
def rating_results(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show what the ratings come to, with quality control and without."""
    protocol = protocol_of(place, code)
    given: dict[str, Any] = {
        "protocol": protocol,
        "screened": Figures(protocol, screened=True),
        "unscreened": Figures(protocol, screened=False),
    }
    return render(request, "grading/console_rating_results.html", context(place) | given)


@acts_in_console
@require_safe
def rating_csv(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Export the current answers as CSV, raters and systems by pseudonym."""
    protocol = protocol_of(place, code)
    text = csv_text(exchange.records(protocol), exchange_rows.columns_of(protocol.form))
    return csv_response(text, f"{place.competition.slug}-ratings-{protocol.code}.csv")


@acts_in_console
def rating_import(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Import a CSV of ratings: all rows, or none with every fault told."""
    protocol = protocol_of(place, code)
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        with refusals_on(form):
            found = _take(place, protocol, form)
            messages.success(
                request,
                _("%(added)s ratings were added, %(known)s were here already.")
                % {"added": found.added, "known": found.known},
            )
            return redirect("grading:rating-protocol", place.competition.slug, protocol.code)
    return show_form(request, place, form, protocol=protocol, title=_("Import ratings"))


@acts_in_console
def rating_exclude(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Leave a rater, a session or a rating out; list what is left out."""
    protocol = protocol_of(place, code)
    form = ExcludeForm(request.POST or None, initial=_named(request))
    if form.is_valid():
        target = _target(protocol, form.cleaned_data["what"], form.cleaned_data["code"])
        if target is None:
            form.add_error("code", _("There is nothing of this name in the rating."))
        else:
            with refusals_on(form):
                exclusions.exclude(
                    actor=place.user,
                    protocol=protocol,
                    target=target,
                    reason=form.cleaned_data["reason"],
                    now=timezone.now(),
                )
                messages.success(request, _("It is left out; the reason is kept."))
                return redirect("grading:rating-exclude", place.competition.slug, protocol.code)
    rows = protocol.exclusions.select_related("rater", "session", "task", "actor", "lifted_by")
    meaning = _(
        "What is left out enters no mean; while the rating is open, others rate in its place. It can count again."
    )
    return show_form(
        request,
        place,
        form,
        protocol=protocol,
        title=_("Leave out"),
        meaning=meaning,
        exclusions=rows,
    )


@acts_in_console
def rating_lift(request: HttpRequest, place: Console, code: str, exclusion: str) -> HttpResponse:
    """Let count again what was left out."""
    protocol = protocol_of(place, code)
    rows = RatingExclusion.objects.filter(protocol=protocol)
    found = get_object_or_404(rows, code=exclusion)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            exclusions.lift(
                actor=place.user,
                exclusion=found,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("It counts again."))
            return redirect("grading:rating-exclude", place.competition.slug, protocol.code)
    return show_form(request, place, form, protocol=protocol, title=_("Let it count again"))


@acts_in_console
def rating_report(request: HttpRequest, place: Console, code: str, key: str) -> HttpResponse:
    """Decide of a recording that raters reported broken."""
    protocol = protocol_of(place, code)
    rows = Stimulus.objects.filter(protocol=protocol).select_related("system", "protocol")
    stimulus = get_object_or_404(rows, key=key)
    form = BrokenForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            exclusions.decide_broken(
                actor=place.user,
                stimulus=stimulus,
                outcome=BrokenOutcome(form.cleaned_data["outcome"]),
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The decision is kept."))
            return redirect("grading:rating-protocol", place.competition.slug, protocol.code)
    return show_form(
        request,
        place,
        form,
        protocol=protocol,
        title=_("Audio reported broken"),
        stimulus=stimulus,
        reports=stimulus.reports.select_related("rater"),
    )


def _take(place: Console, protocol: RatingProtocol, form: ImportForm) -> exchange.Imported:
    try:
        return exchange.take(
            actor=place.user,
            protocol=protocol,
            text=form.cleaned_data["table"],
            reason=form.cleaned_data["reason"],
            now=timezone.now(),
        )
    except ImportInvalid as refusal:
        form.faults = cast("list[dict[str, object]]", refusal.params["faults"])
        raise


def _named(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in ("what", "code")}


def _target(protocol: RatingProtocol, what: str, code: str) -> Target | None:
    found: Target | None
    if what == "rater":
        found = Rater.objects.filter(protocol=protocol, pseudonym=code.strip()).first()
    elif what == "session":
        found = RatingSession.objects.filter(rater__protocol=protocol, code=code.strip()).first()
    else:
        found = RatingTask.objects.filter(rater__protocol=protocol, code=code.strip()).first()
    return found
