from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import RequestFactory
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.authentication import TokenAuthentication
from accounts.enums import TokenScope
from accounts.models import ApiToken, AuditEvent
from accounts.services import tokens
from accounts.services.errors import ExpiryInvalid, NameInvalid, ScopesInvalid, TooManyOpen
from tests.factories.accounts import TokenFactory, UserFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def create(user, **given):
    values = {"name": "laptop", "scopes": ["submit", "read"], "now": NOW}
    return tokens.create_token(actor=user, **(values | given))


def test_a_token_is_shown_once_and_kept_as_a_digest() -> None:
    user = UserFactory()
    token, secret = create(user)
    assert secret.startswith("plt_")
    assert secret not in str(ApiToken.objects.values().get())
    assert token.scopes == ["read", "submit"]
    assert tokens.authenticate(secret=secret, now=NOW) == token
    assert tokens.authenticate(secret=secret + "x", now=NOW) is None
    assert secret not in AuditEvent.objects.get().payload


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"scopes": []}, ScopesInvalid),
        ({"scopes": ["read", "everything"]}, ScopesInvalid),
        ({"name": "\x00"}, NameInvalid),
        ({"expires_at": NOW}, ExpiryInvalid),
    ],
)
def test_a_bad_token_is_not_made(given, refusal) -> None:
    with pytest.raises(refusal):
        create(UserFactory(), **given)
    assert not ApiToken.objects.exists()


def test_a_token_ends_by_expiry_revocation_or_with_its_account() -> None:
    user = UserFactory()
    _, expiring = create(user, expires_at=NOW + timedelta(days=1))
    token, secret = create(user)
    assert tokens.authenticate(secret=expiring, now=NOW + timedelta(hours=23)) is not None
    assert tokens.authenticate(secret=expiring, now=NOW + timedelta(days=1)) is None
    tokens.revoke_token(actor=user, token=token, now=NOW)
    tokens.revoke_token(actor=user, token=token, now=NOW + timedelta(hours=1))
    token.refresh_from_db()
    assert token.revoked_at == NOW
    assert tokens.authenticate(secret=secret, now=NOW) is None
    assert AuditEvent.objects.filter(kind="token.revoked").count() == 1
    user.is_active = False
    user.save()
    assert tokens.authenticate(secret=expiring, now=NOW) is None


def test_nobody_revokes_the_token_of_another() -> None:
    token, secret = create(UserFactory())
    tokens.revoke_token(actor=UserFactory(), token=token, now=NOW)
    assert tokens.authenticate(secret=secret, now=NOW) == token


def test_the_last_use_is_noted_once_a_minute(django_assert_num_queries) -> None:
    token, secret = create(UserFactory())
    tokens.authenticate(secret=secret, now=NOW)
    with django_assert_num_queries(1):
        tokens.authenticate(secret=secret, now=NOW + timedelta(seconds=59))
    token.refresh_from_db()
    assert token.last_used_at == NOW
    tokens.authenticate(secret=secret, now=NOW + timedelta(seconds=60))
    token.refresh_from_db()
    assert token.last_used_at == NOW + timedelta(seconds=60)


def test_fifty_tokens_are_enough() -> None:
    user = UserFactory()
    TokenFactory.create_batch(tokens.LIMIT, user=user)
    with pytest.raises(TooManyOpen):
        create(user)


def authenticate(header: str | None = None, query: str = ""):
    headers = {} if header is None else {"Authorization": header}
    request = Request(RequestFactory().get("/api/v1/me/" + query, headers=headers))
    return TokenAuthentication().authenticate(request)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "Token", "TOKEN"])
def test_the_header_names_the_person_and_the_token(scheme: str) -> None:
    user = UserFactory()
    token, secret = create(user)
    assert authenticate(f"{scheme} {secret}") == (user, token)


def test_without_a_header_nobody_is_named() -> None:
    assert authenticate() is None
    assert authenticate(query="?page=2&q=token") is None


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer a b",
        "Basic dXNlcjpwdw==",
        "plt_x",
        "Bearer plt_unknown",
        "Bearer \xff\xfe",
        "B\xe4rer x",
    ],
)
def test_a_bad_header_is_refused(header: str) -> None:
    with pytest.raises(AuthenticationFailed):
        authenticate(header)


@pytest.mark.parametrize("name", ["api_key", "auth_token", "token", "access_token", "API_KEY", "x"])
def test_a_token_in_the_address_is_refused_even_beside_a_good_header(name: str) -> None:
    _, secret = create(UserFactory())
    with pytest.raises(AuthenticationFailed, match="Never put a token into the address"):
        authenticate(f"Bearer {secret}", f"?{name}={secret}")


def test_scopes_are_those_of_the_contract() -> None:
    assert TokenScope.values == ["read", "submit", "organize"]
