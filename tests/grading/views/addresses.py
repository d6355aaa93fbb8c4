"""Addresses of an arena's pages."""

from __future__ import annotations

from django.urls import reverse

from tests.factories.grading import Arena


def of_phase(name: str, arena: Arena) -> str:
    """Return the address of a page of the arena's phase."""
    args = [arena.competition.slug, arena.track.slug, arena.phase.slug]
    return reverse(f"grading:{name}", args=args)


def of_competition(name: str, arena: Arena, *args: str) -> str:
    """Return the address of a page of the arena's competition."""
    return reverse(f"grading:{name}", args=[arena.competition.slug, *args])
