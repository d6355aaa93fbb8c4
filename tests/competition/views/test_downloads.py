"""Copies over HTTP: ranges, resumed downloads, and a record that knows every byte."""

from __future__ import annotations

import io
import random
import zipfile
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from competition.enums import DownloadEnd, Pool
from competition.models import Download, PackIssue
from competition.services import issues, packs
from competition.services.errors import PackRefused
from competition.services.packs import Content, Terms
from competition.views.downloads import link_of
from tests.competition.shelf import Shelf, make_shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import EntrantMemberFactory, RoleGrantFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path, approve=False)


def issued(shelf: Shelf, person: User) -> PackIssue:
    return issues.request(actor=person, pack=shelf.pack, typed_name="N", now=timezone.now())


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def get(client: Client, link: str, cut: int | None = None, **headers: str) -> tuple[Any, bytes]:
    """Return the answer and its body; with `cut` the reader goes away after so many pieces."""
    response = client.get(link, headers=headers)
    if not response.streaming:
        return response, response.content
    pieces = []
    for place, piece in enumerate(response):
        pieces.append(piece)
        if place + 1 == cut:
            break
    # The client's own way to close an answer: it leaves the test its connection.
    response._iterator.close()
    return response, b"".join(pieces)


def test_the_recipient_downloads_a_whole_zip(shelf: Shelf) -> None:
    issue = issued(shelf, shelf.captain)
    client = logged_in(shelf.captain)
    started = client.post(reverse("competition:issue-start", args=[shelf.competition.slug, issue.code]))  # fmt: skip
    response, body = get(client, started["Location"])
    assert (response.status_code, int(response["Content-Length"])) == (200, len(body))
    assert response["Content-Disposition"] == 'attachment; filename="dev-v1-issue1.zip"'
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
    row = Download.objects.get()
    assert (row.sent, row.end) == (len(body), DownloadEnd.WHOLE)


def test_ranges_and_what_is_beyond(shelf: Shelf) -> None:
    issue = issued(shelf, shelf.captain)
    client, link = logged_in(shelf.captain), link_of(issue, shelf.captain)
    whole = get(client, link)[1]
    size = len(whole)
    part, body = get(client, link, Range="bytes=100-299")
    assert (part.status_code, body) == (206, whole[100:300])
    assert part["Content-Range"] == f"bytes 100-299/{size}"
    assert get(client, link, Range="bytes=-10")[1] == whole[-10:]
    beyond, nothing = get(client, link, Range=f"bytes={size}-")
    assert (beyond.status_code, beyond["Content-Range"], nothing) == (416, f"bytes */{size}", b"")
    head = client.head(link)
    assert (head.status_code, int(head["Content-Length"])) == (200, size)
    etag = part["ETag"]
    assert get(client, link, **{"If-None-Match": etag})[0].status_code == 304
    other = {"Range": "bytes=0-9", "If-Range": '"another"'}
    assert get(client, link, **other)[0].status_code == 200


def test_who_else_gets_nothing(shelf: Shelf) -> None:
    issue = issued(shelf, shelf.member)
    link = link_of(issue, shelf.member)
    organizer = RoleGrantFactory(competition=shelf.competition).user
    assert Client().get(link).status_code == 302
    assert logged_in(UserFactory()).get(link).status_code == 404
    assert logged_in(shelf.captain).get(link).status_code == 403
    assert logged_in(organizer).get(link).status_code == 403
    assert logged_in(shelf.member).get(link.split("?")[0]).status_code == 403
    assert Download.objects.filter(end=DownloadEnd.DENIED).count() == 4
    issues.revoke(actor=None, issue=issue, reason="leaked", now=timezone.now())
    assert logged_in(shelf.member).get(link).status_code == 410
    assert not Download.objects.exclude(end=DownloadEnd.DENIED).exists()


def test_bytes_from_a_bucket_pass_through_this_server(
    tmp_path: Path, settings: Any, bucket: Any
) -> None:
    """Links that lead past the server are for uploads: they would be of use to any account."""
    shelf = make_shelf(tmp_path, approve=False)
    issue = issued(shelf, shelf.captain)
    response, body = get(logged_in(shelf.captain), link_of(issue, shelf.captain))
    assert response.status_code == 200
    assert "X-Amz-" not in f"{dict(response.headers)}"
    assert settings.S3_BUCKET not in f"{dict(response.headers)}"
    assert zipfile.ZipFile(io.BytesIO(body)).testzip() is None
    assert Download.objects.get().sent == len(body)


def test_an_old_link_is_no_link(shelf: Shelf) -> None:
    issue = issued(shelf, shelf.captain)
    link = link_of(issue, shelf.captain)
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        client = logged_in(shelf.captain)
        assert client.get(link).status_code == 410
        assert get(client, link_of(issue, shelf.captain))[0].status_code == 200


@pytest.mark.parametrize(
    "tail", ["../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc"]
)
def test_no_path_leads_out_of_a_pack(shelf: Shelf, tail: str) -> None:
    issue = issued(shelf, shelf.captain)
    path = link_of(issue, shelf.captain).split("?")[0]
    assert logged_in(shelf.captain).get(path + tail).status_code == 404


@pytest.mark.slow
def test_fifty_copies_broken_and_resumed_leave_no_byte_without_a_name(shelf: Shelf) -> None:
    """Random cuts and ranges from a fixed seed; ten copies are revoked on the way."""
    chance = random.Random(20261130)  # noqa: S311
    people = [EntrantMemberFactory(entrant=shelf.entrant).user for _ in range(50)]
    held = [issued(shelf, person) for person in people]
    served: dict[int, int] = defaultdict(int)
    reached: dict[int, int] = defaultdict(int)
    clients = [logged_in(person) for person in people]
    sizes = [
        int(clients[issue.number - 1].head(link_of(issue, person))["Content-Length"])
        for issue, person in zip(held, people, strict=True)
    ]
    for turn in range(4):
        for number, issue in enumerate(held):
            link = link_of(issue, people[number])
            if turn == 2 and number < 10:
                issues.revoke(actor=None, issue=issue, reason="test", now=timezone.now())
            if reached[number] == sizes[number]:
                continue
            cut = chance.randint(1, 8) if turn < 3 else None
            response, body = get(clients[number], link, cut, Range=f"bytes={reached[number]}-")
            assert response.status_code == (410 if turn >= 2 and number < 10 else 206)
            served[number] += len(body)
            reached[number] += len(body)
    for number, issue in enumerate(held):
        rows = Download.objects.filter(issue=issue).exclude(end=DownloadEnd.DENIED)
        assert {row.person_id for row in rows} == {people[number].pk}
        assert sum(row.sent for row in rows) == served[number]
        spans = sorted((row.low, row.high) for row in rows)
        assert spans == [(0, reached[number])]
        wanted = DownloadEnd.BROKEN if number < 10 else DownloadEnd.WHOLE
        assert {row.end for row in rows} == {wanted}


def test_a_name_that_could_end_a_header_names_no_pack(shelf: Shelf) -> None:
    for name in ("dev\r\nSet-Cookie: a=b", "dev\n", "", "a b", "Ä", "a" * 65):
        with pytest.raises(PackRefused, match="character"):
            packs.make(
                actor=None,
                competition=shelf.competition,
                name=name,
                content=Content(version=shelf.opened, pools=(Pool.OPEN,)),
                terms=Terms(),
                now=timezone.now(),
            )
