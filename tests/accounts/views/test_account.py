from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import ApiToken
from accounts.services import tokens
from tests.factories.accounts import NOW, PASSWORD, TokenFactory, UserFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db
NEW = "a river of amber leaves"


@pytest.fixture
def person(client):
    user = UserFactory()
    client.force_login(user)
    return user


def test_name_and_language_are_changed_and_the_page_speaks_it(client, person):
    response = client.post(
        reverse("accounts:account-detail"), {"name": "Ada", "language": "zh-hans"}
    )
    assert response.url == reverse("accounts:account-detail")
    person.refresh_from_db()
    assert (person.name, person.language) == ("Ada", "zh-hans")
    assert client.cookies["django_language"].value == "zh-hans"


def test_a_refused_name_stands_beside_its_field_and_changes_nothing(client, person):
    before = person.name
    response = client.post(
        reverse("accounts:account-detail"), {"name": "A\u200bda", "language": "en"}
    )
    assert "id_name_error" in response.content.decode()
    person.refresh_from_db()
    assert person.name == before


def test_a_new_password_keeps_this_session_and_ends_others(client, person, django_user_model):
    elsewhere = type(client)()
    elsewhere.force_login(person)
    response = client.post(
        reverse("accounts:password-change"), {"current": PASSWORD, "password": NEW}
    )
    assert response.url == reverse("accounts:account-detail")
    assert client.get(reverse("accounts:account-detail")).status_code == 200
    assert elsewhere.get(reverse("accounts:account-detail")).status_code == 302


def test_a_wrong_present_password_is_told_beside_its_field(client, person):
    response = client.post(
        reverse("accounts:password-change"), {"current": "wrong", "password": NEW}
    )
    assert "id_current_error" in response.content.decode()
    person.refresh_from_db()
    assert person.check_password(PASSWORD)


def test_a_token_is_shown_once_and_works(client, person):
    path = reverse("accounts:token-list")
    form = {"name": "laptop", "scopes": ["read", "submit"], "days": "30"}
    response = client.post(path, form)
    assert "no-store" in response.headers["Cache-Control"]
    page = read(response.content.decode())
    [secret] = [e.attributes["value"] for e in page.elements if e.attributes.get("id") == "secret"]
    token = tokens.authenticate(secret=secret, now=NOW)
    assert token is not None
    assert (token.user, token.scopes) == (person, ["read", "submit"])
    assert secret not in client.get(path).content.decode()


def test_a_token_without_a_use_is_refused_and_the_name_is_kept(client, person):
    response = client.post(reverse("accounts:token-list"), {"name": "laptop", "days": "0"})
    assert 'value="laptop"' in response.content.decode()
    assert "id_scopes_error" in response.content.decode()
    assert not ApiToken.objects.exists()


def test_only_ones_own_tokens_are_listed_and_revoked(client, person):
    mine, other = TokenFactory(user=person, name="mine"), TokenFactory(name="other")
    html = client.get(reverse("accounts:token-list")).content.decode()
    assert "mine" in html
    assert "other" not in html
    assert client.post(reverse("accounts:token-revoke", args=[other.code])).status_code == 404
    client.post(reverse("accounts:token-revoke", args=[mine.code]))
    assert set(ApiToken.objects.filter(revoked_at=None)) == {other}


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_of_tokens_takes_the_same_statements(
    client, person, count, django_assert_num_queries
):
    for _ in range(count):
        TokenFactory(user=person)
    with django_assert_num_queries(4):
        client.get(reverse("accounts:token-list"))
