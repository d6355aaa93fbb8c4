"""How pages of ratings read their tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from grading.scoring.rating.quality import Day
from grading.scoring.rating.settings import ProtocolSettings

register = template.Library()


@register.filter
def item(table: Mapping[Any, Any], key: object) -> Any:
    """Return what a table holds under a key, None without one."""
    return table.get(key)


@register.filter
def alarming(day: Day, settings: ProtocolSettings) -> bool:
    """Return whether too few of a day's answers are valid."""
    return day.is_alarming(settings)
