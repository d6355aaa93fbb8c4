"""The person behind a request that has passed its permission."""

from __future__ import annotations

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import User


def person(request: Request) -> User:
    """Return the person behind the token; raises NotAuthenticated (401) without one."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
