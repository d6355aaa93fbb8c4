"""What an address asks for, made fit for a database: NUL in a query is no character that anything holds."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

NUL = "\0"
SIGN = "%EF%BF%BD"
"""U+FFFD as an address writes it."""


class QueryMiddleware:
    """Puts U+FFFD for every NUL in a query: it then finds nothing, as on a database that takes it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = request.META.get("QUERY_STRING", "")
        if "%00" in asked or NUL in asked:
            request.META["QUERY_STRING"] = asked.replace("%00", SIGN).replace(NUL, SIGN)
        return self.get_response(request)
