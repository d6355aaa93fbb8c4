"""When a request arrived: the moment its headers were read, which decides deadlines."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

SCOPE_KEY = "plaudit.arrived_at"


class ArrivalMiddleware:
    """Sets `request.arrived_at` from the server's stamp; without one (tests, WSGI) it is now.

    The ASGI server hands Django a request only after its body has been read, so the stamp
    must come from the guard in front of it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        scope = getattr(request, "scope", {})
        request.arrived_at = scope.get(SCOPE_KEY) or timezone.now()  # type: ignore[attr-defined]
        return self.get_response(request)
