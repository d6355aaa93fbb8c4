"""What pages of held-out verification show: scores and differences in a track's column, and the way there."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

from competition.models import Competition
from competition.queries import entrant_of, stands_for
from grading import shown
from grading.models import VerifiedEntrant
from grading.scoring.tracks.columns import Column

register = template.Library()


@register.simple_tag(takes_context=True)
def released_to_me(context: template.Context, competition: Competition) -> bool:
    """Return whether inputs were released to the reader's team, or to one that it took in."""
    own = entrant_of(context["user"], competition)
    if own is None:
        return False
    named = VerifiedEntrant.objects.filter(entrant__in=stands_for(own.pk))
    return bool(named.filter(verification__released_at__isnull=False).exists())


@register.simple_tag
def in_column(column: Column, value: float | None) -> str:
    """Return a score; None is a dash."""
    return shown.value(value, column.shown_as, column.digits)


@register.simple_tag
def span_in(column: Column, low: float | None, high: float | None) -> str:
    """Return an interval of a score; without one a dash."""
    if low is None or high is None:
        return shown.NONE
    return f"{in_column(column, low)}–{in_column(column, high)}"


@register.simple_tag
def signed_in(column: Column, value: float | None) -> str:
    """Return a difference of scores with its sign; None is a dash."""
    factor = 100 if column.shown_as == "percent" else 1
    return shown.signed(None if value is None else factor * value, column.digits)


@register.simple_tag
def signed_span_in(column: Column, low: float | None, high: float | None) -> str:
    """Return an interval of a difference, each bound with its sign; without one a dash."""
    if low is None or high is None:
        return shown.NONE
    bounds = {"low": signed_in(column, low), "high": signed_in(column, high)}
    return _("%(low)s to %(high)s") % bounds
