"""The site behind httpx, in the transaction of the test that asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from config.wsgi import application


class Site(httpx.BaseTransport):
    """Answers with the WSGI application, whole, and leaves the test's database connection open."""

    def __init__(self) -> None:
        self._application = httpx.WSGITransport(app=application)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with _connections_left_open():
            answer = self._application.handle_request(request)
            body = b"".join(answer.iter_raw())
        return httpx.Response(answer.status_code, headers=answer.headers, content=body)


@contextmanager
def _connections_left_open() -> Iterator[None]:
    """Django takes an open transaction at a request's end for a fault and closes the connection."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)
