"""The first page: what is open, what is coming, what is over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.views.access import viewer
from competition.calendar import Season, next_phase, phases_of, season
from competition.enums import CompetitionState
from competition.models import Competition, Phase


@dataclass(frozen=True, slots=True)
class Entry:
    """A competition as the home page lists it."""

    competition: Competition
    season: Season
    phases: list[Phase]
    next_phase: Phase | None


def home(request: HttpRequest) -> HttpResponse:
    """List the competitions that the viewer may see."""
    now = timezone.now()
    competitions = Competition.objects.visible_to(viewer(request))
    entries = [
        _entry(competition, now) for competition in competitions.prefetch_related("tracks__phases")
    ]
    return render(request, "competition/home.html", {"groups": _groups(entries)})


def _entry(competition: Competition, now: datetime) -> Entry:
    phases = phases_of(competition)
    current = season(phases, now)
    if competition.state == CompetitionState.ARCHIVED:
        current = Season.PAST
    return Entry(competition, current, phases, next_phase(phases, now))


def _groups(entries: list[Entry]) -> dict[str, list[Entry]]:
    """Return the entries by season: what ends first on top, of the past the latest."""
    groups: dict[str, list[Entry]] = {which.value: [] for which in Season}
    for entry in sorted(entries, key=_urgency):
        groups[entry.season].append(entry)
    groups[Season.PAST].reverse()
    return groups


def _urgency(entry: Entry) -> tuple[bool, float, str]:
    phase = entry.next_phase
    if phase is None:
        return True, 0.0, entry.competition.slug
    moment = phase.opens_at if entry.season == Season.COMING else phase.closes_at
    return False, moment.timestamp(), entry.competition.slug
