"""Errors of the API as RFC 9457 problem documents."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler


def problem_response(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Return a problem document for a refusal or a DRF error."""
    return exception_handler(exc, context)
