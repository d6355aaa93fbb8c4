"""A name and a log line for every request."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.latency import LATENCIES
from config.log import REQUEST_ID

HEADER = "X-Request-ID"
SECRET_PARTS = ("token", "secret", "key")

log = logging.getLogger(__name__)


class RequestLogMiddleware:
    """Gives a request its id, says it in the answer, and logs one line when it is done."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        bound = REQUEST_ID.set(uuid.uuid4().hex[:16])
        began = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = REQUEST_ID.get()
            seconds = time.perf_counter() - began
            LATENCIES.note(request.path, response.status_code, seconds)
            _log_request(request, response, seconds)
        finally:
            REQUEST_ID.reset(bound)
        return response


def shown_path(request: HttpRequest) -> str:
    """Return the path without what a link keeps secret, and without the query."""
    path = request.path
    match = request.resolver_match
    for name in SECRET_PARTS if match else ():
        value = str(match.kwargs.get(name, "")) if match else ""
        path = path.replace(value, "***") if value else path
    return path


def _log_request(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    log.info(
        "request.done",
        extra={
            "method": request.method,
            "path": shown_path(request),
            "status": response.status_code,
            "milliseconds": round(seconds * 1000, 1),
        },
    )
