"""The guard in front of the application: no half-sent, oversized or ambiguous request gets past it.

`GuardedProtocol` watches a connection until its headers are read; `Guard` watches the body.
Both answer in plain words and close the connection. The moment at which the headers were read
travels with the request, since it decides deadlines.
"""

from __future__ import annotations

import asyncio
import json
import re
from asyncio import TimerHandle
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext as _
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from config.arrival import SCOPE_KEY
from config.refusal_page import asks_for_page, page_of
from grading.identity import PART_BYTES

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

PATIENCE_SECONDS = 20.0
HEADER_BYTES = 32 * 1024
CHUNK_BYTES = 16
"""What the chunks of a body may say of themselves: this much a byte carried, beside HEADER_BYTES."""
GRACE_SECONDS = 60.0
LEAST_RATE = 1_000.0
"""After the grace a body must have come at this many bytes a second, beginning with its end."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
CUT_SECONDS = 0.1
LINGER_SECONDS = 2.0
"""How long what still arrives is read and dropped, so that the refusal reaches its sender."""


@dataclass(frozen=True)
class Limits:
    """The largest body in bytes: of an upload, of one part of an upload, and of anything else."""

    upload: int
    other: int
    part: int = PART_BYTES
    upload_paths: re.Pattern[str] = re.compile(
        r"/(?:submit|submissions|check|propose|filings|file-sets/[a-z0-9]+/files/[^/]+"
        r"|rating/[a-z0-9]+/(?:items|import)|verification/(?:sets|[a-z0-9]+/output))/$"
    )
    part_paths: re.Pattern[str] = re.compile(r"/uploads/[a-z0-9]+/parts/[0-9]+/$")

    def of(self, path: str) -> int:
        """Return the limit of a path."""
        if self.part_paths.search(path):
            return self.part
        return self.upload if self.upload_paths.search(path) else self.other


@dataclass(frozen=True)
class Pace:
    """How slowly a body may come: after `grace` seconds, `rate` bytes for each second since then."""

    grace: float = GRACE_SECONDS
    rate: float = LEAST_RATE

    def is_kept(self, received: int, seconds: float) -> bool:
        """Return whether so many bytes in so many seconds are enough."""
        return received >= (seconds - self.grace) * self.rate


class Refused(Exception):
    """A request that ends here."""

    def __init__(
        self, status: HTTPStatus, code: str, detail: str, limit: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.limit = limit


class Guard:
    """An ASGI application around another that only whole and bounded requests reach."""

    def __init__(
        self,
        app: App,
        limits: Limits,
        patience: float = PATIENCE_SECONDS,
        pace: Pace = Pace(),
    ) -> None:
        self._app = app
        self._limits = limits
        self._patience = patience
        self._pace = pace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[SCOPE_KEY] = datetime.now(UTC)
        limit = self._limits.of(scope["path"])
        try:
            declared = check_headers(scope, limit)
        except Refused as refused:
            await refuse(refused, scope, receive, send)
            return
        body = Body(
            scope,
            receive,
            send,
            declared=declared,
            limit=limit,
            patience=self._patience,
            pace=self._pace,
        )
        await self._app(scope, body.receive, body.send)


class Body:
    """The rest of one request: hands its parts on, or answers itself and reports a disconnect."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        declared: int | None,
        limit: int,
        patience: float,
        pace: Pace,
    ) -> None:
        self._pace = pace
        self._began = asyncio.get_running_loop().time()
        self._scope = scope
        self._receive = receive
        self._send = send
        self._declared = declared
        self._limit = limit
        self._patience = patience
        self._received = 0
        self._whole = False
        self._over = False

    async def receive(self) -> Message:
        """Return the next part, or a disconnect when the request has been refused."""
        if self._whole:
            return await self._receive()
        if self._over:
            return {"type": "http.disconnect"}
        try:
            return await self._next()
        except Refused as refused:
            self._over = True
            await refuse(refused, self._scope, self._receive, self._send)
            return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send on what the application answers, unless the request was refused."""
        if not self._over:
            await self._send(message)

    async def _next(self) -> Message:
        try:
            message = await asyncio.wait_for(self._receive(), self._patience)
        except TimeoutError:
            raise stalled(self._patience) from None
        if message["type"] == "http.request":
            self._count(message)
        return message

    def _count(self, message: Message) -> None:
        self._received += len(message.get("body", b""))
        if self._received > self._limit:
            raise too_large(self._limit)
        self._whole = not message.get("more_body", False)
        seconds = asyncio.get_running_loop().time() - self._began
        if not self._whole and not self._pace.is_kept(self._received, seconds):
            raise too_slow(self._pace)
        if self._whole and self._declared is None:
            self._say_length()
        if self._whole and self._declared not in (None, self._received):
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                "BODY_INCOMPLETE",
                _("The body is not as long as its Content-Length says."),
            )

    def _say_length(self) -> None:
        """Give a body that came in chunks its length: Django takes one without for an empty one."""
        headers = self._scope["headers"]
        if any(name == b"transfer-encoding" for name, _value in headers):
            kept = [pair for pair in headers if pair[0] != b"transfer-encoding"]
            length = str(self._received).encode()
            self._scope["headers"] = [*kept, (b"content-length", length)]


def check_headers(scope: Scope, limit: int) -> int | None:
    """Return the declared length in bytes, None without one; raises Refused."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    target = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
    if target + sum(len(name) + len(value) + 4 for name, value in headers) > HEADER_BYTES:
        raise headers_too_large()
    _check_form(scope, headers)
    lengths = {value.strip(b" \t") for name, value in headers if name == b"content-length"}
    codings = [
        value.strip(b" \t").lower() for name, value in headers if name == b"transfer-encoding"
    ]
    coded_rightly = codings == [b"chunked"] and scope["http_version"] == "1.1"
    if len(lengths) > 1 or (codings and (lengths or not coded_rightly)):
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            "BODY_AMBIGUOUS",
            _("A request may say the length of its body only once, and only in one way."),
        )
    if not lengths:
        return None
    return _checked_length(lengths.pop(), limit)


