"""Tokens for the API, in the Authorization header and nowhere else."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.services import throttles, tokens

SCHEMES = ("bearer", "token")
NEVER_IN_ADDRESS = frozenset({"access_token", "api_key", "apikey", "auth_token", "token"})


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer plt_…` (or `Token plt_…`); sets `request.auth` to the ApiToken."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the token's person and the token, None without one.

        A token in the address is refused even beside a good header: addresses end up in logs.
        """
        _refuse_in_address(request)
        words = get_authorization_header(request).split()
        if not words:
            return None
        if len(words) != 2 or words[0].lower().decode("latin-1") not in SCHEMES:  # noqa: PLR2004
            raise AuthenticationFailed(
                _("Send the token as: Authorization: Bearer, a space, and the token.")
            )
        token = tokens.authenticate(secret=words[1].decode("latin-1"), now=timezone.now())
        if token is None:
            _spend_a_guess(request)
            raise AuthenticationFailed(
                _("This token is unknown, expired or revoked. Make a new one on your tokens page.")
            )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge, so that an anonymous call is answered 401."""
        return "Bearer"


def _spend_a_guess(request: Request) -> None:
    """Count a token that does not exist; whoever guesses on is answered 429."""
    address = request.META.get("REMOTE_ADDR", "")
    throttles.spend(name="token-guess", who=address, now=timezone.now())


def _refuse_in_address(request: Request) -> None:
    for name, value in request.query_params.items():
        if name.lower() in NEVER_IN_ADDRESS or tokens.MARK in value:
            raise AuthenticationFailed(
                _(
                    "Never put a token into the address: it would end up in logs. "
                    "Send it in the Authorization header, and revoke this one."
                )
            )
