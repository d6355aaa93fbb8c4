"""Errors of the API as RFC 9457 problem documents with stable codes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.refusals import Refusal

CONTENT_TYPE = "application/problem+json"
CODES: dict[type[Exception], str] = {
    exceptions.ParseError: "MALFORMED_BODY",
    exceptions.ValidationError: "INVALID",
    exceptions.NotAuthenticated: "NOT_AUTHENTICATED",
    exceptions.AuthenticationFailed: "NOT_AUTHENTICATED",
    exceptions.PermissionDenied: "NOT_ALLOWED",
    exceptions.NotFound: "NOT_FOUND",
    exceptions.MethodNotAllowed: "METHOD_NOT_ALLOWED",
    exceptions.NotAcceptable: "NOT_ACCEPTABLE",
    exceptions.UnsupportedMediaType: "UNSUPPORTED_MEDIA_TYPE",
    exceptions.Throttled: "THROTTLED",
    Http404: "NOT_FOUND",
    PermissionDenied: "NOT_ALLOWED",
}


def problem(
    *, status: int, code: str, detail: str, params: dict[str, Any] | None = None, **extra: Any
) -> dict[str, Any]:
    """Return the members of a problem document; `type` names the code."""
    return {
        "type": f"urn:plaudit:problem:{code.lower().replace('_', '-')}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "params": params or {},
    } | extra


def problem_response(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Return a problem document for a refusal or a DRF error; None leaves it to Django (500)."""
    if isinstance(exc, Refusal):
        body = problem(
            status=exc.status, code=exc.code, detail=exc.message, params=dict(exc.params)
        )
        return _answer(body, exc.headers)
    response = exception_handler(exc, context)
    if response is None:
        return None
    return _answer(_from_framework(exc, response), dict(response.headers))


def _from_framework(exc: Exception, response: Response) -> dict[str, Any]:
    code = next((code for kind, code in CODES.items() if isinstance(exc, kind)), "REFUSED")
    if isinstance(exc, exceptions.ValidationError):
        detail = _("Some values do not fit; see `errors`.")
        return problem(status=response.status_code, code=code, detail=detail, errors=response.data)
    return problem(status=response.status_code, code=code, detail=_said(exc, response))


def _said(exc: Exception, response: Response) -> str:
    if isinstance(exc, Http404):  # Django's own words name the model, in English
        return _("Nothing is here, or nothing that you may see.")
    wait = getattr(exc, "wait", None)  # of Throttled: seconds, where they are known
    if wait is not None:
        return _("Too many requests; try again in %(seconds)d s.") % {"seconds": wait}
    return str(response.data.get("detail", "")) if isinstance(response.data, dict) else ""


def _answer(body: dict[str, Any], headers: dict[str, str]) -> Response:
    kept = {name: value for name, value in headers.items() if name in KEPT_HEADERS}
    return Response(body, status=body["status"], content_type=CONTENT_TYPE, headers=kept)


KEPT_HEADERS = ("WWW-Authenticate", "Retry-After", "Allow")
