"""The console's merge of two teams: the arithmetic first, then the act that nothing takes back."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from accounts.refusals import Refusal
from competition.enums import EntrantState
from competition.models import Entrant
from grading.services import merging
from grading.services.merging import Arithmetic
from grading.trust_forms import MergeForm
from grading.views.lookups import Console, acts_in_console


@acts_in_console
@require_safe
def merge_choose(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Choose which team goes into this one."""
    kept = get_object_or_404(_entrants(place), code=code)
    others = _entrants(place).filter(state=EntrantState.ACCEPTED).exclude(pk=kept.pk)
    wanted = request.GET.get("other", "")
    if others.filter(code=wanted).exists():
        return redirect("grading:entrant-merge", place.competition.slug, code, wanted)
    context = {
        "place": place,
        "competition": place.competition,
        "kept": kept,
        "others": others.order_by("team__name_key"),
    }
    return render(request, "grading/console_merge_choice.html", context)


@acts_in_console
def entrant_merge(request: HttpRequest, place: Console, code: str, other: str) -> HttpResponse:
    """Show what a merge would come to, and do it as it was seen."""
    kept = get_object_or_404(_entrants(place), code=code)
    merged = get_object_or_404(_entrants(place), code=other)
    figures, refusal = _figures(kept, merged)
    form = MergeForm(request.POST or None, merged=merged, initial={"digest": _digest(figures)})
    if figures is not None and form.is_valid():
        with refusals_on(form):
            merging.merge(
                actor=place.user,
                kept=kept,
                merged=merged,
                reason=form.cleaned_data["reason"],
                digest=form.cleaned_data["digest"],
                now=timezone.now(),
            )
            told = _("%(merged)s has gone into %(kept)s.")
            messages.success(request, told % {"merged": merged.team.name, "kept": kept.team.name})
            return redirect("grading:entrant-timeline", place.competition.slug, code)
        form.data = {**request.POST.dict(), "digest": figures.digest}
    context = {
        "place": place,
        "competition": place.competition,
        "kept": kept,
        "merged": merged,
        "figures": figures,
        "refusal": refusal,
        "form": form,
    }
    return render(request, "grading/console_merge.html", context)


def _entrants(place: Console) -> QuerySet[Entrant]:
    rows = Entrant.objects.filter(competition=place.competition)
    return rows.select_related("team", "competition")


def _figures(kept: Entrant, merged: Entrant) -> tuple[Arithmetic | None, str]:
    """Return what a merge would come to, or why there can be none."""
    try:
        return merging.arithmetic(kept=kept, merged=merged, now=timezone.now()), ""
    except Refusal as refusal:
        return None, refusal.message


def _digest(figures: Arithmetic | None) -> str:
    return figures.digest if figures else ""
