"""The console's packs: make them, offer them, answer requests, revoke copies, look a file up."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on, refusals_told
from competition.enums import IssueState, Pool
from competition.models import Competition, Download, Pack, PackIssue
from competition.services import holders, issues, packs
from competition.services.packs import Content, Terms
from grading.console_forms import ReasonForm
from grading.integrity_forms import IssueForm, PackForm
from grading.services import copies
from grading.spreadsheets import csv_text
from grading.views.exports import attached, csv_response
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 50
_VERSION = re.compile(r"([a-z0-9-]+) +v?([0-9]{1,6})")
"""A pack as pages name it: `dev v3`."""
COPY_FIELDS = (
    "number", "pack", "version", "manifest_sha256", "zip_sha256", "state", "person", "person_code", "accepted_as",
    "team", "terms", "requested_at", "decided_at", "expires_at", "revoked_at", "reason", "bytes_sent",
    "last_sent_at", "denied",
)  # fmt: skip


@in_console
@require_safe
def pack_overview(request: HttpRequest, place: Console) -> HttpResponse:
    """Show the packs, the requests that wait, every copy, and who holds a file."""
    chosen = {key: request.GET.get(key, "").strip() for key in ("state", "q", "sha256")}
    page = Paginator(_copies(place.competition, chosen), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "place": place,
        "competition": place.competition,
        "packs": _packs(place.competition),
        "waiting": holders.issued(place.competition).filter(state=IssueState.REQUESTED),
        "page": page,
        "chosen": chosen,
        "states": IssueState.choices,
        "holders": _holders(place.competition, chosen["sha256"]),
        "late": holders.after_revocation(place.competition)[:PER_PAGE],
        "form": PackForm(competition=place.competition),
    }
    return render(request, "grading/console_packs.html", context)


@acts_in_console
def pack_create(request: HttpRequest, place: Console) -> HttpResponse:
    """Make the next version of a pack from a dataset and a text."""
    form = PackForm(request.POST or None, competition=place.competition)
    if form.is_valid():
        with refusals_on(form):
            pack = packs.make(
                actor=place.user,
                competition=place.competition,
                name=form.cleaned_data["name"],
                content=_content(form.cleaned_data),
                terms=_terms(form.cleaned_data),
                now=timezone.now(),
            )
            messages.success(
                request, _("%(pack)s is made. Offer it when it is right.") % {"pack": pack}
            )
            return redirect("grading:console-packs", place.competition.slug)
    context = {"place": place, "competition": place.competition, "form": form}
    return render(request, "grading/console_pack.html", context)


@acts_in_console
@require_POST
def pack_act(request: HttpRequest, place: Console, code: str, act: str) -> HttpResponse:
    """Offer a pack, or take it from the offer."""
    if act not in {"offer", "withdraw"}:
        raise Http404
    pack = get_object_or_404(place.competition.packs.select_related("competition"), code=code)
    with refusals_told(request):
        (packs.offer if act == "offer" else packs.withdraw)(
            actor=place.user, pack=pack, now=timezone.now()
        )
        done = _("%(pack)s is on offer.") if act == "offer" else _("%(pack)s is off the offer.")
        messages.success(request, done % {"pack": pack})
    return redirect("grading:console-packs", place.competition.slug)


@acts_in_console
def pack_issue(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Issue a copy of a pack on offer to a person who did not ask."""
    pack = get_object_or_404(place.competition.packs.select_related("competition"), code=code)
    people = list(issues.candidates(pack, timezone.now()))
    ready = {one.user.code: one for one in people if getattr(one, "has_accepted", False)}
    form = IssueForm(request.POST or None, people=ready.values())
    if form.is_valid():
        with refusals_on(form):
            person = ready[form.cleaned_data["person"]].user
            issue = copies.issue_to(actor=place.user, pack=pack, person=person, now=timezone.now())
            told = _("Copy %(number)s is issued to %(name)s.")
            messages.success(request, told % {"number": issue.number, "name": person.name})
            return redirect("grading:console-packs", place.competition.slug)
    context = {
        "place": place,
        "competition": place.competition,
        "pack": pack,
        "form": form,
        "ready": len(ready),
        "unready": [one for one in people if one.user.code not in ready],
    }
    return render(request, "grading/console_pack_issue.html", context)


