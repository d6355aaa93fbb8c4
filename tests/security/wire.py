"""HTTP as bytes on a socket, so that tests can send what no client would."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

from tests.security.served import Installation


@dataclass(frozen=True, slots=True)
class Answer:
    """The last answer on a connection; status 0 when the connection was closed without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def request(
    target: str,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
    version: str = "1.1",
) -> bytes:
    """Return a request as bytes, with a Content-Length unless the headers say how long it is."""
    given = {"Host": "127.0.0.1", "Connection": "close"} | (headers or {})
    if method != "GET" and not {"Content-Length", "Transfer-Encoding"} & set(given):
        given["Content-Length"] = str(len(body))
    lines = [f"{name}: {value}" for name, value in given.items()]
    head = "\r\n".join([f"{method} {target} HTTP/{version}", *lines, "", ""])
    return head.encode("utf-8", "surrogateescape") + body


def exchange(
    site: Installation, raw: bytes, *, then: str = "", timeout: float = 40
) -> list[Answer]:
    """Send bytes, end sending where `then` is "close", and return every answer until the end."""
    with site.connect(timeout) as opened:
        try:
            opened.sendall(raw)
            if then == "close":
                opened.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it answered before reading all of it; the answer is what counts
        return answers(read_all(opened))


def read_all(opened: socket.socket) -> bytes:
    """Return everything until the other side closes."""
    parts = []
    try:
        while part := opened.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def answers(data: bytes) -> list[Answer]:
    """Return the answers that the bytes hold, one after the other."""
    found = []
    while data.startswith(b"HTTP/"):
        head, _, rest = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _colon, value in pairs}
        length = int(headers.get("content-length", len(rest)))
        body, data = rest[:length], rest[length:]
        if headers.get("transfer-encoding") == "chunked":
            body, data = _unchunked(rest)
        found.append(Answer(int(first.split()[1]), headers, body))
    return found or [Answer(0, {}, data)]


def _unchunked(data: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, _, data = data.partition(b"\r\n")
        count = int(size, 16)
        body, data = body + data[:count], data[count + 2 :]
        if not count:
            return body, data
