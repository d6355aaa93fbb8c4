"""Signed, expiring tokens for the links in mails; nothing is stored."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.errors import LinkInvalid

VERIFY: Final = "accounts.verify"
RESET: Final = "accounts.reset"
NOTICES: Final = "accounts.notices"
LIFETIMES: Final = {
    VERIFY: timedelta(days=3),
    RESET: timedelta(hours=2),
    NOTICES: timedelta(days=365),
}


def make_token(purpose: str, user: User, now: datetime) -> str:
    """Return a token for `purpose` that holds until its lifetime ends or what it stands on changes."""
    expires = now + LIFETIMES[purpose]
    return signing.dumps(
        {"u": user.code, "s": _state(purpose, user), "x": int(expires.timestamp())}, salt=purpose
    )


def read_token(purpose: str, token: str, now: datetime) -> User:
    """Return the person a token was made for; raises LinkInvalid."""
    try:
        content = signing.loads(token, salt=purpose)
    except signing.BadSignature as error:
        raise _invalid() from error
    user = _person(content)
    if now.timestamp() >= content["x"] or user is None:
        raise _invalid()
    if not constant_time_compare(content["s"], _state(purpose, user)):
        raise _invalid()
    return user


def address(name: str, token: str, *more: str) -> str:
    """Return the full address of a page of accounts that takes a token or secret."""
    site: str = settings.SITE_URL
    return site.rstrip("/") + reverse(f"accounts:{name}", args=[token, *more])


def _person(content: dict[str, Any]) -> User | None:
    return User.objects.filter(code=content["u"], is_active=True).first()


def _state(purpose: str, user: User) -> str:
    # A reset works once: the password's hash is part of what is signed.
    state = f"{user.email}:{user.password}" if purpose == RESET else user.email
    digest: str = salted_hmac(purpose, state, algorithm="sha256").hexdigest()
    return digest[:32]


def _invalid() -> LinkInvalid:
    return LinkInvalid(_("This link does not work (any more). Ask for a new one."))
