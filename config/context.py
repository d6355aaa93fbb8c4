"""What every page knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from competition.enums import Role
from competition.models import RoleGrant

CONSOLES = 3
"""How many consoles the masthead leads to; the pages of further competitions lead to theirs."""


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the server's time, the site's languages, and where the masthead leads this person."""
    return {
        "has_outbox": settings.OUTBOX,
        "server_now": timezone.now(),
        "site_languages": [code for code, _name in settings.LANGUAGES],
        "parts": SimpleLazyObject(partial(parts_of, request)),
    }


@dataclass(frozen=True, slots=True)
class Parts:
    """What a person does here beside taking part: slugs that they organize, whether they rate."""

    organized: list[str]
    rates: bool


def parts_of(request: HttpRequest) -> Parts:
    """Return the person's roles that have pages of their own, of at most CONSOLES competitions."""
    if not isinstance(request.user, User):
        return Parts([], rates=False)
    grants = RoleGrant.objects.filter(
        user=request.user, role__in=[Role.ORGANIZER, Role.RATER], revoked_at__isnull=True
    )
    ordered = grants.order_by("-competition__loaded_at", "competition__slug")
    held = list(ordered.values_list("role", "competition__slug"))
    slugs = [slug for role, slug in held if role == Role.ORGANIZER]
    return Parts(slugs[:CONSOLES], rates=any(role == Role.RATER for role, _ in held))