def _check_form(scope: Scope, headers: list[tuple[bytes, bytes]]) -> None:
    """Refuse another HTTP than 1.0 and 1.1, methods that nothing here has, and doubtful hosts."""
    if scope["http_version"] not in {"1.0", "1.1"}:
        detail = _("Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        raise Refused(HTTPStatus.BAD_REQUEST, "HTTP_VERSION_UNKNOWN", detail)
    if scope["method"] not in METHODS:
        detail = _("Nothing here takes this method.")
        raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail)
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 and (hosts or scope["http_version"] == "1.1"):
        detail = _("A request names its host once.")
        raise Refused(HTTPStatus.BAD_REQUEST, "HOST_AMBIGUOUS", detail)


def _checked_length(value: bytes, limit: int) -> int:
    if not re.fullmatch(rb"[0-9]{1,19}", value):
        raise Refused(
            HTTPStatus.BAD_REQUEST, "BODY_AMBIGUOUS", _("Content-Length is not a number.")
        )
    if int(value) > limit:
        raise too_large(limit)
    return int(value)


def too_large(limit: int) -> Refused:
    """Return the refusal of a body over `limit` bytes."""
    detail = _("The body is too large: at most %(limit)d bytes are taken here.") % {"limit": limit}
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "BODY_TOO_LARGE", detail, limit)


def chunks_too_large() -> Refused:
    """Return the refusal of chunks with far more around them than in them."""
    detail = _("The chunks of the body have far more around them than in them.")
    return Refused(HTTPStatus.BAD_REQUEST, "CHUNKS_TOO_LARGE", detail)


def stalled(seconds: float) -> Refused:
    """Return the refusal of a request of which nothing arrived for `seconds`."""
    detail = _("Nothing arrived for %(seconds)g seconds; the request was dropped.") % {
        "seconds": seconds
    }
    return Refused(HTTPStatus.REQUEST_TIMEOUT, "REQUEST_STALLED", detail)


def too_slow(pace: Pace) -> Refused:
    """Return the refusal of a body that drips: a few bytes now and then, without an end."""
    detail = _(
        "The body came at less than %(rate)g bytes a second; a large file in parts goes on where it was."
    ) % {"rate": pace.rate}
    return Refused(HTTPStatus.REQUEST_TIMEOUT, "REQUEST_TOO_SLOW", detail)


def headers_too_large() -> Refused:
    """Return the refusal of headers over the limit."""
    detail = _("The headers are too large: at most %(limit)d bytes are taken.") % {
        "limit": HEADER_BYTES
    }
    return Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "HEADERS_TOO_LARGE", detail)


