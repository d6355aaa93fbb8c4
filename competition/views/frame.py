"""What all pages of a competition share: who may see it, its tabs, its clock."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from accounts.views.access import viewer
from competition.calendar import main_phase, next_phase, phases_of
from competition.models import Competition, DrawWindow
from competition.timeline import PhaseState, phase_state


def find_competition(request: HttpRequest, slug: str) -> Competition:
    """Return a competition that the viewer may see, with its tracks and phases; 404 for others.

    It knows whether it has windows of draws (`has_windows`): then they have a tab.
    """
    windows = Exists(DrawWindow.objects.filter(competition=OuterRef("pk")))
    visible = Competition.objects.visible_to(viewer(request)).annotate(has_windows=windows)
    return get_object_or_404(visible.prefetch_related("tracks__phases"), slug=slug)


def frame(competition: Competition, now: datetime, tab: str) -> dict[str, Any]:
    """Return what the title, the clock and the tabs of every page need."""
    phases = phases_of(competition)
    return {
        "competition": competition,
        "tracks": list(competition.tracks.all()),
        "phases": phases,
        "open_phases": [phase for phase in phases if phase_state(phase, now) == PhaseState.OPEN],
        "clock_phase": next_phase(phases, now),
        "board_phase": main_phase(phases, now),
        "tab": tab,
        "now": now,
    }
