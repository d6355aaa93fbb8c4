"""The console's pages that set a rating up: draft, numbers, items, consent, raters, opening, closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from accounts.refusals import NotYours, Refusal
from grading.enums import ProtocolState, RatingForm
from grading.models import FinalSelection, FinalSystem, RatingProtocol
from grading.rating_forms import (
    ConfirmForm,
    ConsentForm,
    ControlsForm,
    DraftForm,
    InviteForm,
    NumbersForm,
)
from grading.scoring.rating.settings import settings_json
from grading.services.ratings import (
    comments,
    consents,
    controls,
    overview,
    protocols,
    raters,
    results,
    stimuli,
)
from grading.views.lookups import Console, acts_in_console, in_console

ACTS = ("lay-out", "prepare", "open", "close")


@in_console
@require_safe
def rating_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the selections that people rate, or could; nothing of a system stands here."""
    selections = FinalSelection.objects.filter(phase__track__competition=place.competition)
    rows = selections.select_related("phase__track").prefetch_related("ratings")
    lines = [
        (row, protocol, not number and len(made) < len(RatingForm))
        for row in rows.order_by("-recorded_at")
        for made in [[*row.ratings.all()]]
        for number, protocol in enumerate(made or [None])
    ]
    return render(request, "grading/console_ratings.html", context(place) | {"lines": lines})


@acts_in_console
def rating_draft(request: HttpRequest, place: Console, selection: str) -> HttpResponse:
    """Make the protocol of a selection."""
    rows = FinalSelection.objects.visible_to(place.user).select_related("phase__track__competition")
    found = get_object_or_404(rows, phase__track__competition=place.competition, code=selection)
    form = DraftForm(request.POST or None, selection=found)
    if form.is_valid():
        with refusals_on(form):
            protocol = protocols.draft(
                actor=place.user,
                selection=found,
                form=RatingForm(form.cleaned_data["form"]),
                compared_with=_compared(found, form.cleaned_data["compared_with"]),
                now=timezone.now(),
            )
            return redirect("grading:rating-protocol", place.competition.slug, protocol.code)
    return show_form(request, place, form, title=_("Set up a rating"))


