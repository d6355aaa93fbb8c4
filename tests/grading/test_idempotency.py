"""The same key and body get the same answer; nothing else gets it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grading.models import IdempotencyKey
from grading.services import errors, idempotency
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW

pytestmark = pytest.mark.django_db


def begin(user, key="k", body="b", endpoint="submit", now=NOW) -> IdempotencyKey:
    return idempotency.begin(user=user, endpoint=endpoint, key=key, body_sha256=body, now=now)


def test_a_finished_request_is_answered_from_its_row():
    user = UserFactory()
    idempotency.finish(begin(user), status=201, answer={"code": "abc"})
    row = begin(user)
    assert (row.status, row.answer) == (201, {"code": "abc"})
    assert IdempotencyKey.objects.count() == 1


def test_another_body_under_the_same_key_is_refused():
    user = UserFactory()
    begin(user)
    with pytest.raises(errors.IdempotencyKeyReused):
        begin(user, body="other")


def test_a_request_that_still_runs_is_a_conflict_until_it_was_abandoned_long_ago():
    user = UserFactory()
    begin(user)
    with pytest.raises(errors.RequestStillRunning) as refused:
        begin(user, now=NOW + timedelta(seconds=29))
    assert refused.value.headers == {"Retry-After": "1"}
    assert begin(user, now=NOW + timedelta(seconds=30)).status is None


def test_keys_belong_to_a_person_and_an_endpoint():
    user = UserFactory()
    begin(user)
    assert begin(UserFactory()).status is None
    assert begin(user, endpoint="check").status is None


def test_a_refused_request_may_be_tried_again():
    user = UserFactory()
    idempotency.abandon(begin(user))
    assert begin(user, body="mended").status is None


def test_a_key_is_forgotten_after_a_day():
    user = UserFactory()
    idempotency.finish(begin(user), status=201, answer={})
    assert begin(user, body="new", now=NOW + timedelta(hours=24)).status is None
    assert idempotency.remove_expired(NOW + timedelta(hours=47)) == 0
    assert idempotency.remove_expired(NOW + timedelta(hours=48)) == 1


@pytest.mark.parametrize("key", ["", "x" * 121, "a\nb", "a\x00"])
def test_a_key_that_cannot_be_one_is_refused(key):
    with pytest.raises(errors.IdempotencyKeyInvalid):
        begin(UserFactory(), key=key)


def test_a_fingerprint_tells_fields_apart():
    assert idempotency.fingerprint("ab", "c") != idempotency.fingerprint("a", "bc")


def test_only_an_answer_is_an_answer_and_only_for_a_day():
    user = UserFactory()
    asked = {"user": user, "endpoint": "submit", "key": "k"}
    assert not idempotency.is_answered(**asked, now=NOW)
    row = begin(user)
    assert not idempotency.is_answered(**asked, now=NOW)
    idempotency.finish(row, status=201, answer={})
    assert idempotency.is_answered(**asked, now=NOW)
    assert not idempotency.is_answered(**asked | {"key": ""}, now=NOW)
    assert not idempotency.is_answered(**asked | {"user": UserFactory()}, now=NOW)
    assert not idempotency.is_answered(**asked, now=NOW + timedelta(hours=24))