@acts_in_console
@require_POST
def issue_approve(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Issue a copy that was asked for."""
    issue = _issue(place, code)
    with refusals_told(request):
        copies.approve(actor=place.user, issue=issue, now=timezone.now())
        told = _("Copy %(number)s is issued to %(name)s.")
        messages.success(request, told % {"number": issue.number, "name": issue.person.name})
    return redirect("grading:console-packs", place.competition.slug)


@acts_in_console
def issue_end(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Refuse a copy that was asked for, or revoke one that was issued, with the reason."""
    issue = _issue(place, code)
    is_request = issue.state == IssueState.REQUESTED
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            act = copies.refuse if is_request else copies.revoke
            reason = form.cleaned_data["reason"]
            act(actor=place.user, issue=issue, reason=reason, now=timezone.now())
            done = _("The request is refused.") if is_request else _("The copy is revoked.")
            messages.success(request, done)
            return redirect("grading:console-packs", place.competition.slug)
    given = {"number": issue.number, "name": issue.person.name}
    context = {
        "place": place,
        "competition": place.competition,
        "form": form,
        "title": (_("Refuse copy %(number)s") if is_request else _("Revoke copy %(number)s"))
        % given,
        "meaning": (
            _("%(name)s reads the reason.")
            if is_request
            else _("%(name)s reads the reason. From now on not a byte of the copy is sent.")
        )
        % given,
        "is_danger": True,
        "back": "grading:console-packs",
    }
    return render(request, "grading/console_reason.html", context)


@in_console
@require_safe
def issue_detail(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show one copy and every attempt to download it."""
    issue = _issue(place, code)
    downloads = Download.objects.filter(issue=issue).select_related("person")
    context = {
        "place": place,
        "competition": place.competition,
        "issue": issue,
        "page": Paginator(downloads, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "grading/console_issue.html", context)


@in_console
@require_safe
def issues_csv(request: HttpRequest, place: Console) -> HttpResponse:
    """Export every copy as CSV."""
    text = csv_text(map(copy_record, _all(place.competition)), COPY_FIELDS)
    return csv_response(text, f"{place.competition.slug}-copies.csv")


@in_console
@require_safe
def issues_json(request: HttpRequest, place: Console) -> HttpResponse:
    """Export every copy as JSON."""
    body = {
        "competition": place.competition.slug,
        "copies": list(map(copy_record, _all(place.competition))),
    }
    response = JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return attached(response, f"{place.competition.slug}-copies.json")


def copy_record(issue: PackIssue) -> dict[str, Any]:
    """Return a copy as exports show it; no address, no e-mail."""
    return {
        "number": issue.number,
        "pack": issue.pack.name,
        "version": issue.pack.version,
        "manifest_sha256": issue.pack.sha256,
        "zip_sha256": issue.zip.sha256 if hasattr(issue, "zip") else None,
        "state": issue.state,
        "person": issue.person.name,
        "person_code": issue.person.code,
        "accepted_as": issue.acceptance.typed_name,
        "team": issue.entrant.team.name,
        "terms": issue.acceptance.terms.version,
        "requested_at": issue.requested_at.isoformat(),
        "decided_at": _text(issue.decided_at),
        "expires_at": _text(issue.expires_at),
        "revoked_at": _text(issue.revoked_at),
        "reason": issue.reason,
        "bytes_sent": issue.sent,
        "last_sent_at": _text(issue.sent_at),
        "denied": issue.denied,
    }


def _text(moment: Any) -> str | None:
    return moment.isoformat() if moment else None


def _all(competition: Competition) -> QuerySet[PackIssue]:
    return holders.issued(competition).order_by("number")


def _packs(competition: Competition) -> QuerySet[Any]:
    def count(*states: IssueState) -> Count:
        return Count("issues", filter=Q(issues__state__in=states))

    return Pack.objects.filter(competition=competition).annotate(
        waits=count(IssueState.REQUESTED),
        held=count(IssueState.ACTIVE),
        gone=count(IssueState.REVOKED, IssueState.REFUSED),
    )


def _copies(competition: Competition, chosen: dict[str, str]) -> QuerySet[PackIssue]:
    found = holders.issued(competition)
    if chosen["state"] in IssueState.values:
        found = found.filter(state=chosen["state"])
    if chosen["q"]:
        wanted = Q(person__name__icontains=chosen["q"]) | Q(pack__name__icontains=chosen["q"])
        wanted |= Q(entrant__team__name__icontains=chosen["q"])
        if chosen["q"].isascii() and chosen["q"].isdigit() and len(chosen["q"]) <= PER_PAGE // 10:
            wanted |= Q(number=int(chosen["q"]))
        if version := _VERSION.fullmatch(chosen["q"]):
            wanted |= Q(pack__name=version[1], pack__version=int(version[2]))
        found = found.filter(wanted)
    return found


def _holders(competition: Competition, sha256: str) -> list[holders.Holder] | None:
    """Return who holds a file; None where no whole hash was given."""
    if len(sha256) != holders.SHA256_LENGTH:
        return None
    return holders.holders_of(competition, sha256.lower())


def _content(given: dict[str, Any]) -> Content:
    readme = given["readme"].replace("\r\n", "\n")
    return Content(
        version=given["version"],
        pools=tuple(map(Pool, given["pools"])),
        texts={"README.txt": readme.encode()} if readme.strip() else {},
    )


def _terms(given: dict[str, Any]) -> Terms:
    return Terms(given["approve"], given["valid_days"], given["note"])


def _issue(place: Console, code: str) -> PackIssue:
    return get_object_or_404(holders.issued(place.competition), code=code)