@acts_in_console
@require_safe
def rating_protocol(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show a protocol: what a draft needs before it opens, then how far it is."""
    protocol = protocol_of(place, code)
    given: dict[str, Any] = context(place) | {"protocol": protocol}
    if protocol.state == ProtocolState.DRAFT:
        given["needs"] = protocols.feasibility(protocol=protocol)
        given["failed"] = stimuli.failed(protocol=protocol)
    else:
        given["overview"] = overview.overview(protocol=protocol, now=timezone.now())
        given["alarms"] = results.alarms(protocol)
        given["comments"] = comments.newest(protocol=protocol)
    return render(request, "grading/console_rating.html", given)


@acts_in_console
def rating_settings(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Change the numbers of a draft."""
    protocol = protocol_of(place, code)
    initial = settings_json(protocols.settings_of(protocol))
    form = NumbersForm(request.POST or None, initial=initial, asked=protocol.form)
    if form.is_valid():
        with refusals_on(form):
            protocols.change_settings(
                actor=place.user, protocol=protocol, settings=form.cleaned_data, now=timezone.now()
            )
            messages.success(request, _("The numbers are kept. Lay the plan out anew."))
            return _back(place, protocol)
    return show_form(request, place, form, protocol=protocol, title=_("Numbers of the rating"))


@acts_in_console
def rating_controls(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """List the control items of a protocol; add a zip of them while it is a draft."""
    protocol = protocol_of(place, code)
    form = ControlsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        with refusals_on(form):
            items = controls.read_archive(form.cleaned_data["archive"])
            controls.add(actor=place.user, protocol=protocol, items=items, now=timezone.now())
            messages.success(request, _("The items are added; their sound is being prepared."))
            return redirect("grading:rating-controls", place.competition.slug, protocol.code)
    items_there = protocol.stimuli.filter(kind__in=controls.KINDS)
    return show_form(
        request,
        place,
        form if protocol.state == ProtocolState.DRAFT else None,
        protocol=protocol,
        title=_("Traps, known answers, practice"),
        items=items_there.order_by("language", "kind", "name"),
    )


@acts_in_console
def rating_consent(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Publish a version of the consent text; raters are asked again."""
    protocol = protocol_of(place, code)
    form = ConsentForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            consents.publish(
                actor=place.user,
                protocol=protocol,
                texts=form.texts,
                keeps_ratings=form.cleaned_data["keeps_ratings"],
                now=timezone.now(),
            )
            messages.success(request, _("Raters read the new version before they go on."))
            return _back(place, protocol)
    return show_form(
        request,
        place,
        form,
        protocol=protocol,
        title=_("Consent text"),
        versions=protocol.consent_texts.all(),
    )


@acts_in_console
def rating_raters(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Invite people to rate; an address that cannot be invited is told, the others are."""
    protocol = protocol_of(place, code)
    form = InviteForm(request.POST or None)
    if form.is_valid():
        sent = _invite(place, protocol, form)
        if sent:
            said = ngettext("%(n)s invitation is sent.", "%(n)s invitations are sent.", sent)
            messages.success(request, said % {"n": sent})
        if not form.errors:
            return redirect("grading:rating-raters", place.competition.slug, protocol.code)
    open_ones = protocol.invitations.filter(accepted_at__isnull=True, revoked_at__isnull=True)
    return show_form(
        request,
        place,
        form,
        protocol=protocol,
        title=_("Invite raters"),
        invitations=open_ones.order_by("email"),
    )


@acts_in_console
def rating_act(request: HttpRequest, place: Console, code: str, act: str) -> HttpResponse:
    """Lay the plan of a draft out, open it, close the rating, or prepare again what failed."""
    if act not in ACTS:
        raise Http404
    protocol = protocol_of(place, code)
    form = ConfirmForm(request.POST or None, word=act)
    if form.is_valid():
        with refusals_on(form):
            _services()[act](actor=place.user, protocol=protocol, now=timezone.now())
            messages.success(request, _acts()[act][2])
            return _back(place, protocol)
    title, meaning, _done = _acts()[act]
    return show_form(
        request,
        place,
        form,
        protocol=protocol,
        title=title,
        meaning=meaning,
        is_danger=act == "close",
    )


def protocol_of(place: Console, code: str) -> RatingProtocol:
    """Return a protocol of the competition that the person organizes; raises Http404."""
    rows = RatingProtocol.objects.visible_to(place.user).select_related(
        "opening", "selection__recipe", "selection__phase__track__competition"
    )
    found: RatingProtocol = get_object_or_404(
        rows, selection__phase__track__competition=place.competition, code=code
    )
    return found


def context(place: Console) -> dict[str, Any]:
    """Return what every page of the console is given."""
    return {"place": place, "competition": place.competition}


def show_form(
    request: HttpRequest, place: Console, form: forms.Form | None, **given: object
) -> HttpResponse:
    """Show a page with one form; `given` holds its title and what stands beside it."""
    return render(
        request, "grading/console_rating_form.html", context(place) | {"form": form, **given}
    )


def _compared(selection: FinalSelection, position: str) -> FinalSystem | None:
    return selection.systems.get(position=int(position)) if position else None


def _back(place: Console, protocol: RatingProtocol) -> HttpResponse:
    return redirect("grading:rating-protocol", place.competition.slug, protocol.code)


def _invite(place: Console, protocol: RatingProtocol, form: InviteForm) -> int:
    sent = 0
    for address in form.cleaned_data["addresses"]:
        try:
            raters.invite(actor=place.user, protocol=protocol, email=address, now=timezone.now())
            sent += 1
        except NotYours:
            raise
        except Refusal as refusal:
            form.add_error("addresses", f"{address[:100]}: {refusal.message}")
    return sent


def _services() -> dict[str, Callable[..., object]]:
    return {
        "lay-out": protocols.lay_out,
        "prepare": stimuli.try_again,
        "open": protocols.open_protocol,
        "close": protocols.close,
    }


def _acts() -> dict[str, tuple[str, str, str]]:
    """Return of each act its title, what it means, and what is said when it is done."""
    return {
        "lay-out": (
            _("Lay the plan out"),
            _("Texts are chosen by hash, and the recordings of every system are prepared."),
            _("The plan is laid out; the recordings are being prepared."),
        ),
        "prepare": (
            _("Prepare the recordings again"),
            _(
                "Recordings that could not be prepared are tried once more, as when storage was away."
                " What is prepared stays as it is."
            ),
            _("The recordings are being prepared again."),
        ),
        "open": (
            _("Open the rating"),
            _("Raters can begin. The numbers, texts, items and plans are frozen for good."),
            _("The rating is open."),
        ),
        "close": (
            _("Close the rating"),
            _(
                "No answer is taken any more, and quality control is applied once to everything. "
                "This cannot be taken back."
            ),
            _("The rating is closed; quality control is applied."),
        ),
    }
