"""Sends sounds: whole or in parts, never held in memory, under names that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from typing import IO, Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.refusals import Refusal
from competition import ranges
from competition.ranges import Slice
from competition.streaming import PartResponse
from grading.models import AudioGrant
from grading.services.ratings import delivery, queue

CHUNK = 64 * 1024


class Reading:
    """Yields a stretch of an open file in pieces; `close` gives back the file."""

    def __init__(self, file: IO[bytes], first: int, length: int, held: ExitStack) -> None:
        file.seek(first)
        self._file, self._left, self._held = file, length, held

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._file.read(min(CHUNK, self._left))
        if not piece:
            raise StopIteration
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()


@require_safe
def audio(request: HttpRequest, token: str) -> HttpResponse | StreamingHttpResponse:
    """Send the sound of a link to whom it was given: 206 and 416 by the Range header."""
    if not isinstance(request.user, User):
        return _refused(HTTPStatus.UNAUTHORIZED)
    now = timezone.now()
    try:
        granted = delivery.redeem(
            token=token, actor=request.user, login=request.session.session_key or "", now=now
        )
    except Refusal as refusal:
        return _refused(refusal.status)
    etag = delivery.entity_tag(token)
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code != HTTPStatus.OK:
        if granted.task is not None and unchanged.status_code == HTTPStatus.NOT_MODIFIED:
            # The browser has what was sent under this link before the clip came again.
            queue.delivered(task=granted.task, now=now, part=granted.part)
        return _dressed(unchanged, etag)
    try:
        response = _dressed(_sent(request, granted, etag), etag)
    except Refusal as refusal:
        return _refused(refusal.status, **refusal.headers)
    if granted.task is not None and isinstance(response, PartResponse):
        queue.delivered(task=granted.task, now=now, part=granted.part)
    return response


def _sent(
    request: HttpRequest, granted: AudioGrant, etag: str
) -> HttpResponse | StreamingHttpResponse:
    held = ExitStack()
    try:
        file, size = held.enter_context(delivery.opened(granted))
        part = ranges.decide(
            method=request.method or "",
            size=size,
            etag=etag,
            asked=request.headers.get("Range"),
            only_if=request.headers.get("If-Range"),
        )
    except BaseException:
        held.close()
        raise
    response = _answer(request, part, file, held)
    response["Content-Length"] = str(part.length)
    if part.content_range is not None:
        response["Content-Range"] = part.content_range
    return response


def _answer(
    request: HttpRequest, part: Slice, file: IO[bytes], held: ExitStack
) -> HttpResponse | StreamingHttpResponse:
    given: dict[str, Any] = {"status": int(part.status), "content_type": "audio/wav"}
    if request.method == "HEAD" or not part.length:
        held.close()
        return HttpResponse(**given)
    return PartResponse(Reading(file, part.first, part.length, held), **given)


def _dressed(
    response: HttpResponse | StreamingHttpResponse, etag: str
) -> HttpResponse | StreamingHttpResponse:
    """Give an answer what every answer about this sound has: the same for each sound there is."""
    response["ETag"] = etag
    response["Accept-Ranges"] = ranges.UNIT
    response["Cache-Control"] = "private, max-age=1800"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = "inline"
    response["Vary"] = "Cookie"
    return response


def _refused(status: int, **headers: str) -> HttpResponse:
    response = HttpResponse(status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    for name, value in headers.items():
        response[name] = value
    return response
