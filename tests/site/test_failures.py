from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.services.errors import NameTaken
from config.failures import FailurePagesMiddleware
from tests.factories.accounts import PASSWORD, UserFactory
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def text(response) -> str:
    html = response.content.decode()
    assert faults(html) == []
    return read(html).text


def test_a_missing_page_says_so_and_leads_on(client):
    response = client.get("/nothing-here/")
    assert response.status_code == 404
    assert "There is no such page" in text(response)


def test_a_button_s_address_opened_as_a_page_explains_itself(client):
    response = client.get(reverse("accounts:logout"))
    assert response.status_code == 405
    assert response["Allow"] == "POST"
    assert "Go back to the page with the button" in text(response)


def test_an_unexpected_error_says_what_is_safe(client, monkeypatch):
    def explode(*args: object) -> None:
        raise RuntimeError("zyzzyva")

    monkeypatch.setattr("competition.views.home.phases_of", explode)
    monkeypatch.setattr("competition.views.home._groups", explode)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "Something broke on our side" in text(response)
    assert b"zyzzyva" not in response.content


@pytest.fixture
def broken(client):
    """A client of a site whose every query raises what the test puts in."""
    raised: list[Exception] = []

    def fail(*args: object) -> None:
        raise raised[0]

    client.raise_request_exception = False
    with connection.execute_wrapper(fail):
        yield client, raised


@pytest.mark.parametrize(
    "fault", [OperationalError("database or disk is full"), InterfaceError("connection closed")]
)
def test_a_database_that_is_away_is_a_503_that_says_when_to_come_back(broken, fault):
    client, raised = broken
    raised.append(fault)
    page = client.get("/")
    assert page.status_code == 503
    assert page["Retry-After"] == "5"
    assert "The database does not answer now" in text(page)
    answer = client.get("/api/v1/competitions/")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "DATABASE_UNAVAILABLE"


def test_a_fault_of_ours_is_no_database_that_is_away(broken):
    client, raised = broken
    raised.append(ProgrammingError("no such column: zyzzyva"))
    answer = client.get("/api/v1/competitions/")
    assert answer.status_code == 500
    assert answer.json()["code"] == "INTERNAL_ERROR"
    assert "Retry-After" not in answer
    assert b"zyzzyva" not in answer.content


def test_a_host_that_is_not_ours_gets_a_plain_page(client):
    client.raise_request_exception = False
    response = client.get("/", headers={"host": "evil.invalid"})
    assert response.status_code == 400
    assert "makes no sense" in text(response)


def test_the_api_says_in_its_own_form_what_leads_nowhere_or_cannot_be_read(client):
    missing = client.get("/api/v1/nothing-here/")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    many = client.get("/api/v1/competitions/", headers={"host": "evil.invalid"})
    assert (many.status_code, many.json()["code"]) == (400, "MALFORMED_REQUEST")
    for answer in (missing, many):
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


def test_a_form_whose_protection_ran_out_loses_nothing_and_says_what_to_do():
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(reverse("accounts:login"), {"username": "a@example.org"})
    assert response.status_code == 403
    assert "Nothing was lost and nothing was changed." in text(response)


def test_a_refusal_that_a_view_lets_through_becomes_a_page(rf: RequestFactory):
    def view(request):
        raise NameTaken("Another team has this name.")

    middleware = FailurePagesMiddleware(view)
    response = middleware.process_exception(rf.get("/teams/"), NameTaken("Take <another>."))
    assert response.status_code == 409
    assert b"Take &lt;another&gt;." in response.content
    assert middleware.process_exception(rf.get("/api/v1/x/"), NameTaken("x")) is None
    assert middleware.process_exception(rf.get("/"), ValueError("x")) is None


def test_an_api_answer_keeps_its_own_form(rf: RequestFactory):
    middleware = FailurePagesMiddleware(lambda request: HttpResponse(status=405))
    assert middleware(rf.get("/api/v1/me/")).content == b""


def test_too_many_wrong_passwords_close_the_log_in_for_a_while(client, settings):
    settings.AXES_FAILURE_LIMIT = 3
    user = UserFactory()
    path = reverse("accounts:login")
    for _ in range(3):
        client.post(path, {"username": user.email.upper(), "password": "wrong"})
    response = client.post(path, {"username": user.email, "password": PASSWORD})
    assert response.status_code == 429
    assert "closed for 15 minutes" in text(response)
    assert "_auth_user_id" not in client.session
