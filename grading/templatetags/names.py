"""Names of stored fields and settings in words, as organizers read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.translation import gettext as _

from competition.models import Track
from grading.scoring import registry

register = template.Library()

EXAMPLES = ("example_en_001", "example_zh_001")


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
def sends_sounds(track: Track) -> bool:
    """Return whether what is sent in a track are waveforms."""
    return registry.get(track.kind).sends_sounds


@register.filter
def value_of(row: Mapping[str, Any], name: str) -> Any:
    """Return what a row holds under a name, None where it holds nothing."""
    return row.get(name)


@register.filter
def takes_no_files(track: Track) -> bool:
    """Return whether a track's rows are made of other boards' rows."""
    return registry.get(track.kind).is_composed


@register.filter
def sample_rows(track: Track) -> str:
    """Return rows as they are sent in a track, with ids that stand for any."""
    kind = registry.get(track.kind)
    return kind.sample(EXAMPLES, kind.params(track.params))


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
        "judge": _("Judge"),
    }
    group, *parts = name.split(".", 1)
    known = words.get(group, group)
    return ", ".join([known, *parts])
