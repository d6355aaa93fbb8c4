"""Pages for what went wrong: refusals of services, wrong methods, forms that came too late."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.refusals import Refusal
from accounts.views.access import session_ended

API_PREFIX = "/api/"


class FailurePagesMiddleware:
    """Turns a refusal that a view let through, and a wrong method, into a page with the way on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_wrong_method = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        if is_wrong_method and not response.content and not request.path.startswith(API_PREFIX):
            page = render(request, "405.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal with its own sentence and status; other exceptions go their way."""
        if not isinstance(exception, Refusal) or request.path.startswith(API_PREFIX):
            return None
        context = {"refusal": exception}
        page = render(request, "refusal.html", context, status=exception.status)
        for name, value in exception.headers.items():
            page[name] = value
        return page


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose protection has run out: what happened, that nothing is lost, what to do."""
    if request.headers.get("X-Fragment"):
        return session_ended(request, HTTPStatus.FORBIDDEN)
    return render(request, "403_csrf.html", status=HTTPStatus.FORBIDDEN)
