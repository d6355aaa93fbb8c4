from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.core.cache import cache

from accounts.models import AuditEvent, User
from accounts.services import profile, registration
from accounts.services.errors import (
    AlreadyVerified,
    EmailInvalid,
    LinkInvalid,
    NameInvalid,
    PasswordInvalid,
    PasswordWrong,
    TooSoon,
)
from tests.factories.accounts import PASSWORD, UnverifiedUserFactory, UserFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
NEW = "an entirely other phrase"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_pause() -> None:
    cache.clear()


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def sign_up(**given: str) -> None:
    values = {"email": "new@example.org", "name": "New", "password": PASSWORD, "language": "en"}
    registration.sign_up(**(values | given), now=NOW)


def token_in(message) -> str:
    return re.search(r"/(?:verify|reset)/([^/\s]+)/", message.body)[1]


def test_signing_up_makes_an_unverified_account_and_mails_a_link(committed) -> None:
    with committed():
        assert sign_up(email=" New@Example.ORG ") is None
    user = User.objects.get()
    assert (user.email, user.is_verified, user.check_password(PASSWORD)) == (
        "new@example.org",
        False,
        True,
    )
    [message] = mail.outbox
    assert message.to == ["new@example.org"]
    assert message.subject == "Confirm your e-mail address"
    verified = registration.verify_email(token=token_in(message), now=NOW + timedelta(days=2))
    assert verified.email_verified_at == NOW + timedelta(days=2)
    kinds = list(AuditEvent.objects.order_by("number").values_list("kind", flat=True))
    assert kinds == ["account.created", "account.verified"]


def test_verifying_twice_changes_nothing(committed) -> None:
    with committed():
        sign_up()
    token = token_in(mail.outbox[0])
    registration.verify_email(token=token, now=NOW)
    user = registration.verify_email(token=token, now=NOW + timedelta(hours=1))
    assert user.email_verified_at == NOW
    assert AuditEvent.objects.filter(kind="account.verified").count() == 1


def test_a_known_address_is_answered_alike_and_told_by_mail(committed) -> None:
    user = UserFactory(email="new@example.org")
    before = user.password
    with committed():
        assert sign_up(name="Somebody else", password=NEW) is None
    user.refresh_from_db()
    assert user.password == before
    [message] = mail.outbox
    assert message.subject == "You already have an account"
    assert registration.reset_password(token=token_in(message), password=NEW, now=NOW) == user


def test_no_mailbox_is_flooded(committed) -> None:
    UserFactory(email="new@example.org")
    with committed():
        sign_up()
        sign_up()
        registration.request_reset(email="new@example.org", now=NOW)
        registration.request_reset(email="new@example.org", now=NOW)
    assert len(mail.outbox) == 2


@pytest.mark.parametrize(
    ("field", "value", "refusal"),
    [
        ("email", "nobody", EmailInvalid),
        ("email", "a\x00@example.org", EmailInvalid),
        ("name", "\u202eevil", NameInvalid),
        ("name", "  ", NameInvalid),
        ("password", "short", PasswordInvalid),
        ("password", "1234567890123", PasswordInvalid),
        ("password", "new@example.org", PasswordInvalid),
        ("password", "x1" * 300, PasswordInvalid),
    ],
)
def test_a_bad_sign_up_is_refused_beside_its_field(field, value, refusal) -> None:
    with pytest.raises(refusal) as caught:
        sign_up(**{field: value})
    assert caught.value.params["field"] == field
    assert not User.objects.exists()


def test_mails_are_in_the_language_of_the_account_or_english(committed, settings) -> None:
    settings.LANGUAGES = [("en", "English"), ("zh-hans", "Simplified Chinese")]
    with committed():
        sign_up(language="zh-hans")
        sign_up(email="other@example.org", language="xx")
    assert User.objects.get(email="new@example.org").language == "zh-hans"
    assert User.objects.get(email="other@example.org").language == "en"


