"""Throttled log-ins: django-axes counts under a keyed hash, and failures reach the audit log."""

from __future__ import annotations

from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from django.http import HttpRequest
from django.utils import timezone

from accounts.services import logins
from accounts.services.audit import keyed_hash


def typed_digest(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str | None:
    """Return the keyed hash of the address that was typed: axes stores nothing readable."""
    typed = _typed(request, credentials)
    return None if typed is None else keyed_hash(typed)


class RecordedFailures(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Axes' own handler, which also notes each failure for the audit log."""

    def user_login_failed(
        self,
        sender: Any,
        credentials: dict[str, Any],
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Count the failure, whether or not the account is locked already."""
        super().user_login_failed(sender, credentials, request, **kwargs)
        if request is not None:
            logins.note_failure(
                typed=_typed(request, credentials) or "",
                address=request.META.get("REMOTE_ADDR", ""),
                now=timezone.now(),
            )


def _typed(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str | None:
    typed = (credentials or {}).get("username")
    if typed is None and request is not None:
        typed = request.POST.get("username")
    return None if typed is None else str(typed).strip().lower()
