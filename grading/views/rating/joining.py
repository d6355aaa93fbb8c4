"""How somebody becomes a rater, says what they can judge, and ceases to be one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from accounts.refusals import Refusal
from accounts.views.access import confirmed, person, signed_in, spend_from, viewer
from competition.templatetags.texts import spoken, text
from grading.models import Rater
from grading.services.ratings import raters
from grading.services.ratings.errors import InvitationInvalid
from grading.views.rating.frame import at_place, page, step_of, to
from grading.views.rating.places import place_row

WITHDRAW = "withdraw"


@signed_in
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """List the ratings that somebody takes part in, with how far they are."""
    found = raters.places_of(user=person(request))
    rows = [place_row(rater, timezone.now()) for rater in found]
    return render(request, "grading/rating/home.html", {"rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation to whoever has its link; whom it was sent to may accept it."""
    now, user = timezone.now(), viewer(request)
    try:
        found = raters.find_invitation(secret=secret, now=now)
    except InvitationInvalid as refusal:
        # wrong ones alone are counted: a whole class may open theirs from one address
        spend_from(request, "verify")
        context: dict[str, Any] = {"refusal": refusal}
        return render(request, "grading/rating/invitation.html", context, status=refusal.status)
    context = {
        "invitation": found,
        "competition": found.protocol.selection.phase.track.competition,
        "person": user,
        "is_mine": user is not None and user.email == found.email,
        "next": request.path,
    }
    if request.method == "POST" and user is not None:
        try:
            rater = raters.accept(actor=user, secret=secret, now=now)
        except Refusal as refusal:
            context["refusal"] = refusal
            return render(request, "grading/rating/invitation.html", context, status=refusal.status)
        return redirect(step_of(rater))
    return render(request, "grading/rating/invitation.html", context)


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the text that a rater consents to, in their language, and keep that they did."""
    found = raters.consent_text(protocol=rater.protocol, language=get_language() or "en")
    has_consented = raters.has_consented(rater)
    if request.method == "POST":
        with refusals_told(request):
            if request.POST.get("version") != str(found.pk) or "agree" not in request.POST:
                messages.error(request, _("Read the text as it is now, and tick the box below it."))
                return redirect(to("rate-consent", rater))
            raters.give_consent(actor=person(request), rater=rater, text=found, now=timezone.now())
        return redirect(step_of(rater))
    return page(request, rater, "consent", {"text": found, "has_consented": has_consented})


class LanguagesForm(forms.Form):
    """Which languages a rater can judge, and which teams they are close to."""

    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Languages that you can judge like your own"),
        widget=forms.CheckboxSelectMultiple,
    )
    conflicts = forms.MultipleChoiceField(
        label=gettext_lazy("Teams that you are close to"),
        help_text=gettext_lazy(
            "You belong to them, work with them, or know what they sent. You are never given what "
            "they sent; nobody else is told. Your own teams are left out anyhow."
        ),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, *args: Any, rater: Rater, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entrants = list(raters.entrants_to_declare(protocol=rater.protocol))
        offered = raters.languages_of(rater.protocol)
        self._choose("languages", [(code, spoken(code)) for code in offered])
        self._choose("conflicts", [(one.code, one.team.name) for one in self.entrants])

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = choices

    def chosen_entrants(self) -> list[Any]:
        """Return the entrants that were ticked."""
        wanted = set(self.cleaned_data["conflicts"])
        return [one for one in self.entrants if one.code in wanted]


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def languages(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Ask what a rater can judge and whom they are close to."""
    if not raters.has_consented(rater):
        return redirect(to("rate-consent", rater))
    initial = {
        "languages": rater.languages,
        "conflicts": list(rater.conflicts.values_list("entrant__code", flat=True)),
    }
    form = LanguagesForm(request.POST or None, rater=rater, initial=initial)
    if form.is_valid():
        actor, now = person(request), timezone.now()
        with refusals_on(form):
            raters.declare(actor=actor, rater=rater, entrants=form.chosen_entrants(), now=now)
            chosen = form.cleaned_data["languages"]
            raters.set_languages(actor=actor, rater=rater, languages=chosen, now=now)
            return redirect(step_of(rater))
    return page(request, rater, "languages", {"form": form})


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, rater: Rater) -> HttpResponse:
    """End somebody's part in a rating, once they have typed the word."""
    title = text(rater.protocol.selection.phase.track.competition, "title")
    if request.method == "POST" and confirmed(request, WITHDRAW):
        with refusals_told(request):
            raters.withdraw(actor=person(request), rater=rater, now=timezone.now())
            messages.success(
                request,
                _("You have withdrawn from %(title)s. Nothing here leads to you any more.")
                % {"title": title},
            )
        return redirect("grading:rate-home")
    found = raters.consent_text(protocol=rater.protocol, language=get_language() or "en")
    return page(request, rater, "withdraw", {"text": found, "word": WITHDRAW})
