from __future__ import annotations

import json

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.enums import TokenScope
from grading import receipts
from grading.services import receipt_keys
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(arena, settings, tmp_path) -> str:
    settings.RECEIPT_KEY_FILE = tmp_path / "receipt-key"
    now = timezone.now()
    submission = submit(arena, arena.perfect(), created_at=now, now=now)
    return f"/api/v1/submissions/{submission.code}/receipt/"


def test_the_receipt_verifies(api, address):
    response = api.get(address)
    assert response.status_code == 200
    found = receipts.verify(receipts.parse(json.dumps(response.json())), receipt_keys.known())
    assert [one.outcome for one in found] == ["holds"]


def test_it_is_for_the_team_alone(api, arena, address):
    assert client_of(UserFactory()).get(address).status_code == 404
    assert client_of(arena.enter("Team Rival")[1]).get(address).status_code == 404
    assert APIClient().get(address).status_code == 401
    assert client_of(arena.captain, [TokenScope.SUBMIT]).get(address).status_code == 403
    assert api.post(address).status_code == 405
    assert api.get("/api/v1/submissions/none/receipt/").status_code == 404


def test_without_a_usable_key_it_is_a_problem_document(api, address, settings):
    settings.RECEIPT_KEY = "no key"
    response = api.get(address)
    assert (response.status_code, response.json()["code"]) == (503, "RECEIPTS_UNAVAILABLE")