def _rendered(refused: Refused, path: str) -> tuple[bytes, bytes]:
    """Return content type and body: a problem document for the API, plain text for people."""
    if not path.startswith("/api/"):
        return b"text/plain; charset=utf-8", f"{refused.detail}\n".encode()
    document = {
        "type": f"urn:plaudit:problem:{refused.code.lower().replace('_', '-')}",
        "title": refused.status.phrase,
        "status": int(refused.status),
        "detail": refused.detail,
        "code": refused.code,
        "params": {},
    }
    return b"application/problem+json", json.dumps(document).encode()


async def refuse(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer, read on for a moment without keeping anything, and close the connection."""
    content_type, body = _rendered(refused, scope["path"])
    if refused.limit is not None and asks_for_page(scope):
        content_type, body = b"text/html; charset=utf-8", page_of(scope, refused.limit)
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refused.status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers.append((b"allow", ", ".join(sorted(METHODS)).encode()))
    await send({"type": "http.response.start", "status": int(refused.status), "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    if refused.status != HTTPStatus.REQUEST_TIMEOUT:
        await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            more = True
            while more:
                more = (await receive()).get("more_body", False)
    except TimeoutError:
        return


class GuardedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol with a limit on the time and the size of headers, and on cut bodies."""

    patience = PATIENCE_SECONDS
    _timer: TimerHandle | None = None
    _in_headers = True
    _header_bytes = 0
    _framing_bytes = 0
    _trailer_bytes = 0
    _refused = False

    def connection_made(self, transport: Any) -> None:
        """Give the first request its time."""
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in bytes; headers that are too large end the connection, what follows is dropped."""
        if self._refused:
            return
        if self._in_headers:
            self._start_timer()
            self._header_bytes += len(data)
        else:
            self._framing_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_bytes > HEADER_BYTES:
            self._refuse(headers_too_large())
        elif self._framing_bytes > HEADER_BYTES:
            self._refuse(chunks_too_large())

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header; what stands behind a body in chunks is none (RFC 9110, 6.5.1).

        Nothing has looked at it: it could name another host or sender after the guard's checks.
        """
        if self._in_headers:
            super().on_header(name, value)
            return
        # counted here too: what arrives in one piece with the end is over before it is measured
        self._trailer_bytes += len(name) + len(value) + 4
        if self._trailer_bytes > HEADER_BYTES:
            self._refuse(chunks_too_large())

    def on_headers_complete(self) -> None:
        """Hand the request on."""
        self._in_headers = False
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Hand a part of the body on; what is not body is what chunks say of themselves."""
        self._framing_bytes -= len(body) * (1 + CHUNK_BYTES)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Await the next request."""
        self._in_headers = True
        self._header_bytes = self._framing_bytes = self._trailer_bytes = 0
        super().on_message_complete()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Say that a cut request was dropped; answer a whole one although nothing more will come."""
        if self._refused or self.cycle is None or self.cycle.response_complete:
            return None
        if self.cycle.more_body:
            # the application's own refusal (of the declared length, say) comes first
            self.loop.call_later(CUT_SECONDS, self._refuse_cut)
            return True
        self.cycle.keep_alive = False
        return True

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self._in_headers and not (self.cycle and not self.cycle.response_complete):
            self._refuse(stalled(self.patience))

    def _refuse_cut(self) -> None:
        if self.cycle is None or self.cycle.response_started:
            return
        cut = _("The connection ended before the whole request had arrived; it was dropped.")
        self._refuse(Refused(HTTPStatus.BAD_REQUEST, "BODY_INCOMPLETE", cut))

    def _refuse(self, refused: Refused) -> None:
        if self._refused or self.transport.is_closing():
            return
        content_type, body = _rendered(refused, self.url.decode("latin-1") if self._begun else "")
        lines = [
            STATUS_LINE[int(refused.status)],
            b"content-type: " + content_type + b"\r\n",
            b"content-length: " + str(len(body)).encode() + b"\r\n",
            b"connection: close\r\n\r\n",
            body,
        ]
        self._refused = True
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(b"".join(lines))
        self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    @property
    def _begun(self) -> bool:
        return hasattr(self, "url")
