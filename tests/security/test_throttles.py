from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings as configured
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.services import throttles
from config.settings import base
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.grading import NOW, jsonl
from tests.security.stage import Stage

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture(autouse=True)
def _a_limit_of_two(settings, _standing):
    """Two acts of each kind in ten minutes; the counts of each test are its own."""
    settings.THROTTLES = dict.fromkeys(base.THROTTLES, (2, 600))
    settings.SECRET_KEY = f"only-for-tests-{UserFactory.build().email}" + "x" * 40
    with time_machine.travel(NOW + timedelta(minutes=1), tick=False):
        yield


FRESH = "a longer horse battery"
ANONYMOUS = {
    "accounts:login": {"username": "nobody@example.org", "password": PASSWORD},
    "accounts:sign-up": {"name": "A", "email": "a@example.org", "password": FRESH},
    "accounts:reset": {"email": "a@example.org"},
    "accounts:reset-password": {"password": FRESH},
    "grading:receipt-verify": {"text": "{}"},
}
SIGNED_IN = {
    "accounts:token-list": {"name": "server", "scopes": ["read"], "days": "30"},
    "accounts:password-change": {"current": "not this one", "password": FRESH},
    "accounts:team-create": {"name": "Team", "affiliation": ""},
    "grading:own-data-take": {},
}


def assert_throttled(response) -> None:
    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 600


def sent(client: Client, name: str, fields: dict, number: int, **kwargs):
    given = {key: f"{value}{number}" if key == "name" else value for key, value in fields.items()}
    return client.post(reverse(name, kwargs=kwargs), given)


@pytest.mark.parametrize("name", ANONYMOUS)
def test_an_address_may_not_try_for_ever(client, name):
    kwargs = {"token": "x"} if name == "accounts:reset-password" else {}
    answers = [sent(client, name, ANONYMOUS[name], number, **kwargs) for number in range(3)]
    assert {answer.status_code for answer in answers[:2]} <= {200, 302}
    assert_throttled(answers[2])


@pytest.mark.parametrize("name", ANONYMOUS)
def test_another_address_is_not_held_up(client, name):
    kwargs = {"token": "x"} if name == "accounts:reset-password" else {}
    for number in range(3):
        sent(client, name, ANONYMOUS[name], number, **kwargs)
    other = Client(REMOTE_ADDR="192.0.2.7")
    assert sent(other, name, ANONYMOUS[name], 3, **kwargs).status_code in {200, 302}


@pytest.mark.parametrize("name", SIGNED_IN)
def test_a_person_may_not_do_it_for_ever(client, name):
    client.force_login(UserFactory())
    answers = [sent(client, name, SIGNED_IN[name], number) for number in range(3)]
    assert {answer.status_code for answer in answers[:2]} <= {200, 302}
    assert_throttled(answers[2])
    client.force_login(UserFactory())
    assert sent(client, name, SIGNED_IN[name], 9).status_code in {200, 302}


def test_invitations_are_throttled_so_that_nobody_mails_the_world(client, stage: Stage):
    client.force_login(stage.own.captain)
    path = reverse("accounts:team-invite", args=[stage.own.team.code])
    answers = [client.post(path, {"email": f"a{number}@example.org"}) for number in range(3)]
    assert [answer.status_code for answer in answers[:2]] == [302, 302]
    assert_throttled(answers[2])


def test_guessed_tokens_are_throttled_while_a_real_one_works(client, stage: Stage):
    guesses = [client.get("/api/v1/me/", HTTP_AUTHORIZATION=f"Bearer plt_{n}") for n in range(3)]
    assert [answer.status_code for answer in guesses] == [401, 401, 429]
    assert_throttled(guesses[2])
    assert guesses[2].json()["code"] == "THROTTLED"
    real = client.get("/api/v1/me/", HTTP_AUTHORIZATION=f"Bearer {stage.secrets['captain']}")
    assert real.status_code == 200


def upload(client: Client, path: str, number: int, stage: Stage, **headers):
    from django.core.files.uploadedfile import SimpleUploadedFile

    file = SimpleUploadedFile("a.jsonl", jsonl(stage.arena.flawed(1, word=f"w{number}")))
    fields = {"file": file, "system": "a", "end": "1"}
    return client.post(path, fields, **headers)


@pytest.mark.parametrize("way", ["page", "api"])
def test_uploads_are_throttled_on_the_page_and_in_the_api(client, stage: Stage, way: str):
    places = stage.places(stage.arena)
    slugs = {key: places[key] for key in ("slug", "track", "phase")}
    name = "grading:submission-create" if way == "page" else "api-v1:submission-create"
    headers = {"HTTP_AUTHORIZATION": f"Bearer {stage.secrets['captain']}"} if way == "api" else {}
    if way == "page":
        client.force_login(stage.own.captain)
    answers = [upload(client, reverse(name, kwargs=slugs), n, stage, **headers) for n in range(3)]
    assert {answer.status_code for answer in answers[:2]} <= {201, 302}
    assert_throttled(answers[2])


def test_checks_beyond_the_limit_say_when_to_come_back(client, stage: Stage, monkeypatch):
    from grading.services import checking

    monkeypatch.setattr(checking, "CHECKS", 0)
    cache.delete(f"grading.checks.{stage.own.captain.pk}")
    places = stage.places(stage.arena)
    slugs = {key: places[key] for key in ("slug", "track", "phase")}
    headers = {"HTTP_AUTHORIZATION": f"Bearer {stage.secrets['captain']}"}
    path = reverse("api-v1:submission-check", kwargs=slugs)
    answer = upload(client, path, 1, stage, **headers)
    assert (answer.status_code, answer.json()["code"]) == (429, "TOO_MANY_CHECKS")
    assert int(answer["Retry-After"]) > 0


def test_ten_wrong_passwords_lock_the_account_for_that_address(client):
    configured.THROTTLES = {}
    user = UserFactory()
    fields = {"username": user.email, "password": "not this one"}
    answers = [client.post(reverse("accounts:login"), fields) for _ in range(11)]
    assert answers[8].status_code == 200
    assert answers[10].status_code == 429
    assert int(answers[10]["Retry-After"]) > 0


def test_the_next_window_is_free_again():
    throttles.spend(name="login", who="192.0.2.9", now=NOW)
    throttles.spend(name="login", who="192.0.2.9", now=NOW)
    with pytest.raises(throttles.Throttled) as refused:
        throttles.spend(name="login", who="192.0.2.9", now=NOW)
    throttles.spend(
        name="login",
        who="192.0.2.9",
        now=NOW + timedelta(seconds=refused.value.params["retry_after"]),
    )
