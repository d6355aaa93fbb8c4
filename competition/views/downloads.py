"""Sends copies of packs: any range of the zip, noted before it leaves, to its recipient alone."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.views.access import person, signed_in
from competition import ranges
from competition.copies import file_name
from competition.models import Download, PackIssue
from competition.ranges import Slice
from competition.services import downloads
from competition.services.downloads import Copy
from competition.services.errors import DownloadDenied
from competition.streaming import PartResponse

GONE = frozenset({"revoked", "expired", "old-link", "not-issued"})

Answer = HttpResponse | StreamingHttpResponse


class Sending:
    """Yields a range of a copy and notes each block before its first byte is sent.

    It stops where the copy is revoked or expires meanwhile. `close` writes down what never left.
    """

    def __init__(self, copy: Copy, download: Download, part: Slice) -> None:
        self._copy, self._download = copy, download
        self._unsent = 0
        self._pieces = self._noted(part)
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self._unsent -= len(piece)
        return piece

    def close(self) -> None:
        """Close the record; done once, however the request ended."""
        if self._is_open:
            self._is_open = False
            downloads.end(
                download=self._download,
                unsent=self._unsent,
                whole_size=self._copy.layout.size,
                now=timezone.now(),
            )

    def _noted(self, part: Slice) -> Iterator[bytes]:
        for size, pieces in downloads.blocks(self._copy, part.first, part.length):
            noted = downloads.note(download=self._download, size=size, now=timezone.now())
            if noted is None:
                return
            self._download = noted
            self._unsent += size
            # A thread of the server's loop keeps no connection while a slow reader reads.
            if not connection.in_atomic_block:
                connection.close()
            yield from pieces


@require_safe
@signed_in
def download(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Send a copy, or a range of it, by a link that its page gave to the person who is logged in."""
    issue = get_object_or_404(
        PackIssue.objects.select_related(
            "pack", "competition", "entrant__team", "person", "acceptance__terms"
        ),
        code=code,
        competition__slug=slug,
    )
    link = request.GET.get("link", "")
    return send(request, issue, person(request), link)  # type: ignore[return-value]  # or streamed


@require_POST
@signed_in
def start(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Give a fresh link to one's own copy and go there."""
    own = PackIssue.objects.filter(person=person(request), competition__slug=slug)
    issue = get_object_or_404(own, code=code)
    return HttpResponseRedirect(link_of(issue, person(request)))


def link_of(issue: PackIssue, user: User) -> str:
    """Return the address under which a person downloads a copy for the next hour."""
    address = reverse("competition:issue-download", args=[issue.competition.slug, issue.code])
    return f"{address}?link={downloads.sign(issue, user)}"


def send(request: HttpRequest, issue: PackIssue, user: User, token: str) -> Answer:
    """Return the answer to a request for a copy; what is denied is noted and says nothing more."""
    try:
        copy = downloads.open_copy(issue=issue, person=user, token=token, now=timezone.now())
    except DownloadDenied as denial:
        return _denied(issue, user, str(denial.params["reason"]))
    unchanged = get_conditional_response(request, etag=copy.etag)
    if unchanged is not None and unchanged.status_code != HTTPStatus.OK:
        return _dressed(unchanged, copy)
    part = ranges.decide(
        method=request.method or "",
        size=copy.layout.size,
        etag=copy.etag,
        asked=request.headers.get("Range"),
        only_if=request.headers.get("If-Range"),
    )
    response = _dressed(_sent(request, copy, user, part), copy)
    response["Content-Length"] = str(part.length)
    if part.content_range is not None:
        response["Content-Range"] = part.content_range
    return response


def _sent(request: HttpRequest, copy: Copy, user: User, part: Slice) -> Answer:
    given: dict[str, Any] = {"status": int(part.status), "content_type": "application/zip"}
    if request.method == "HEAD" or not part.length:
        return HttpResponse(**given)
    begun = downloads.begin(copy=copy, person=user, first=part.first, now=timezone.now())
    return PartResponse(Sending(copy, begun, part), **given)


def _dressed(response: Answer, copy: Copy) -> Answer:
    response["ETag"] = copy.etag
    response["Accept-Ranges"] = ranges.UNIT
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = f'attachment; filename="{file_name(copy.issue)}"'
    return response


def _denied(issue: PackIssue, user: User, reason: str) -> HttpResponse:
    """404 to whom may not know of the copy, 410 for one's own that is no more, else 403."""
    if not PackIssue.objects.visible_to(user).filter(pk=issue.pk).exists():
        status = HTTPStatus.NOT_FOUND
    elif issue.person_id == user.pk and reason in GONE:
        status = HTTPStatus.GONE
    else:
        status = HTTPStatus.FORBIDDEN
    response = HttpResponse(status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response
