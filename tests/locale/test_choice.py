from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.factories.accounts import PASSWORD, UserFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db
WORDS = re.compile(r"[A-Za-z]{2,}")
HAN = re.compile(r"[\u4e00-\u9fff]")
ERRORS = re.compile(r'<ul class="errors".*?</ul>', re.DOTALL)
SHOWN = re.compile(r"<[^>]*>|U\+202E")


def language_of(response) -> str:
    return read(response.content.decode()).all("html")[0].attributes["lang"]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans"),
        ("zh-SG", "zh-hans"),
        ("zh-Hans-CN", "zh-hans"),
        ("zh", "zh-hans"),
        ("zh-TW,zh;q=0.9", "zh-hant"),
        ("zh-HK", "zh-hant"),
        ("zh-Hant-TW", "zh-hant"),
        ("zh-MO", "zh-hant"),
        ("de-DE,zh-TW;q=0.5", "zh-hant"),
        ("de-DE,de", "en"),
        ("*", "en"),
    ],
)
def test_the_browser_s_language_decides_for_a_first_visit(client, accepted, language):
    response = client.get("/", headers={"accept-language": accepted})
    assert language_of(response) == language
    assert response["Content-Language"] == language
    assert "Accept-Language" in response["Vary"]


def test_a_choice_goes_before_the_browser_s_language(client):
    client.post(reverse("set-language"), {"language": "zh-hant"})
    assert language_of(client.get("/", headers={"accept-language": "zh-CN"})) == "zh-hant"


def test_the_account_s_language_goes_before_an_earlier_choice(client):
    user = UserFactory(language="zh-hans")
    client.post(reverse("set-language"), {"language": "zh-hant"})
    client.post(reverse("accounts:login"), {"username": user.email, "password": PASSWORD})
    assert language_of(client.get("/")) == "zh-hans"


def test_the_language_outlives_the_browser_as_the_session_does(client):
    user = UserFactory(language="zh-hans")
    client.post(reverse("accounts:login"), {"username": user.email, "password": PASSWORD})
    assert client.cookies["django_language"]["max-age"] >= client.cookies["sessionid"]["max-age"]
    client.post(reverse("set-language"), {"language": "zh-hant"})
    assert client.cookies["django_language"]["max-age"] >= client.cookies["sessionid"]["max-age"]


def test_an_unknown_language_is_no_language(client):
    client.post(reverse("set-language"), {"language": "tlh"})
    client.cookies["django_language"] = "../../etc/passwd"
    assert language_of(client.get("/")) == "en"


def test_the_mails_of_a_person_are_in_the_account_s_language(
    client, django_capture_on_commit_callbacks
):
    user = UserFactory(language="zh-hans")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(
            reverse("accounts:reset"), {"email": user.email}, headers={"accept-language": "en"}
        )
    (sent,) = mail.outbox
    assert sent.subject == "设置新密码"
    assert "打开下面的链接设置新密码" in sent.body


def test_a_person_who_signs_up_is_written_to_in_the_language_of_the_page(
    client, django_capture_on_commit_callbacks
):
    typed = {"name": "Wei", "email": "wei@example.org", "password": "a quite long one"}
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("accounts:sign-up"), typed, headers={"accept-language": "zh-TW"})
    assert User.objects.get().language == "zh-hant"
    assert mail.outbox[0].subject == "確認你的信箱"


@pytest.mark.parametrize("accepted", ["zh-CN", "zh-TW"])
def test_what_a_form_refuses_is_said_in_chinese(client, accepted):
    wrong = [
        {"name": "", "email": "", "password": ""},
        {"name": "x" * 500, "email": "nobody", "password": "short"},
        {"name": "Robin", "email": "a@example.org", "password": "password123"},
        {"name": "Robin", "email": "a@example.org", "password": "829301847201"},
        {"name": "\u202eRobin", "email": "a b@example.org", "password": "x" * 5000},
    ]
    for typed in wrong:
        headers = {"accept-language": accepted}
        html = client.post(reverse("accounts:sign-up"), typed, headers=headers).content.decode()
        said = [SHOWN.sub("", text) for text in ERRORS.findall(html)]
        assert said
        assert [text for text in said if not HAN.search(text) or WORDS.search(text)] == []


@pytest.mark.parametrize("accepted", ["zh-CN", "zh-TW"])
@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("get", "/api/v1/me/", {}),
        ("get", "/api/v1/me/", {"headers": {"authorization": "Bearer plt_wrong"}}),
        ("get", "/api/v1/submissions/NOSUCH/", {}),
        ("get", "/api/v1/competitions/nothing/", {}),
        ("put", "/api/v1/me/", {}),
    ],
)
def test_what_the_api_refuses_is_said_in_chinese(method, path, more, accepted):
    more = {"headers": more.get("headers", {}) | {"accept-language": accepted}}
    answer = getattr(Client(), method)(path, **more).json()
    assert HAN.search(answer["detail"])
