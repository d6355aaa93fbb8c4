"""Packs and draws over the API: asking, downloading, and who gets nothing."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from accounts.enums import TokenScope
from competition.models import Download, DrawWindow, PackIssue, TermsAcceptance
from competition.services import issues, zips
from grading.models import Notice
from tests.api.conftest import client_of
from tests.competition.shelf import Shelf, make_shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    zips._prefixes.clear()
    return make_shelf(tmp_path, approve=False)


def base(shelf: Shelf) -> str:
    return f"/api/v1/competitions/{shelf.competition.slug}"


def ask(client, shelf: Shelf, version: str = "1", **more):
    body = {"typed_name": "A Member", "terms_version": version, **more}
    return client.post(f"{base(shelf)}/packs/{shelf.pack.code}/ask/", body, format="json")


def body_of(response) -> bytes:
    return b"".join(response.streaming_content)


def test_a_member_reads_the_terms_asks_and_downloads_a_zip_of_their_own(shelf):
    client = client_of(shelf.member)
    found = client.get(f"{base(shelf)}/packs/").json()
    assert found["terms"] == {
        "version": "1",
        "sha256": "0" * 64,
        "texts": {"en": "Play fair."},
        "accepted": False,
    }
    (offer,) = found["packs"]
    assert (offer["name"], offer["copy"], offer["may_ask"]) == ("dev", None, True)
    assert ask(client, shelf, "0").json()["code"] == "TERMS_CHANGED"
    assert ask(client, shelf, extra=1).status_code == 400
    assert not TermsAcceptance.objects.exists()
    made = ask(client, shelf)
    copy = made.json()
    assert (made.status_code, copy["state"], copy["accepted_as"]) == (201, "active", "A Member")
    assert ask(client, shelf).status_code == 200
    assert Notice.objects.filter(kind="copy", recipient=shelf.member).count() == 1
    response = client.get(copy["download"], HTTP_ACCEPT="application/zip")
    body = body_of(response)
    assert (response.status_code, len(body)) == (200, copy["size"])
    zips.hash_due(now=timezone.now())
    known = client.get(f"/api/v1/copies/{copy['code']}/").json()
    assert known["sha256"] == hashlib.sha256(body).hexdigest()
    part = client.get(known["download"], HTTP_RANGE="bytes=50-99")
    assert (part.status_code, body_of(part)) == (206, body[50:100])
    manifest = client.get(f"{base(shelf)}/packs/{shelf.pack.code}/manifest/").content
    assert hashlib.sha256(manifest).hexdigest() == shelf.pack.sha256 == copy["manifest_sha256"]


def test_nobody_else_gets_a_byte_and_each_attempt_is_noted(shelf):
    copy = ask(client_of(shelf.member), shelf).json()
    organizer = RoleGrantFactory(competition=shelf.competition).user
    expected = [
        (UserFactory(), 404, "NOT_FOUND"),
        (shelf.captain, 403, "DOWNLOAD_DENIED"),
        (organizer, 403, "DOWNLOAD_DENIED"),
    ]
    for person, status, code in expected:
        client = client_of(person)
        answer = client.get(copy["download"])
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert client.get(f"/api/v1/copies/{copy['code']}/").status_code == 404
    client = client_of(shelf.member)
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        assert client.get(copy["download"]).json()["code"] == "COPY_GONE"
    issues.revoke(actor=None, issue=PackIssue.objects.get(), reason="leaked", now=timezone.now())
    assert client.get(copy["download"]).json()["code"] == "COPY_GONE"
    assert client.get(f"/api/v1/copies/{copy['code']}/").json()["download"] is None
    reasons = Download.objects.order_by("pk").values_list("reason", "sent")
    assert list(reasons) == [
        *[("another-person", 0)] * 3,
        ("old-link", 0),
        ("revoked", 0),
    ]


def test_who_is_in_no_entrant_finds_no_pack(shelf):
    client = client_of(UserFactory())
    assert client.get(f"{base(shelf)}/packs/").json()["packs"] == []
    assert ask(client, shelf).status_code == 404


def test_an_organizer_commits_draws_and_reveals_and_everybody_can_check_it():
    version = DatasetVersionFactory()
    for number in range(6):
        DatasetClipFactory(version=version, tier=("easy", "hard")[number % 2])
    competition = version.dataset.competition
    organizer = RoleGrantFactory(competition=competition).user
    acting = client_of(organizer, [TokenScope.READ, TokenScope.ORGANIZE])
    windows = f"/api/v1/competitions/{competition.slug}/windows/"
    now = timezone.now()
    plan = {
        "dataset": version.dataset.slug,
        "dataset_version": 1,
        "n": 4,
        "opens_at": (now + timedelta(minutes=1)).isoformat(),
        "closes_at": (now + timedelta(hours=1)).isoformat(),
        "public_name": "the closing price",
    }
    assert client_of(organizer).post(windows, plan, format="json").status_code == 403
    made = acting.post(windows, plan, format="json")
    assert (made.status_code, made.json()["seed"]) == (201, None)
    window = f"/api/v1/windows/{made.json()['code']}/"
    outsider = client_of(UserFactory(), [TokenScope.ORGANIZE])
    assert outsider.post(f"{window}draws/").json()["code"] == "NOT_ORGANIZER"
    with time_machine.travel(now + timedelta(minutes=2), tick=False):
        assert acting.post(f"{window}draws/").json()["code"] == "WINDOW_REFUSED"
        assert acting.post(f"{window}value/", {"value": "4711"}, format="json").status_code == 200
        drawn = acting.post(f"{window}draws/").json()
        assert drawn["counts"] == {"easy": 2, "hard": 2}
        assert "utt_ids" not in drawn
        assert acting.get(f"{window}draws/").json()["results"] == []
        assert acting.post(f"{window}reveal/").status_code == 409
    with time_machine.travel(now + timedelta(hours=2), tick=False):
        shown = acting.post(f"{window}reveal/").json()
    seed = DrawWindow.objects.get().seed
    assert (shown["seed"], shown["public_value"]) == (seed, "4711")
    assert hashlib.sha256(seed.encode()).hexdigest() == shown["commitment"]
    (row,) = client_of(UserFactory()).get(f"{window}draws/").json()["results"]
    assert (len(row["utt_ids"]), row["agrees"], row["key"]) == (4, True, f"{seed}:4711")
