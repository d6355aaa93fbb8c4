"""Where a competition stands in time, read from its phases. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from competition.models import Competition, Phase
from competition.timeline import PhaseState, phase_state


class Season(StrEnum):
    """What a competition is at a moment."""

    OPEN = "open"
    COMING = "coming"
    PAST = "past"


def phases_of(competition: Competition) -> list[Phase]:
    """Return the phases of all tracks in the order of the tracks; needs `tracks__phases` prefetched."""
    found = []
    for track in competition.tracks.all():
        for phase in track.phases.all():
            phase.track = track
            found.append(phase)
    return found


def season(phases: Iterable[Phase], now: datetime) -> Season:
    """Return open while a phase takes uploads, coming while one is still to open, else past."""
    states = {phase_state(phase, now) for phase in phases}
    if states & {PhaseState.OPEN, PhaseState.GRACE}:
        return Season.OPEN
    return Season.COMING if PhaseState.UPCOMING in states else Season.PAST


def next_phase(phases: Iterable[Phase], now: datetime) -> Phase | None:
    """Return the phase whose clock counts: the open one that closes first (of several, the last in
    order), else the next to open, else the last that closed."""
    listed = list(phases)
    running = [phase for phase in listed if phase.opens_at <= now < phase.closes_at]
    if running:
        return min(reversed(running), key=lambda phase: phase.closes_at)
    upcoming = [phase for phase in listed if now < phase.opens_at]
    if upcoming:
        return min(upcoming, key=lambda phase: phase.opens_at)
    return max(listed, key=lambda phase: phase.closes_at, default=None)


def main_phase(phases: Iterable[Phase], now: datetime) -> Phase | None:
    """Return the phase whose board is shown first: of those that have opened, the last in order."""
    opened = [phase for phase in phases if phase.opens_at <= now]
    return opened[-1] if opened else None
