"""Every audit event of a request knows where the request came from."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from accounts.services import audit


class AuditOriginMiddleware:
    """Keeps address and user agent at hand; they go into the log's erasable side table."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with audit.origin(
            address=request.META.get("REMOTE_ADDR", ""),
            user_agent=request.headers.get("User-Agent", ""),
        ):
            return self.get_response(request)
