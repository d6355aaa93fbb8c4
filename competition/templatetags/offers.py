"""A team's competitions for pages of the app below, which knows of no competition."""

from __future__ import annotations

from django import template

from accounts.models import Team
from competition import offers
from competition.calendar import next_phase, phases_of
from competition.models import Competition, Entrant, Phase

register = template.Library()


@register.simple_tag(takes_context=True)
def entries_of(context: template.Context, team: Team) -> list[Entrant]:
    """Return where the team takes part or took part."""
    return offers.entries_of(team, context["user"])


@register.simple_tag(takes_context=True)
def enterable(context: template.Context, team: Team) -> list[Competition]:
    """Return what the team could enter now."""
    return offers.enterable(team, context["user"], context["server_now"])


@register.simple_tag(takes_context=True)
def clock_phase(context: template.Context, competition: Competition) -> Phase | None:
    """Return the phase whose opening or end comes next."""
    return next_phase(phases_of(competition), context["server_now"])
