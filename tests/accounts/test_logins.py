from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from axes.models import AccessAttempt
from django.contrib.auth import authenticate
from django.test import RequestFactory

from accounts.models import AuditEvent, AuditPrivate, LoginFailure
from accounts.services import audit, logins, passwords
from tests.factories.accounts import PASSWORD, UserFactory

NOW = datetime(2026, 12, 1, 12, 0, 20, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def fail(address: str = "192.0.2.1", typed: str = "ada@example.org", now: datetime = NOW) -> None:
    logins.note_failure(typed=typed, address=address, now=now)


def test_failures_of_a_minute_become_one_event_per_address() -> None:
    for second in range(5):
        fail(now=NOW + timedelta(seconds=second), typed=f"person{second % 2}@example.org")
    fail(address="192.0.2.2")
    assert logins.summarize_failures(now=NOW) == 0
    assert logins.summarize_failures(now=NOW + timedelta(minutes=1)) == 2
    first = AuditEvent.objects.filter(kind="login.failed").order_by("number")[0]
    payload = json.loads(first.payload)
    assert payload["failures"] == 5
    assert payload["minute"] == "2026-12-01T12:00:00+00:00"
    assert payload["typed"] == [
        audit.keyed_hash("person0@example.org"),
        audit.keyed_hash("person1@example.org"),
    ]
    assert "192.0.2.1" not in first.payload + first.target
    assert AuditPrivate.objects.get(event=first).address == "192.0.2.1"
    assert not LoginFailure.objects.exists()
    assert logins.summarize_failures(now=NOW + timedelta(minutes=2)) == 0


def test_a_later_failure_summarizes_the_minutes_before() -> None:
    fail()
    fail(now=NOW + timedelta(minutes=3))
    assert AuditEvent.objects.filter(kind="login.failed").count() == 1
    assert LoginFailure.objects.get().count == 1


def test_a_flood_is_counted_and_bounded() -> None:
    for number in range(30):
        fail(typed=f"person{number}@example.org")
    row = LoginFailure.objects.get()
    assert (row.count, len(row.typed)) == (30, logins.TYPED_KEPT)


def log_in(email: str, password: str, address: str = "192.0.2.1"):
    data = {"username": email, "password": password}
    request = RequestFactory().post("/accounts/login/", data, REMOTE_ADDR=address)
    return authenticate(request, username=email, password=password)


@time_machine.travel(NOW, tick=False)
def test_ten_failures_lock_one_account_for_one_address_alone(settings) -> None:
    ada, ben = UserFactory(), UserFactory()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        assert log_in(ada.email, "wrong") is None
    assert log_in(ada.email, PASSWORD) is None
    assert log_in(ben.email, PASSWORD) == ben
    assert log_in(ada.email, PASSWORD, address="192.0.2.9") == ada
    assert LoginFailure.objects.get().count == settings.AXES_FAILURE_LIMIT + 1


def test_nothing_that_was_typed_is_stored_readable() -> None:
    user = UserFactory(email="ada@example.org")
    log_in(user.email, "my secret typo")
    stored = str(list(AccessAttempt.objects.values())) + str(list(LoginFailure.objects.values()))
    assert "ada@example.org" not in stored
    assert "typo" not in stored
    assert audit.keyed_hash("ada@example.org") in stored


def test_a_new_password_unlocks(settings) -> None:
    user = UserFactory()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        log_in(user.email, "wrong")
    passwords.replace_password(user, "an entirely other phrase")
    assert log_in(user.email, "an entirely other phrase") == user


def test_the_origin_of_a_request_reaches_its_events(client, rf) -> None:
    from accounts.middleware import AuditOriginMiddleware

    def view(request):
        audit.record(kind="thing.done", actor=None, target="", payload={}, now=NOW)

    AuditOriginMiddleware(view)(rf.get("/", REMOTE_ADDR="192.0.2.5", headers={"User-Agent": "B/1"}))
    private = AuditPrivate.objects.get()
    assert (private.address, private.user_agent) == ("192.0.2.5", "B/1")
