from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from accounts.models import User
from tests.factories.accounts import (
    NOW,
    PASSWORD,
    InvitationFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db
NEW = "a river of amber leaves"


def link_in(mail) -> str:
    return re.search(r"https?://[^/\s]+(/\S+)", mail.body)[1]


def errors(response) -> str:
    return " ".join(read(response.content.decode()).text.split())


def test_a_newcomer_signs_up_confirms_the_address_and_logs_in(
    client, mailoutbox, django_capture_on_commit_callbacks
):
    form = {"name": "Ada", "email": "Ada@Example.org", "password": NEW}
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(reverse("accounts:sign-up"), form)
    assert response.url == reverse("accounts:sign-up-sent")
    path = link_in(mailoutbox[0])
    assert client.get(path).status_code == 200
    assert not User.objects.get(email="ada@example.org").is_verified
    assert client.post(path).url == reverse("accounts:login")
    assert User.objects.get(email="ada@example.org").is_verified
    response = client.post(
        reverse("accounts:login"), {"username": " ADA@example.org", "password": NEW}
    )
    assert response.url == "/"


def test_sign_up_answers_alike_for_a_known_address(client):
    known = UserFactory()
    answers = [
        client.post(reverse("accounts:sign-up"), {"name": "Ada", "email": email, "password": NEW})
        for email in (known.email, "new@example.org")
    ]
    assert [(answer.status_code, answer.url) for answer in answers] == 2 * [
        (302, reverse("accounts:sign-up-sent"))
    ]


def test_a_refused_sign_up_keeps_what_was_typed_but_the_password(client):
    form = {"name": "Ada\u202e", "email": "ada@example.org", "password": NEW}
    response = client.post(reverse("accounts:sign-up"), form)
    assert response.status_code == 200
    assert "U+202E cannot be used" in errors(response)
    html = response.content.decode()
    assert 'value="ada@example.org"' in html
    assert NEW not in html
    assert not User.objects.exists()


def test_a_weak_password_is_refused_in_words_beside_its_field(client):
    form = {"name": "Ada", "email": "ada@example.org", "password": "1234567890"}
    response = client.post(reverse("accounts:sign-up"), form)
    assert "id_password_error" in response.content.decode()
    assert "entirely numeric" in errors(response)


def test_a_name_with_a_nul_is_refused_beside_its_field(client):
    form = {"name": "A\0da", "email": "ada@example.org", "password": NEW}
    response = client.post(reverse("accounts:sign-up"), form)
    assert response.status_code == 200
    assert "id_name_error" in response.content.decode()


def test_a_wrong_log_in_keeps_the_address_and_says_the_same_for_everybody(client):
    user = UserFactory()
    answers = []
    for email in (user.email, "nobody@example.org"):
        response = client.post(reverse("accounts:login"), {"username": email, "password": "wrong"})
        assert f'value="{email}"' in response.content.decode()
        answers.append(errors(response).replace(email, ""))
    assert answers[0] == answers[1]


def test_a_log_in_leads_back_to_the_page_but_never_to_another_site(client):
    user = UserFactory()
    given = {"username": user.email, "password": PASSWORD}
    path = reverse("accounts:login")
    assert client.post(path, given | {"next": "/teams/"}).url == "/teams/"
    client.post(reverse("accounts:logout"))
    assert client.post(path, given | {"next": "https://example.invalid/"}).url == "/"


def test_a_log_out_needs_a_button(client):
    client.force_login(UserFactory())
    assert client.get(reverse("accounts:logout")).status_code == 405
    assert "_auth_user_id" in client.session
    client.post(reverse("accounts:logout"))
    assert "_auth_user_id" not in client.session


def test_a_forgotten_password_is_set_anew_by_mail_once(
    client, mailoutbox, django_capture_on_commit_callbacks
):
    user = UserFactory()
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(reverse("accounts:reset"), {"email": user.email})
    assert response.url == reverse("accounts:reset-sent")
    path = link_in(mailoutbox[0])
    assert client.post(path, {"password": NEW}).url == reverse("accounts:login")
    user.refresh_from_db()
    assert user.check_password(NEW)
    response = client.post(path, {"password": NEW + "!"})
    assert response.status_code == 200
    assert "does not work" in errors(response)


def test_reset_answers_alike_for_an_unknown_address(client):
    response = client.post(reverse("accounts:reset"), {"email": "nobody@example.org"})
    assert response.url == reverse("accounts:reset-sent")


def test_an_expired_link_says_what_to_do(client, mailoutbox, django_capture_on_commit_callbacks):
    user = UnverifiedUserFactory()
    client.force_login(user)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("accounts:verify-resend"))
    path = link_in(mailoutbox[0])
    with time_machine.travel(NOW + timedelta(days=4), tick=False):
        client.force_login(user)
        answers = [client.get(path), client.post(path)]
    for response in answers:
        assert response.status_code == 404
        assert "This link does not work" in read(response.content.decode()).text
        assert f'action="{reverse("accounts:verify-resend")}"' in response.content.decode()
    user.refresh_from_db()
    assert not user.is_verified


@pytest.mark.parametrize(
    ("name", "leads_to"), [("verify", "accounts:login"), ("reset-password", "accounts:reset")]
)
def test_a_damaged_link_says_so_at_once_and_leads_to_a_new_one(client, name, leads_to):
    response = client.get(reverse(f"accounts:{name}", args=["cut-off-in-the-ma"]))
    assert response.status_code == 404
    assert faults(response.content.decode()) == []
    assert f'href="{reverse(leads_to)}' in response.content.decode()


def test_a_damaged_link_tells_who_is_confirmed_that_nothing_is_left_to_do(client):
    client.force_login(UserFactory())
    response = client.get(reverse("accounts:verify", args=["cut-off-in-the-ma"]))
    assert "there is nothing more to do" in read(response.content.decode()).text


def test_asking_twice_for_the_link_is_answered_with_patience(client):
    client.force_login(UnverifiedUserFactory())
    client.post(reverse("accounts:verify-resend"))
    response = client.post(reverse("accounts:verify-resend"), follow=True)
    assert "less than a minute ago" in errors(response)


def test_what_was_typed_survives_a_session_that_ended(client):
    user = UserFactory()
    form = {"name": "Team Alder", "affiliation": "Forest <lab>"}
    path = reverse("accounts:team-create")
    response = client.post(path, form, headers={"referer": f"http://testserver{path}"})
    assert response.url == f"{reverse('accounts:login')}?next={path}"
    response = client.post(
        response.url, {"username": user.email, "password": PASSWORD, "next": path}, follow=True
    )
    html = response.content.decode()
    assert 'value="Team Alder"' in html
    assert 'value="Forest &lt;lab&gt;"' in html
    assert "what you typed is kept" not in client.get(path).content.decode()


def test_a_password_never_survives_a_session_that_ended(client):
    path = reverse("accounts:password-change")
    client.post(path, {"current": "x", "password": NEW, "csrfmiddlewaretoken": "y"})
    assert client.session["kept_form"] == {"path": path, "fields": {"current": "x"}}


def test_an_invitation_opened_without_an_account_leads_through_the_log_in_and_back(client):
    invitation = InvitationFactory(team=TeamFactory(name="Team Basalt"))
    response = client.get(reverse("accounts:invitation-accept", args=["unknown"]))
    assert response.status_code == 404
    assert "does not work" in errors(response)
    assert invitation.team.name not in errors(response)
