"""Packs: the same on any machine and day, nothing of what is held out, copies for named people."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from accounts.models import User
from accounts.services import audit
from competition.enums import DownloadEnd, EntrantState, IssueState, Pool
from competition.models import Download, Pack, PackFile, PackIssue
from competition.services import downloads, issues, packs
from competition.services.downloads import Copy
from competition.services.errors import (
    DownloadDenied,
    IssueRefused,
    NotAMember,
    NotOrganizer,
    PackRefused,
    WrongState,
)
from competition.services.packs import Content, Terms
from tests.competition.shelf import SECRET, Shelf, load, make_shelf, sound
from tests.factories.accounts import UserFactory
from tests.factories.competition import NOW, CompetitionFactory, EntrantFactory

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def issued(shelf: Shelf, person: User | None = None) -> PackIssue:
    asked = issues.request(
        actor=person or shelf.captain, pack=shelf.pack, typed_name="A Captain", now=NOW
    )
    issues.approve(actor=None, issue=asked, now=NOW)
    return PackIssue.objects.get(pk=asked.pk)


def opened(issue: PackIssue, now: datetime = LATER) -> Copy:
    token = downloads.sign(issue, issue.person)
    return downloads.open_copy(issue=issue, person=issue.person, token=token, now=now)


def everything(copy: Copy, first: int = 0, size: int | None = None) -> bytes:
    length = copy.layout.size - first if size is None else size
    return b"".join(
        chunk for _size, pieces in downloads.blocks(copy, first, length) for chunk in pieces
    )


def test_a_copy_is_a_zip_with_its_files_and_its_note(shelf: Shelf) -> None:
    issue = issued(shelf)
    data = everything(opened(issue))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.read("audio/yue/dev_2.wav") == sound(2)
        assert archive.namelist()[-1] == "ISSUE.json"
        note = json.loads(archive.read("ISSUE.json"))
        listed = [json.loads(line) for line in archive.read("clips.jsonl").splitlines()]
        manifest = archive.read("MANIFEST.json")
    assert note["recipient"]["accepted_as"] == "A Captain"
    assert (note["number"], note["manifest_sha256"]) == (1, shelf.pack.sha256)
    assert [one["utt_id"] for one in listed] == ["dev_1", "dev_2", "dev_3"]
    assert SECRET.encode() not in data
    assert packs.sha256(manifest) == shelf.pack.sha256
    assert everything(opened(issue), 100, 5_000) == data[100:5_100]


def test_two_copies_differ_in_nothing_before_the_note(shelf: Shelf) -> None:
    mine, yours = opened(issued(shelf)), opened(issued(shelf, shelf.member))
    common = mine.layout.common_size
    assert common == yours.layout.common_size
    assert everything(mine, 0, common) == everything(yours, 0, common)
    assert everything(mine) != everything(yours)


def test_another_machine_and_day_make_the_same_pack(shelf: Shelf, tmp_path: Path) -> None:
    other = make_shelf(tmp_path / "elsewhere")
    assert other.pack.sha256 == shelf.pack.sha256
    again = packs.make(
        actor=None,
        competition=shelf.competition,
        name="dev",
        content=Content(version=shelf.opened, texts={"README.txt": b"Clips to practise on.\n"}),
        terms=Terms(),
        now=NOW + timedelta(days=9),
    )
    assert again == shelf.pack


def test_a_bucket_gives_the_same_pack_and_the_same_bytes(
    shelf: Shelf, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    mine = opened(issued(shelf))
    common = mine.layout.common_size
    on_disk = everything(mine, 0, common)
    request.getfixturevalue("bucket")  # from here on files lie there
    other = make_shelf(tmp_path / "elsewhere")
    theirs = opened(issued(other))
    assert other.pack.sha256 == shelf.pack.sha256
    assert everything(theirs, 0, common) == on_disk
    assert everything(theirs, 70, 300) == on_disk[70:370]


def test_another_text_is_another_version(shelf: Shelf) -> None:
    second = packs.make(
        actor=None,
        competition=shelf.competition,
        name="dev",
        content=Content(version=shelf.opened, texts={"README.txt": b"Other words.\n"}),
        terms=Terms(),
        now=NOW,
    )
    assert (second.version, second.sha256 == shelf.pack.sha256) == (2, False)


@pytest.mark.parametrize(
    "text",
    [
        b"listen to held_1 first",
        b'{"utt_id": "HELD_1"}',
        SECRET.encode() + b" held 1",
        b"The CANARY sings, at noon - held 2!",
        b"\xff\xfe" + "held_2".encode("utf-16-le"),
        json.dumps("ｈｅｌｄ_1").encode(),
        b'"\\u0068eld_1"',
    ],
)
def test_a_text_that_names_what_is_held_out_goes_into_no_pack(shelf: Shelf, text: bytes) -> None:
    with pytest.raises(PackRefused, match="held out"):
        packs.make(
            actor=None,
            competition=shelf.competition,
            name="x",
            content=Content(texts={"notes.txt": text}),
            terms=Terms(),
            now=NOW,
        )
    assert Pack.objects.count() == 1


def test_an_id_inside_a_longer_one_is_another_id(shelf: Shelf) -> None:
    made = packs.make(
        actor=None,
        competition=shelf.competition,
        name="x",
        content=Content(texts={"notes.txt": b"held_12 and upheld_1"}),
        terms=Terms(),
        now=NOW,
    )
    assert made.file_count == 1


@pytest.mark.parametrize("pools", [(Pool.HELD_OUT,), (Pool.OPEN, Pool.HELD_OUT)])
def test_the_database_refuses_held_out_clips(shelf: Shelf, pools: tuple[Pool, ...]) -> None:
    before = PackFile.objects.count()
    with pytest.raises(PackRefused):
        packs.make(
            actor=None,
            competition=shelf.competition,
            name="x",
            content=Content(version=shelf.held, pools=pools),
            terms=Terms(),
            now=NOW,
        )
    assert (PackFile.objects.count(), Pack.objects.count()) == (before, 1)


def test_clips_of_another_competition_are_none(shelf: Shelf, tmp_path: Path) -> None:
    other = CompetitionFactory()
    theirs = load(other, tmp_path / "o", "theirs", {"x_1": 91}, Pool.OPEN)
    with pytest.raises(PackRefused):
        packs.make(
            actor=None,
            competition=shelf.competition,
            name="x",
            content=Content(version=theirs, utt_ids=frozenset({"x_1"})),
            terms=Terms(),
            now=NOW,
        )


def test_asking_twice_gives_one_copy(shelf: Shelf) -> None:
    first = issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="A", now=NOW)
    again = issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="B", now=LATER)
    assert first == again
    assert first.state == IssueState.REQUESTED
    assert again.acceptance.typed_name == "A"


def test_without_approval_the_copy_is_issued_at_once(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path, approve=False)
    issue = issues.request(actor=shelf.member, pack=shelf.pack, typed_name="M", now=NOW)
    assert issue.state == IssueState.ACTIVE
    assert issue.expires_at == NOW + timedelta(days=10)


def test_who_may_ask_and_who_may_decide(shelf: Shelf) -> None:
    with pytest.raises(NotAMember):
        issues.request(actor=UserFactory(), pack=shelf.pack, typed_name="X", now=NOW)
    pending = EntrantFactory(
        competition=shelf.competition, captain=UserFactory(), state=EntrantState.PENDING
    )
    with pytest.raises(NotAMember):
        issues.request(actor=pending.members.get().user, pack=shelf.pack, typed_name="X", now=NOW)
    asked = issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="A", now=NOW)
    with pytest.raises(NotOrganizer):
        issues.approve(actor=shelf.captain, issue=asked, now=NOW)
    issues.refuse(actor=None, issue=asked, reason="not yet", now=NOW)
    with pytest.raises(IssueRefused):
        issues.approve(actor=None, issue=asked, now=NOW)
    assert issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="A", now=NOW) != asked


def test_a_pack_that_is_not_on_offer_is_not_asked_for(shelf: Shelf) -> None:
    packs.withdraw(actor=None, pack=shelf.pack, now=NOW)
    with pytest.raises(IssueRefused):
        issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="A", now=NOW)
    with pytest.raises(WrongState):
        packs.withdraw(
            actor=None,
            pack=packs.make(
                actor=None,
                competition=shelf.competition,
                name="new",
                content=Content(texts={"a": b"b"}),
                terms=Terms(),
                now=NOW,
            ),
            now=NOW,
        )


def _link_of_another(shelf: Shelf, issue: PackIssue) -> str:
    return downloads.sign(issued(shelf, shelf.member), shelf.member)


@pytest.mark.parametrize(
    ("reason", "spoil"),
    [
        ("no-link", lambda shelf, issue: "x"),
        ("another-link", _link_of_another),
        (
            "revoked",
            lambda shelf, issue: (
                issues.revoke(actor=None, issue=issue, reason="leak", now=NOW) and ""
            ),
        ),
        ("left", lambda shelf, issue: shelf.entrant.members.update(left_at=NOW) and ""),
    ],
)
def test_who_may_not_have_it_gets_nothing_and_leaves_an_event(
    shelf: Shelf, reason: str, spoil: Callable[[Shelf, PackIssue], str]
) -> None:
    issue = issued(shelf)
    token = spoil(shelf, issue) or downloads.sign(issue, issue.person)
    issue.refresh_from_db()
    with pytest.raises(DownloadDenied):
        downloads.open_copy(issue=issue, person=issue.person, token=token, now=LATER)
    row = Download.objects.get(end=DownloadEnd.DENIED)
    assert (row.reason, row.sent, row.person) == (reason, 0, issue.person)


def test_another_person_with_the_link_gets_nothing(shelf: Shelf) -> None:
    issue = issued(shelf)
    token = downloads.sign(issue, issue.person)
    with pytest.raises(DownloadDenied):
        downloads.open_copy(issue=issue, person=shelf.member, token=token, now=LATER)
    assert Download.objects.get().reason == "another-person"


def test_after_its_days_a_copy_is_no_more(shelf: Shelf) -> None:
    issue = issued(shelf)
    with pytest.raises(DownloadDenied):
        opened(issue, NOW + timedelta(days=10))
    assert Download.objects.get().reason == "expired"


def test_who_has_an_expired_copy_gets_another_one(shelf: Shelf) -> None:
    first, late = issued(shelf), NOW + timedelta(days=10)
    asked = issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="A Captain", now=late)
    assert (asked.pk, asked.state) != (first.pk, IssueState.ACTIVE)
    issues.approve(actor=None, issue=asked, now=late)
    first.refresh_from_db()
    assert first.state == IssueState.EXPIRED
    with pytest.raises(DownloadDenied):
        opened(first, late)
    assert Download.objects.get().reason == "expired"
    assert opened(PackIssue.objects.get(pk=asked.pk), late).layout.size


def test_an_expired_copy_lets_the_person_be_chosen_again(shelf: Shelf) -> None:
    issued(shelf)
    assert shelf.captain.pk not in {one.user_id for one in issues.candidates(shelf.pack, LATER)}
    late = NOW + timedelta(days=10)
    assert shelf.captain.pk in {one.user_id for one in issues.candidates(shelf.pack, late)}


def test_ranges_that_follow_each_other_are_one_attempt(shelf: Shelf) -> None:
    copy = opened(issued(shelf))
    person, size = copy.issue.person, copy.layout.size
    first = downloads.begin(copy=copy, person=person, first=0, now=LATER)
    assert downloads.note(download=first, size=1000, now=LATER)
    downloads.end(download=first, unsent=200, whole_size=size, now=LATER)
    second = downloads.begin(copy=copy, person=person, first=800, now=LATER)
    assert downloads.note(download=second, size=size - 800, now=LATER)
    downloads.end(download=second, unsent=0, whole_size=size, now=LATER)
    row = Download.objects.get()
    assert (row.low, row.high, row.sent, row.requests) == (0, size, size, 2)
    assert row.end == DownloadEnd.WHOLE
    assert audit.verify(shelf.competition.audit_scope).ok


def test_a_range_elsewhere_is_an_attempt_of_its_own(shelf: Shelf) -> None:
    copy = opened(issued(shelf))
    for first in (0, 5000):
        row = downloads.begin(copy=copy, person=copy.issue.person, first=first, now=LATER)
        downloads.note(download=row, size=10, now=LATER)
        downloads.end(download=row, unsent=0, whole_size=copy.layout.size, now=LATER)
    assert sorted(Download.objects.values_list("low", "high")) == [(0, 10), (5000, 5010)]


def test_two_requests_never_add_to_one_stretch(shelf: Shelf) -> None:
    """The second goes on where the first one stands while that is still sending: both stay gapless."""
    copy = opened(issued(shelf))
    person, size = copy.issue.person, copy.layout.size
    first = downloads.begin(copy=copy, person=person, first=0, now=LATER)
    assert downloads.note(download=first, size=100, now=LATER)
    second = downloads.begin(copy=copy, person=person, first=100, now=LATER)
    assert second.pk == first.pk
    went_on = downloads.note(download=first, size=100, now=LATER)
    assert downloads.note(download=second, size=size - 100, now=LATER)
    assert went_on is not None
    downloads.end(download=went_on, unsent=60, whole_size=size, now=LATER)
    downloads.end(download=second, unsent=0, whole_size=size, now=LATER)
    rows = Download.objects.order_by("pk").values_list("low", "high", "sent", "end")
    assert list(rows) == [
        (0, size, size, DownloadEnd.WHOLE),
        (100, 140, 40, DownloadEnd.BROKEN),
    ]
    copy.issue.refresh_from_db()
    assert copy.issue.sent == size + 40


def test_what_an_older_request_did_not_send_stays_noted(shelf: Shelf) -> None:
    copy = opened(issued(shelf))
    first = downloads.begin(copy=copy, person=copy.issue.person, first=0, now=LATER)
    assert downloads.note(download=first, size=100, now=LATER)
    second = downloads.begin(copy=copy, person=copy.issue.person, first=100, now=LATER)
    downloads.end(download=first, unsent=30, whole_size=copy.layout.size, now=LATER)
    assert downloads.note(download=second, size=10, now=LATER)
    row = Download.objects.get()
    assert (row.low, row.high, row.sent, row.requests) == (0, 110, 110, 2)


def test_a_copy_that_is_revoked_meanwhile_goes_no_further(shelf: Shelf) -> None:
    copy = opened(issued(shelf))
    row = downloads.begin(copy=copy, person=copy.issue.person, first=0, now=LATER)
    assert downloads.note(download=row, size=10, now=LATER)
    issues.revoke(actor=None, issue=copy.issue, reason="leak", now=LATER)
    assert not downloads.note(download=row, size=10, now=LATER)
    assert Download.objects.get().sent == 10
