"""The hash of a person's whole zip: one reading for all copies, and a look-up that names the person."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from competition.models import CopyHash, PackIssue
from competition.packing.layout import Layout
from competition.packing.manifest import ISSUE_NAME, manifest_bytes, sha256
from competition.services import downloads, holders, issues, packs, vault, zips
from tests.competition.shelf import Shelf, make_shelf
from tests.factories.competition import NOW, EntrantMemberFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    zips._prefixes.clear()
    return make_shelf(tmp_path, approve=False)


def issued(shelf: Shelf, count: int) -> list[PackIssue]:
    people = [EntrantMemberFactory(entrant=shelf.entrant).user for _ in range(count)]
    return [
        issues.request(actor=person, pack=shelf.pack, typed_name="N", now=NOW) for person in people
    ]


def whole(issue: PackIssue) -> bytes:
    files, keys = packs.packed_files(issue.pack)
    manifest = manifest_bytes(issue.pack.name, issue.pack.version, files)
    layout = Layout(manifest, files, bytes(issue.note))
    return b"".join(downloads.pieces(layout, keys, 0, layout.size))


def test_every_copy_has_the_hash_of_its_own_zip_after_one_reading(shelf, monkeypatch):
    held = issued(shelf, 3)
    issues.revoke(actor=None, issue=held[0], reason="leaked", now=NOW)
    asked = PackIssue.objects.get(pk=held[0].pk)
    read, real = [], vault.served_slice
    monkeypatch.setattr(vault, "served_slice", lambda *of: read.append(of) or real(*of))
    assert zips.hash_due(now=NOW) == 3
    once = len(read)
    (late,) = issued(shelf, 1)
    assert zips.hash_due(now=NOW + timedelta(days=1)) == 1
    assert len(read) == once == 5  # three clips, their list and the README
    assert zips.hash_due(now=NOW) == 0
    for issue in [asked, *held[1:], late]:
        body = whole(issue)
        row = CopyHash.objects.get(issue=issue)
        assert row.sha256 == hashlib.sha256(body).hexdigest()
        assert (row.size, row.note_sha256) == (len(body), sha256(bytes(issue.note)))


def test_a_zip_that_turns_up_names_one_person(shelf):
    held = issued(shelf, 3)
    zips.hash_due(now=NOW)
    row = CopyHash.objects.get(issue=held[1])
    (found,) = holders.holders_of(shelf.competition, row.sha256)
    assert (found.issue, found.paths) == (held[1], (holders.WHOLE,))
    (found,) = holders.holders_of(shelf.competition, row.note_sha256)
    assert (found.issue, found.paths) == (held[1], (ISSUE_NAME,))
    assert len(holders.holders_of(shelf.competition, shelf.pack.sha256)) == 3


def test_a_hash_that_was_written_down_stays(shelf):
    issued(shelf, 1)
    zips.hash_due(now=NOW)
    with pytest.raises(DatabaseError), transaction.atomic():
        CopyHash.objects.update(sha256="0" * 64)
    with pytest.raises(DatabaseError), transaction.atomic():
        CopyHash.objects.all().delete()
