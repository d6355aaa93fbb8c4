"""What every page knows."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from competition.enums import Role
from competition.models import RoleGrant

CONSOLES = 3
"""How many consoles the masthead leads to; the pages of further competitions lead to theirs."""


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the server's time, the site's languages and whether the demo's outbox page exists."""
    return {
        "has_outbox": settings.OUTBOX,
        "server_now": timezone.now(),
        "site_languages": [code for code, _name in settings.LANGUAGES],
        "organized": partial(organized, request),
    }


def organized(request: HttpRequest) -> list[str]:
    """Return the slugs of the competitions that the person organizes, at most CONSOLES of them."""
    if not isinstance(request.user, User):
        return []
    grants = RoleGrant.objects.filter(
        user=request.user, role=Role.ORGANIZER, revoked_at__isnull=True
    )
    slugs = grants.order_by("-competition__loaded_at", "competition__slug")
    return list(slugs.values_list("competition__slug", flat=True)[:CONSOLES])
