"""The console's packs and draws, as an organizer and an auditor use them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from competition.enums import IssueState, Pool, Role
from competition.models import Draw, DrawWindow, Pack, PackIssue
from competition.services import entry, issues
from competition.timeline import format_moment
from competition.views.downloads import link_of
from grading.models import Notice
from grading.services import draws
from tests.competition.shelf import SECRET, Shelf, load, make_shelf, sound
from tests.factories.competition import RoleGrantFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


@pytest.fixture
def organizer(shelf: Shelf) -> Client:
    return logged_in(RoleGrantFactory(competition=shelf.competition).user)


@pytest.fixture
def auditor(shelf: Shelf) -> Client:
    return logged_in(RoleGrantFactory(competition=shelf.competition, role=Role.AUDITOR).user)


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def at(name: str, shelf: Shelf, *args: str) -> str:
    return reverse(f"grading:{name}", args=[shelf.competition.slug, *args])


def words(client: Client, path: str, **query: str) -> str:
    response = client.get(path, query)
    assert response.status_code == 200, path
    assert SECRET not in response.content.decode()
    return str(read(response.content.decode()).text)


def asked(shelf: Shelf) -> PackIssue:
    return issues.request(actor=shelf.member, pack=shelf.pack, typed_name="N", now=timezone.now())


def test_a_pack_is_made_offered_and_taken_off(shelf: Shelf, organizer: Client) -> None:
    form = {
        "name": "extra", "version": str(shelf.opened.pk), "pools": ["open"], "readme": "Hello.",
        "valid_days": "5", "note": "for practice",
    }  # fmt: skip
    assert organizer.post(at("pack-create", shelf), form).status_code == 302
    pack = Pack.objects.get(name="extra")
    assert (pack.file_count, pack.approve, pack.valid_days) == (5, False, 5)
    for act in ("offer", "withdraw"):
        organizer.post(at("pack-act", shelf, pack.code, act))
    pack.refresh_from_db()
    assert pack.offered_at
    assert pack.withdrawn_at
    assert organizer.post(at("pack-act", shelf, pack.code, "burn")).status_code == 404


def test_what_cannot_be_a_pack_says_why_beside_its_field(shelf: Shelf, organizer: Client) -> None:
    form = {"name": "dev\r\nSet-Cookie: a=b", "readme": "x", "valid_days": "5"}
    response = organizer.post(at("pack-create", shelf), form)
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers.get("Content-Disposition", "")
    assert "characters" in response.content.decode()
    response = organizer.post(at("pack-create", shelf), {"name": "x", "readme": "see held_1", "valid_days": "5"})  # fmt: skip
    assert "held out" in response.content.decode()
    assert Pack.objects.count() == 1


def test_a_pack_is_issued_to_a_person_who_did_not_ask(shelf: Shelf, organizer: Client) -> None:
    page = at("pack-issue", shelf, shelf.pack.code)
    assert page in organizer.get(at("console-packs", shelf)).content.decode()
    person = {"person": shelf.member.code}
    assert "Have not accepted the terms in force" in words(organizer, page)
    assert organizer.post(page, person).status_code == 200
    assert not PackIssue.objects.exists()
    entry.accept_terms(
        actor=shelf.member, competition=shelf.competition, typed_name="N", now=timezone.now()
    )
    assert organizer.post(page, person).status_code == 302
    issue = PackIssue.objects.get()
    assert (issue.state, issue.person, issue.acceptance.typed_name) == ("active", shelf.member, "N")
    kinds = AuditEvent.objects.filter(target=f"issue:{issue.code}").order_by("number")
    assert list(kinds.values_list("kind", flat=True)) == ["issue.requested", "issue.issued"]
    assert Notice.objects.get(kind="copy").recipient == shelf.member
    assert "There is nobody to issue" in words(organizer, page)


def test_a_request_for_a_pack_off_the_offer_is_not_issued(shelf: Shelf, organizer: Client) -> None:
    issue = asked(shelf)
    organizer.post(at("pack-act", shelf, shelf.pack.code, "withdraw"))
    page = organizer.get(at("console-packs", shelf)).content.decode()
    assert at("issue-approve", shelf, issue.code) not in page
    assert "The pack is off the offer." in page
    organizer.post(at("issue-approve", shelf, issue.code))
    issue.refresh_from_db()
    assert issue.state == IssueState.REQUESTED


def test_a_pack_of_nothing_names_the_reason(shelf: Shelf, organizer: Client) -> None:
    form = {"name": "empty", "valid_days": "5"}
    reasons = {
        "choose a dataset": {},
        "no pool is ticked": {"version": str(shelf.opened.pk)},
    }
    for reason, more in reasons.items():
        page = organizer.post(at("pack-create", shelf), {**form, **more}).content.decode()
        assert "Nothing to pack" in page
        assert reason in page
        assert "Dev v1 (open 3)" in page
        assert "Held v1" not in page


def test_a_refusal_speaks_of_no_bytes_and_names_its_page(shelf: Shelf, organizer: Client) -> None:
    issue = asked(shelf)
    page = organizer.get(at("issue-end", shelf, issue.code)).content.decode()
    assert "not a byte" not in page
    assert f'aria-current="page">Refuse copy {issue.number}' in page


def test_requests_are_answered_and_copies_revoked(shelf: Shelf, organizer: Client) -> None:
    issue = asked(shelf)
    assert "Requests that wait" in words(organizer, at("console-packs", shelf))
    organizer.post(at("issue-approve", shelf, issue.code))
    issue.refresh_from_db()
    assert issue.state == IssueState.ACTIVE
    page = organizer.get(at("issue-end", shelf, issue.code)).content.decode()
    assert "not a byte" in page
    organizer.post(at("issue-end", shelf, issue.code), {"reason": "passed on"})
    issue.refresh_from_db()
    assert (issue.state, issue.reason) == (IssueState.REVOKED, "passed on")
    assert "It was never downloaded" in words(organizer, at("issue-detail", shelf, issue.code))


def test_who_has_a_file(shelf: Shelf, organizer: Client) -> None:
    issue = asked(shelf)
    sha256 = shelf.opened.clips.get(utt_id="dev_2").audio.sha256
    overview = at("console-packs", shelf)
    nobody = "Nobody: no copy that was issued here holds a file of this hash."
    assert nobody in words(organizer, overview, sha256=sha256)
    issues.approve(actor=None, issue=issue, now=timezone.now())
    assert nobody in words(organizer, overview, sha256="0" * 64)
    assert "audio/yue/dev_2.wav" in words(organizer, overview, sha256=sha256.upper())
    assert "1 copy holds it" in words(organizer, overview, sha256=shelf.pack.sha256)
    assert "64 hexadecimal digits" in words(organizer, overview, sha256="abc")


def test_the_day_beside_an_issued_copy_is_said_to_be_its_last(
    shelf: Shelf, organizer: Client
) -> None:
    issue = issues.approve(actor=None, issue=asked(shelf), now=timezone.now())
    text = words(organizer, at("console-packs", shelf))
    assert f"until {issue.expires_at:%-d %b %Y, %H:%M} UTC" in text


def test_who_tried_after_the_revocation_is_named(shelf: Shelf, organizer: Client) -> None:
    issue = issues.approve(actor=None, issue=asked(shelf), now=timezone.now())
    link = link_of(issue, shelf.member)
    overview = at("console-packs", shelf)
    assert "Nobody has asked for bytes of a copy after it was revoked." in words(
        organizer, overview
    )
    issues.revoke(actor=None, issue=issue, reason="leaked", now=timezone.now())
    assert logged_in(shelf.member).get(link).status_code == 410
    late = words(organizer, overview).partition("Tried after the revocation")[2]
    assert shelf.member.name in late
    assert f"{issue.number}" in late


def test_an_auditor_reads_everything_and_changes_nothing(shelf: Shelf, auditor: Client) -> None:
    issue = asked(shelf)
    text = words(auditor, at("console-packs", shelf))
    assert issue.person.name in text
    assert issue.person.email not in text
    assert auditor.post(at("issue-approve", shelf, issue.code)).status_code == 403
    assert auditor.get(at("pack-create", shelf)).status_code == 403
    assert auditor.get(at("issues-json", shelf)).json()["copies"][0]["number"] == 1
    assert "'" not in auditor.get(at("issues-csv", shelf)).content.decode()


def test_a_list_finds_copies_by_person_state_and_number(shelf: Shelf, organizer: Client) -> None:
    issue = asked(shelf)
    overview = at("console-packs", shelf)
    for query in (
        {"q": issue.person.name},
        {"q": "1"},
        {"state": "requested"},
        {"q": "dev"},
        {"q": "dev v1"},
    ):
        assert "No copy fits" not in words(organizer, overview, **query)
    for query in ({"q": "nobody"}, {"state": "active"}, {"q": "9" * 40}, {"q": "dev v2"}):
        assert "No copy fits" in words(organizer, overview, **query)


def test_a_window_from_commitment_to_reveal(
    shelf: Shelf, organizer: Client, auditor: Client, tmp_path: Path
) -> None:
    pool = load(
        shelf.competition, tmp_path / "pool", "pool", {f"p_{n}": 100 + n for n in range(8)}, Pool.ROTATION
    )  # fmt: skip
    now = timezone.now()
    opens, closes = now + timedelta(hours=1), now + timedelta(hours=5)
    form = {
        "version": str(pool.pk), "n": "3", "strata": "tier", "public_name": "the index",
        "opens_at": format_moment(opens), "closes_at": format_moment(closes),
    }  # fmt: skip
    assert organizer.post(at("window-create", shelf), form).status_code == 302
    window = DrawWindow.objects.get()
    detail, public = at("console-draw", shelf, window.code), at("draw-window", shelf, window.code)
    assert auditor.post(at("window-act", shelf, window.code, "draw")).status_code == 403
    for client, path in ((Client(), public), (organizer, detail), (Client(), at("draws", shelf))):
        text = words(client, path)
        assert window.commitment[:16] in text
        assert window.seed not in text
    with time_machine.travel(now + timedelta(hours=2), tick=False):
        organizer.post(at("window-act", shelf, window.code, "draw"))
        assert not Draw.objects.exists()
        organizer.post(at("window-act", shelf, window.code, "value"), {"value": "42"})
        organizer.post(at("window-act", shelf, window.code, "draw"))
        found = Draw.objects.get()
        draws.expose(draw=found, entrant=shelf.entrant, now=timezone.now())
        text = words(organizer, detail)
        assert "37.5 %" in text
        assert "NOT the same" not in text
        drawn = list(found.clips.values_list("clip__utt_id", flat=True))
        assert not any(utt_id in words(Client(), public) for utt_id in drawn)
        organizer.post(at("window-act", shelf, window.code, "reveal"))
        window.refresh_from_db()
        assert window.revealed_at is None
    with time_machine.travel(now + timedelta(hours=6), tick=False):
        organizer.post(at("window-act", shelf, window.code, "reveal"))
        text = words(Client(), public)
        assert f"{window.seed}:42" in text
        assert all(utt_id in text for utt_id in drawn)
    body = Client().get(at("draw-pool", shelf, window.code)).content
    assert draws.sha256(body) == window.pool_sha256
    assert sound(1)[:4] not in body


def test_times_that_are_none_stand_beside_their_field(shelf: Shelf, organizer: Client) -> None:
    form = {"version": str(shelf.opened.pk), "n": "1", "strata": "tier", "opens_at": "soon", "closes_at": "2030-01-01 00:00 AoE"}  # fmt: skip
    text = organizer.post(at("window-create", shelf), form).content.decode()
    assert "expected a moment like" in text
    form["opens_at"] = "2029-01-01 00:00 AoE"
    # A dataset without a rotation pool is not offered.
    assert "Select a valid choice" in organizer.post(at("window-create", shelf), form).content.decode()  # fmt: skip
