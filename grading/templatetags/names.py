"""Names of stored fields and settings in words, as organizers read them."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def number_name(name: str) -> str:
    """Return what a stored part of a score is called; a name that has no words is given back."""
    words = {
        "score": _("Score"),
        "low": _("Lower end of the interval"),
        "high": _("Upper end of the interval"),
        "seed": _("Seed of the interval"),
        "tallies": _("Counts behind the score"),
        "components": _("Components"),
        "languages": _("Languages"),
        "withheld_reason": _("Why there is no score"),
        "interval_reason": _("Why there is no interval"),
    }
    return words.get(name, name)


@register.filter
def setting_name(name: str) -> str:
    """Return what a setting of a recipe is called: `collars.zh` is "Collar, zh"."""
    words = {
        "scorer": _("Scorer"),
        "references": _("References"),
        "labels": _("Labels"),
        "collars": _("Collar"),
        "weights": _("Weight"),
        "tie_breaks": _("Ties, in this order"),
        "languages": _("Languages"),
        "seconds": _("Length in seconds"),
        "judge_weight": _("Weight of the judge"),
    }
    group, *parts = name.split(".", 1)
    known = words.get(group, group)
    return ", ".join([known, *parts])
