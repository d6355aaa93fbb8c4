from __future__ import annotations

from django.http import HttpRequest, HttpResponse


def lockout(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """Answer a log-in after too many failures."""
    return HttpResponse(status=429)
