"""The console's people and timelines: who is in the competition, and what happened to whom, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import AuditEvent, User
from competition.enums import EntrantKind, EntrantState
from competition.models import (
    Competition,
    Entrant,
    EntrantChange,
    EntrantMember,
    Exposure,
    LinkJudgement,
    PackIssue,
    RoleGrant,
)
from competition.queries import stands_for
from grading.services import timelines
from grading.timeline_words import words_of
from grading.views.lookups import Console, in_console

PER_PAGE = 50
EVENTS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Line:
    """One event as a timeline shows it: what, on what, by whom."""

    event: AuditEvent
    words: str
    thing: str
    actor: str


@in_console
@require_safe
def people_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List everybody who has or had a place or a role in the competition."""
    wanted = request.GET.get("q", "").strip()[:80]
    page = Paginator(_people(place.competition, wanted), PER_PAGE)
    shown = page.get_page(request.GET.get("page"))
    users = list(shown.object_list)
    standing = _standing(place.competition, users)
    context = {
        "place": place,
        "competition": place.competition,
        "page": shown,
        "rows": [(user, *standing(user)) for user in users],
        "q": wanted,
    }
    return render(request, "grading/console_everybody.html", context)


@in_console
@require_safe
def entrant_timeline(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show what happened to an entrant: standing with reasons, draws seen, copies, and every event.

    Draws and copies of entrants that went into it are its own; their events stand on their timelines.
    """
    entrants = Entrant.objects.select_related("team", "competition")
    entrant = get_object_or_404(entrants, competition=place.competition, code=code)
    whole = stands_for(entrant.pk)
    context = _timeline(request, place, timelines.of_entrant(entrant)) | {
        "entrant": entrant,
        "changes": _changes(entrant),
        "merges": timelines.trace_of(entrant),
        "exposures": _exposures(whole),
        "copies": _copies(PackIssue.objects.filter(entrant__in=whole)),
        "members": entrant.members.select_related("user").order_by("joined_at", "pk"),
    }
    return render(request, "grading/console_entrant_timeline.html", context)


@in_console
@require_safe
def person_timeline(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show what a person did and was given in the competition; no address and no e-mail."""
    user = get_object_or_404(timelines.people_of(place.competition), code=code)
    competition = place.competition
    context = _timeline(request, place, timelines.of_person(competition, user)) | {
        "person": user,
        "places": EntrantMember.objects.filter(competition=competition, user=user)
        .select_related("entrant__team")
        .order_by("joined_at", "pk"),
        "roles": RoleGrant.objects.filter(competition=competition, user=user).order_by("pk"),
        "exposures": _given(competition, user),
        "judgements": _judgements(competition, user),
        "copies": _copies(PackIssue.objects.filter(competition=competition, person=user)),
    }
    return render(request, "grading/console_person.html", context)


def _timeline(request: HttpRequest, place: Console, events: QuerySet[AuditEvent]) -> dict[str, Any]:
    family = request.GET.get("of", "")
    found = timelines.narrowed(events, family)
    page = Paginator(found, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    return {
        "place": place,
        "competition": place.competition,
        "page": page,
        "lines": _lines(page),
        "families": [
            ("submissions", _("submissions")),
            ("copies", _("packs and downloads")),
            ("standing", _("standing and places")),
            ("dates", _("dates")),
        ],
        "family": family if family in timelines.FAMILIES else "",
    }


def _lines(page: Page[AuditEvent]) -> list[Line]:
    events = list(page.object_list)
    known = timelines.named(events)
    return [
        Line(
            event,
            words_of(event.kind),
            known.objects.get(event.target, event.target),
            known.people.get(event.actor, event.actor) or _("the server"),
        )
        for event in events
    ]


def _people(competition: Competition, wanted: str) -> QuerySet[User]:
    found = timelines.people_of(competition)
    if wanted:
        inside = EntrantMember.objects.filter(
            competition=competition, entrant__team__name__icontains=wanted
        )
        found = found.filter(
            Q(name__icontains=wanted) | Q(code=wanted) | Q(pk__in=inside.values("user_id"))
        )
    return found


def _standing(competition: Competition, users: list[User]) -> Any:
    """Return a function from a person to their places, roles and number of copies."""
    places: dict[int, list[EntrantMember]] = {}
    rows = EntrantMember.objects.filter(competition=competition, user__in=users)
    for row in rows.select_related("entrant__team").order_by("joined_at", "pk"):
        places.setdefault(row.user_id, []).append(row)
    roles: dict[int, list[RoleGrant]] = {}
    grants = RoleGrant.objects.filter(competition=competition, user__in=users)
    for grant in grants.filter(revoked_at__isnull=True).order_by("role"):
        roles.setdefault(grant.user_id, []).append(grant)
    issues = PackIssue.objects.filter(competition=competition, person__in=users)
    counts = dict(issues.values_list("person").annotate(Count("pk")).order_by())
    return lambda user: (places.get(user.pk, []), roles.get(user.pk, []), counts.get(user.pk, 0))


def _changes(entrant: Entrant) -> list[tuple[EntrantChange, str, str]]:
    """Return the history of an entrant's standing, the newest first: each with old and new in words."""
    rows = EntrantChange.objects.filter(entrant=entrant).select_related("actor")
    teams = timelines.trace_of(entrant).values_list("kept__code", "kept__team__name")
    others = timelines.trace_of(entrant).values_list("merged__code", "merged__team__name")
    known: dict[str, Any] = {
        **dict(EntrantState.choices),
        **dict(EntrantKind.choices),
        **dict(teams),
        **dict(others),
        **dict(entrant.members.values_list("user__code", "user__name")),
    }
    return [(row, known.get(row.old, row.old), known.get(row.new, row.new)) for row in rows]


def _exposures(entrants: set[int]) -> QuerySet[Exposure]:
    rows = Exposure.objects.filter(entrant__in=entrants)
    return rows.select_related("draw__window__version__dataset").order_by("-at", "-pk")


def _given(competition: Competition, user: User) -> list[Exposure]:
    """Return the draws that were given to the person's teams while they were in them."""
    found: list[Exposure] = []
    for place in EntrantMember.objects.filter(competition=competition, user=user).select_related(
        "entrant"
    ):
        rows = _exposures({place.entrant_id}).filter(at__gte=place.joined_at)
        found += rows.filter(at__lt=place.left_at) if place.left_at else rows
    return sorted(found, key=lambda row: (row.at, row.pk), reverse=True)


def _copies(rows: QuerySet[PackIssue]) -> QuerySet[PackIssue]:
    return rows.select_related("pack", "person", "zip").order_by("-number")


def _judgements(competition: Competition, user: User) -> QuerySet[LinkJudgement]:
    rows = LinkJudgement.objects.filter(Q(one=user) | Q(other=user), competition=competition)
    return rows.select_related("one", "other", "judged_by").order_by("-pk")
