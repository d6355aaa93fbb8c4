"""The console's linked accounts: what people of different teams have in common, and what was made of it."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.enums import LinkVerdict
from competition.models import LinkJudgement
from grading.services import hints
from grading.trust_forms import JudgementForm
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 50


@in_console
@require_safe
def link_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List pairs of people of different teams with a hint, those without a judgement first."""
    found = hints.find(place.competition)
    page = Paginator(found.pairs, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "place": place,
        "competition": place.competition,
        "page": page,
        "crowded": found.crowded,
    }
    return render(request, "grading/console_links.html", context)


@acts_in_console
def link_judge(request: HttpRequest, place: Console, one: str, other: str) -> HttpResponse:
    """Dismiss the hints about two accounts, or find that they belong together, with the reason."""
    pair = hints.find(place.competition).of(one, other)
    if pair is None:
        raise Http404
    form = JudgementForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            hints.judge(
                actor=place.user,
                competition=place.competition,
                pair=pair,
                verdict=LinkVerdict(form.cleaned_data["verdict"]),
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            messages.success(request, _("The judgement is recorded."))
            return redirect("grading:console-links", place.competition.slug)
    people = [pair.one.user.pk, pair.other.user.pk]
    earlier = LinkJudgement.objects.filter(
        competition=place.competition, one__in=people, other__in=people
    )
    context = {
        "place": place,
        "competition": place.competition,
        "pair": pair,
        "earlier": earlier.select_related("judged_by").order_by("-pk"),
        "form": form,
    }
    return render(request, "grading/console_link.html", context)