def test_names_are_not_escaped_in_mails(committed) -> None:
    with committed():
        sign_up(name="O'Neill <&>")
    assert "Hello O'Neill <&>," in mail.outbox[0].body


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "a" * 5000, "\x00"])
def test_a_forged_link_is_refused(token: str) -> None:
    with pytest.raises(LinkInvalid):
        registration.verify_email(token=token, now=NOW)
    with pytest.raises(LinkInvalid):
        registration.reset_password(token=token, password=NEW, now=NOW)


def test_links_expire_and_do_not_serve_each_other(committed) -> None:
    with committed():
        sign_up()
        registration.request_reset(email="new@example.org", now=NOW)
    verify, reset = map(token_in, mail.outbox)
    with pytest.raises(LinkInvalid):
        registration.verify_email(token=verify, now=NOW + timedelta(days=3))
    with pytest.raises(LinkInvalid):
        registration.verify_email(token=reset, now=NOW)
    with pytest.raises(LinkInvalid):
        registration.reset_password(token=verify, password=NEW, now=NOW)
    with pytest.raises(LinkInvalid):
        registration.reset_password(token=reset, password=NEW, now=NOW + timedelta(hours=2))
    assert not User.objects.get().is_verified


def test_a_reset_works_once_and_confirms_the_address(committed) -> None:
    user = UnverifiedUserFactory()
    with committed():
        registration.request_reset(email=user.email.upper(), now=NOW)
    token = token_in(mail.outbox[0])
    with committed():
        registration.reset_password(token=token, password=NEW, now=NOW)
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert user.email_verified_at == NOW
    assert [message.subject for message in mail.outbox] == [
        "Set a new password",
        "Your password was changed",
    ]
    with pytest.raises(LinkInvalid):
        registration.reset_password(token=token, password="yet another phrase", now=NOW)


def test_a_reset_for_an_unknown_address_is_answered_alike(committed) -> None:
    with committed():
        assert registration.request_reset(email="nobody@example.org", now=NOW) is None
    assert mail.outbox[0].subject == "There is no account with this address"
    assert "/reset/" not in mail.outbox[0].body


def test_a_weak_new_password_is_refused_and_the_link_still_works(committed) -> None:
    user = UserFactory()
    with committed():
        registration.request_reset(email=user.email, now=NOW)
    token = token_in(mail.outbox[0])
    with pytest.raises(PasswordInvalid):
        registration.reset_password(token=token, password="short", now=NOW)
    registration.reset_password(token=token, password=NEW, now=NOW)


def test_a_link_can_be_sent_again_but_not_at_once(committed) -> None:
    user = UnverifiedUserFactory()
    with committed():
        registration.resend_verification(user=user, now=NOW)
    assert registration.verify_email(token=token_in(mail.outbox[0]), now=NOW) == user
    user.refresh_from_db()
    with pytest.raises(AlreadyVerified):
        registration.resend_verification(user=user, now=NOW)
    other = UnverifiedUserFactory()
    registration.resend_verification(user=other, now=NOW)
    with pytest.raises(TooSoon):
        registration.resend_verification(user=other, now=NOW)


def test_a_mail_server_that_is_down_loses_nothing(committed, settings, caplog) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with committed():
        sign_up()
    assert User.objects.filter(email="new@example.org").exists()
    assert "mail.failed" in caplog.text
    assert "new@example.org" not in caplog.text


def test_a_profile_is_changed_by_its_owner() -> None:
    user = UserFactory()
    profile.change_profile(actor=user, name=" New  Name ", language="zh-hant", now=NOW)
    user.refresh_from_db()
    assert (user.name, user.language) == ("New Name", "zh-hant")
    with pytest.raises(NameInvalid):
        profile.change_profile(actor=user, name="\x00", language="en", now=NOW)


def test_a_password_is_changed_with_the_present_one(committed) -> None:
    user = UserFactory()
    with pytest.raises(PasswordWrong):
        profile.change_password(actor=user, current="wrong", password=NEW, now=NOW)
    with pytest.raises(PasswordInvalid):
        profile.change_password(actor=user, current=PASSWORD, password="short", now=NOW)
    with committed():
        profile.change_password(actor=user, current=PASSWORD, password=NEW, now=NOW)
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert len(mail.outbox) == 1
