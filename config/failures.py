"""Pages for what went wrong: refusals of services, wrong methods, forms that came too late."""

from __future__ import annotations

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views import defaults

from accounts.refusals import Refusal
from accounts.views.access import session_ended
from config.api.problems import CONTENT_TYPE, problem

API_PREFIX = "/api/"
AWAY = (OperationalError, InterfaceError)
"""What a database raises that is away, full or too busy; a fault of ours is another kind."""
SECONDS = 5


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


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what no view could read (a doubtful host, too many fields), as page or problem."""
    if not request.path.startswith(API_PREFIX):
        return defaults.bad_request(request, exception)
    return _problem(HTTPStatus.BAD_REQUEST, "MALFORMED_REQUEST", _("The request cannot be read."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere, as page or problem."""
    if not request.path.startswith(API_PREFIX):
        return defaults.page_not_found(request, exception)
    text = _("Nothing is here, or nothing that you may see.")
    return _problem(HTTPStatus.NOT_FOUND, "NOT_FOUND", text)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an exception that nobody expected, as page or problem; 503 while the database is away.

    Renders without the request: what the page's frame asks for may be what failed.
    """
    is_away = isinstance(sys.exc_info()[1], AWAY)
    status = HTTPStatus.SERVICE_UNAVAILABLE if is_away else HTTPStatus.INTERNAL_SERVER_ERROR
    response: HttpResponse
    if request.path.startswith(API_PREFIX):
        code = "DATABASE_UNAVAILABLE" if is_away else "INTERNAL_ERROR"
        response = _problem(status, code, _said(is_away=is_away))
    else:
        response = HttpResponse(render_to_string(f"{status.value}.html"), status=status)
    if is_away:
        response["Retry-After"] = str(SECONDS)
    return response


def _problem(status: HTTPStatus, code: str, detail: str) -> HttpResponse:
    body = problem(status=status, code=code, detail=detail)
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)


def _said(*, is_away: bool) -> str:
    if is_away:
        return _("The database does not answer now. What was received is safe; try again.")
    return _("The server met an error it did not expect. It is in the log with its time.")
