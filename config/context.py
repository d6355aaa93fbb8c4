"""What every page knows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """Return whether the demo's outbox page exists."""
    return {"has_outbox": settings.OUTBOX}
