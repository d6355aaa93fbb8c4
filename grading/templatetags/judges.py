"""What stands above scores that a judge's marks made, for any page that shows some."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

from grading.models import Recipe
from grading.presentation import judge_of
from grading.views import judge_label

register = template.Library()


@register.simple_tag
def judge_note(recipe: Recipe) -> str:
    """Return what a reader has to know about a recipe's judge; empty for a real one."""
    return judge_label.note(judge_of(recipe))


@register.simple_tag
def simulated_note(raters: Mapping[str, bool]) -> str:
    """Return how many of the raters are simulated, in a sentence; empty without such."""
    return judge_label.people_note(sum(raters.values()), len(raters))


@register.inclusion_tag("grading/partials/provisional.html")
def provisional(recipe: Recipe | None) -> dict[str, str]:
    """Show what the scores of a recipe are made of; nothing where no judge made them."""
    judge = judge_of(recipe) if recipe is not None else None
    return {"heading": judge_label.heading(judge), "note": judge_label.note(judge)}
