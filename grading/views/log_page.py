"""The audit log of a competition: searched, exported, verified. For organizers and auditors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_POST, require_safe

from accounts.chain import instant
from accounts.models import AuditEvent, User
from accounts.services import audit
from competition.models import Competition
from competition.streaming import PartResponse
from grading.services import checkpoints, timelines
from grading.spreadsheets import csv_text
from grading.views.exports import attached, csv_response
from grading.views.lookups import Console, in_console

PER_PAGE = 100
MOST_VERIFIED = 200_000
"""More events than this are verified from the shell: a request must not take minutes."""
MOST_IN_CSV = 100_000
FIELDS = ("number", "at", "kind", "actor", "target", "payload", "previous", "hash")
FILTERS = ("actor", "target", "kind", "number", "since", "until")
DIGITS_OF_NUMBER = 12


@in_console
@require_safe
def log_overview(request: HttpRequest, place: Console) -> HttpResponse:
    """Show the events that fit, newest first, and the head that anybody may note."""
    return _page(request, place)


@in_console
@require_POST
def log_verify(request: HttpRequest, place: Console) -> HttpResponse:
    """Recompute the chain now and show what was found."""
    count, _head = audit.head(place.competition.audit_scope)
    if count > MOST_VERIFIED:
        return _page(request, place, too_many=True)
    (verdict,) = audit.verify(place.competition.audit_scope).chains
    return _page(request, place, verdict=verdict)


@in_console
@require_safe
def log_csv(request: HttpRequest, place: Console) -> HttpResponse:
    """Export the newest of the events that fit as CSV."""
    found = _events(place.competition, _chosen(request))[:MOST_IN_CSV]
    text = csv_text(map(record, found), FIELDS)
    return csv_response(text, f"{place.competition.slug}-log.csv")


@in_console
@require_safe
def log_json(request: HttpRequest, place: Console) -> HttpResponse:
    """Export the newest of the events that fit as JSON, with the head of the whole chain."""
    scope = place.competition.audit_scope
    count, head = audit.head(scope)
    found = _events(place.competition, _chosen(request))[:MOST_IN_CSV]
    body = {"scope": scope, "count": count, "head": head, "events": list(map(record, found))}
    response = JsonResponse(body, json_dumps_params={"ensure_ascii": True, "indent": 1})
    return attached(response, f"{place.competition.slug}-log.json")


@in_console
@require_safe
def log_export(request: HttpRequest, place: Console) -> HttpResponse:
    """Stream the whole chain as JSON Lines, oldest first: what anybody needs to verify it."""
    response = PartResponse(_lines(place.competition), content_type="application/jsonl")
    return attached(response, f"{place.competition.slug}-log.jsonl")  # type: ignore[arg-type]


def record(event: AuditEvent) -> dict[str, Any]:
    """Return an event as exports show it: everything that its hash is made of."""
    return {
        "number": event.number,
        "at": instant(event.at),
        "kind": event.kind,
        "actor": event.actor,
        "target": event.target,
        "payload": event.payload,
        "previous": event.previous,
        "hash": event.hash,
    }


def _page(request: HttpRequest, place: Console, **found: Any) -> HttpResponse:
    chosen = _chosen(request)
    page = Paginator(_events(place.competition, chosen), PER_PAGE).get_page(request.GET.get("page"))
    scope = place.competition.audit_scope
    since, until = _days(chosen)
    context = {
        "place": place,
        "competition": place.competition,
        "page": page,
        "names": _names(page.object_list),
        "chosen": chosen,
        "is_backwards": bool(since and until and since > until),
        "head": audit.head(scope),
        "checkpoint": checkpoints.latest(scope),
        "now": timezone.now(),
        **found,
    }
    return render(request, "grading/console_log.html", context)


def _chosen(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "").strip()[:128] for name in FILTERS}


def _events(competition: Competition, chosen: dict[str, str]) -> QuerySet[AuditEvent]:
    """Return the events that fit, newest first; a kind is a word or the beginning of one."""
    wanted = Q(chain__scope=competition.audit_scope)
    if chosen["actor"]:
        wanted &= Q(actor__in=_codes(competition, chosen["actor"]))
    if chosen["target"]:
        wanted &= Q(target=chosen["target"]) | Q(target__endswith=f":{chosen['target']}")
    if chosen["kind"]:
        wanted &= Q(kind__startswith=chosen["kind"])
    if chosen["number"]:
        wanted &= _numbered(chosen["number"])
    since, until = _days(chosen)
    if since:
        wanted &= Q(at__date__gte=since)
    if until:
        wanted &= Q(at__date__lte=until)
    return AuditEvent.objects.filter(wanted).order_by("-number")


def _codes(competition: Competition, actor: str) -> list[str]:
    """Return the codes that a code or somebody's whole name stands for."""
    named = timelines.people_of(competition).filter(name__iexact=actor)
    return [actor, *named.values_list("code", flat=True)]


def _numbered(text: str) -> Q:
    """Return the condition for one event; what is no number fits none."""
    if text.isascii() and text.isdigit() and len(text) <= DIGITS_OF_NUMBER:
        return Q(number=int(text))
    return Q(pk__in=[])


def _days(chosen: dict[str, str]) -> tuple[Any, Any]:
    return _date(chosen["since"]), _date(chosen["until"])


def _date(text: str) -> Any:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _names(events: Any) -> dict[str, str]:
    """Return the names of the people whose pseudonyms stand on a page."""
    codes = {event.actor for event in events if event.actor}
    return dict(User.objects.filter(code__in=codes).values_list("code", "name"))


def _lines(competition: Competition) -> Iterator[bytes]:
    events = AuditEvent.objects.filter(chain__scope=competition.audit_scope).order_by("number")
    for event in events.iterator(chunk_size=2000):
        text = json.dumps({"scope": competition.audit_scope, **record(event)}, sort_keys=True)
        yield text.encode() + b"\n"
