from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from grading import receipts
from grading.services import receipt_keys
from tests.factories.grading import NOW, submit
from tests.site.markup import faults

pytestmark = pytest.mark.django_db
VERIFY = "/receipts/verify/"
KEYS = "/.well-known/plaudit-keys.json"


@pytest.fixture(autouse=True)
def _own_key(settings, tmp_path: Path) -> None:
    settings.RECEIPT_KEY_FILE = tmp_path / "receipt-key"


@pytest.fixture
def submission(arena):
    return submit(arena, arena.perfect())


def address(submission) -> str:
    return reverse("grading:receipt", args=[submission.code])


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("anonymous", 302),
        ("unverified", 404),
        ("outsider", 404),
        ("rival", 404),
        ("auditor", 404),
        ("captain", 200),
        ("organizer", 200),
    ],
)
def test_a_receipt_is_for_the_team_and_the_organizers(seen_by, submission, who, status):
    assert seen_by(who, address(submission)).status_code == status


def test_the_download_is_a_file_that_verifies(seen_by, submission):
    response = seen_by("captain", address(submission))
    name = f'attachment; filename="receipt-{submission.code}.json"'
    assert response.headers["Content-Disposition"] == name
    entries = receipts.parse(response.content)
    assert receipts.verify(entries, receipt_keys.known())[0].outcome == "holds"


def test_the_page_of_a_submission_shows_its_receipt_and_the_way_to_it(seen_by, submission):
    html = seen_by("captain", submission.get_absolute_url()).content.decode()
    assert faults(html) == []
    for shown in ("Receipt", submission.content_id, "Log entry", address(submission), VERIFY):
        assert shown in html
    assert f"plaudit receipt verify receipt-{submission.code}.json" in html


def test_without_a_usable_key_the_page_says_so_and_nothing_breaks(seen_by, submission, settings):
    settings.RECEIPT_KEY = "no key"
    response = seen_by("captain", address(submission))
    assert response.status_code == 503
    assert "RECEIPTS_UNAVAILABLE" in response.content.decode()
    assert seen_by("captain", submission.get_absolute_url()).status_code == 200
    keys = seen_by("anonymous", KEYS)
    assert (keys.status_code, keys.headers["Cache-Control"]) == (200, "no-store")


def test_the_public_keys_are_public_and_hold_nothing_private(client, settings):
    response = client.get(KEYS)
    (key,) = response.json()["keys"]
    assert response.json()["format"] == "plaudit-keys/1"
    assert key["valid_from"] == "2026-12-01T15:00:00.000000Z"
    assert key["valid_until"] is None
    assert key["key_id"] == receipts.key_id(bytes.fromhex(key["public_key"]))
    assert response.cookies == {}
    assert settings.RECEIPT_KEY_FILE.read_text() not in response.content.decode()
    assert client.post(KEYS).status_code == 405


def given(client, text: str = "", file: bytes | None = None):
    data = {"text": text}
    if file is not None:
        data["file"] = SimpleUploadedFile("receipt.json", file)
    return client.post(VERIFY, data)


def test_a_pasted_and_an_uploaded_receipt_verify(seen_by, client, submission):
    content = seen_by("captain", address(submission)).content
    client.logout()
    for response in (given(client, content.decode()), given(client, file=content)):
        html = response.content.decode()
        assert faults(html) == []
        assert "Every signature holds." in html
        assert submission.content_id in html


def test_a_changed_receipt_is_not_repeated_on_the_page(seen_by, client, submission):
    found = json.loads(seen_by("captain", address(submission)).content)
    found["statements"][0]["statement"]["kind"] = "<b>You have won</b>"
    html = given(client, file=json.dumps(found).encode()).content.decode()
    assert "Do not rely on this receipt." in html
    assert "changed after signing" in html
    assert "You have won" not in html


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Paste a receipt, or choose its file."),
        ("hello", "not a receipt"),
        ("{}", "This is JSON, but not a receipt."),
        ("x\0y", "Null characters are not allowed."),
        ("[" * 60_000, "not a receipt"),
        ("x" * 70_000, "at most 65536 characters"),
    ],
)
def test_anything_else_is_answered_in_words(client, text, said):
    response = given(client, text)
    assert response.status_code == 200
    assert said in response.content.decode()


def test_a_file_that_is_too_large_or_no_text_is_answered_in_words(client):
    assert "too large" in given(client, file=b"x" * 70_000).content.decode()
    assert "not a receipt" in given(client, file=b"\xff\xfe\x00").content.decode()
    assert "not a receipt" in given(client, file=b"").content.decode()


def test_the_empty_page_keeps_the_rules_and_forged_forms_are_refused(client, db):
    response = client.get(VERIFY)
    assert response.status_code == 200
    assert faults(response.content.decode()) == []
    client.handler.enforce_csrf_checks = True
    assert given(client, "{}").status_code == 403


def test_the_number_of_queries_is_constant(client, arena, submission, django_assert_num_queries):
    receipt_keys.current(now=NOW)
    client.force_login(arena.captain)
    client.get(address(submission))
    with django_assert_num_queries(6):
        client.get(address(submission))
