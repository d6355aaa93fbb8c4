"""Bearer tokens for the API."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer plt_…`."""

    def authenticate(self, request):  # type: ignore[no-untyped-def]
        return None
