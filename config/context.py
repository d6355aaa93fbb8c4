"""What every page knows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the server's time, the site's languages and whether the demo's outbox page exists."""
    return {
        "has_outbox": settings.OUTBOX,
        "server_now": timezone.now(),
        "site_languages": [code for code, _name in settings.LANGUAGES],
    }
