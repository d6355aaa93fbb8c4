"""What stands beside every score that a judge's marks made: provisional or not, and what is no real judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from grading.presentation import judge_in

Judge = Mapping[str, Any]
"""A judge as presentation.judge_of returns it."""


def row_word(judge: Judge | None) -> str:
    """Return what stands beside one score in a list; empty where nothing has to be known of it."""
    if judge is None:
        return ""
    if judge["is_stand_in"]:
        return _("stand-in judge")
    if judge["is_recorded"]:
        return _("recorded judge")
    return _("provisional") if judge["is_provisional"] else ""


def heading(judge: Judge | None) -> str:
    """Return what scores are made of where they are not the last word, empty elsewhere."""
    if judge is None:
        return ""
    if not judge["is_provisional"]:
        return row_word(judge)
    if not judge["label"]:
        return _("Provisional: the judge's marks alone")
    return _("Provisional: the marks of %(judge)s alone") % {"judge": judge["label"]}


def note(judge: Judge | None) -> str:
    """Return what a reader has to know about a judge that is none; empty for a real one."""
    if judge is not None and judge["is_stand_in"] and not judge["is_provisional"]:
        return _(
            "This judge is a stand-in that compares letters by simple rules: its marks say nothing about the answers."
        )
    if judge is not None and judge["is_stand_in"]:
        return _(
            "This judge is a stand-in that measures the signal by simple rules: its marks say nothing about speech."
        )
    if judge is not None and judge["is_recorded"]:
        return _("The marks are replayed from recorded answers.")
    return ""


def people_note(simulated: int, all_raters: int) -> str:
    """Return that marks were given by nobody, where some raters were simulated; else empty."""
    if not simulated:
        return ""
    text = ngettext(
        "%(n)s of %(all)s raters is simulated: no person gave their marks.",
        "%(n)s of %(all)s raters are simulated: no person gave their marks.",
        simulated,
    )
    return text % {"n": simulated, "all": all_raters}


def is_provisional(kind: str, params: Mapping[str, Any]) -> bool:
    """Return whether a judge's marks alone make the scores of a recipe, until people have rated."""
    judge = judge_in(kind, params)
    return judge is not None and bool(judge["is_provisional"])


def provisional(kind: str, params: Mapping[str, Any]) -> str:
    """Return what the scores of a recipe are made of where they are not the last word, empty elsewhere."""
    return heading(judge_in(kind, params))


def provisional_note(kind: str, params: Mapping[str, Any]) -> str:
    """Return what a reader has to know about the judge of a recipe; empty for a real one, or for none."""
    return note(judge_in(kind, params))
