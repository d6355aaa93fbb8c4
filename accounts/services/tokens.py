"""API tokens: shown once, kept as SHA-256, scoped, revocable."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.enums import TokenScope
from accounts.models import ApiToken, User
from accounts.services import audit
from accounts.services.errors import ExpiryInvalid, ScopesInvalid, TooManyOpen
from accounts.services.names import accepted_name

MARK = "plt_"
LIMIT = 50
USE_NOTED_EVERY = timedelta(minutes=1)


def create_token(
    *,
    actor: User,
    name: str,
    scopes: Collection[str],
    now: datetime,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is shown this once.

    Refuses NameInvalid, ScopesInvalid, ExpiryInvalid, TooManyOpen.
    """
    label = accepted_name(name, limit=80)
    _check(scopes, expires_at, now)
    secret = MARK + secrets.token_urlsafe(32)
    with audit.audited():
        User.objects.select_for_update().get(pk=actor.pk)
        if _living(actor, now).count() >= LIMIT:
            raise TooManyOpen(
                _("You have %(limit)s tokens. Revoke one first.") % {"limit": LIMIT}, limit=LIMIT
            )
        token = ApiToken.objects.create(
            user=actor,
            name=label,
            prefix=secret[:12],
            digest=_digest(secret),
            scopes=sorted(scopes),
            created_at=now,
            expires_at=expires_at,
        )
        _tell("token.created", actor, token, now, scopes=token.scopes)
    return token, secret


def revoke_token(*, actor: User, token: ApiToken, now: datetime) -> ApiToken:
    """End a token of one's own for good; revoking twice changes nothing."""
    with audit.audited():
        rows = ApiToken.objects.filter(pk=token.pk, user=actor, revoked_at__isnull=True)
        if rows.update(revoked_at=now):
            _tell("token.revoked", actor, token, now)
    token.refresh_from_db()
    return token


def authenticate(*, secret: str, now: datetime) -> ApiToken | None:
    """Return the living token with this secret, its user loaded; notes its use once a minute."""
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=_digest(secret), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        return None
    if token.last_used_at is None or token.last_used_at <= now - USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        token.last_used_at = now
    return token


def _check(scopes: Collection[str], expires_at: datetime | None, now: datetime) -> None:
    if not scopes or not set(scopes) <= set(TokenScope.values):
        raise ScopesInvalid(_("Choose at least one thing that the token may do."), field="scopes")
    if expires_at is not None and expires_at <= now:
        raise ExpiryInvalid(_("A token cannot expire in the past."), field="expires_at")


def _living(user: User, now: datetime) -> QuerySet[ApiToken]:
    return user.tokens.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at=None)


def _digest(secret: str) -> str:
    # surrogatepass: a header may hold anything; what cannot be encoded is simply no token.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _tell(kind: str, actor: User, token: ApiToken, now: datetime, **payload: object) -> None:
    audit.record(kind=kind, actor=actor, target=f"token:{token.code}", payload=payload, now=now)
