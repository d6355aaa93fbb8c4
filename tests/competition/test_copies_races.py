"""Real threads on a real PostgreSQL: copies answered, downloaded, taken back and drawn at the same moment."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from accounts.models import AuditEvent
from competition.enums import IssueState
from competition.models import Download, Draw, PackIssue
from competition.services import downloads, issues
from grading.services import draws
from tests.competition.shelf import Shelf, make_shelf
from tests.competition.test_packs import LATER, issued, opened
from tests.factories.competition import NOW
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.grading.verification.test_races import together

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 6
ROUNDS = 3
AFTER = LATER + timedelta(hours=1)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def issued_events(issue: PackIssue) -> int:
    return AuditEvent.objects.filter(kind="issue.issued", target=f"issue:{issue.code}").count()


def test_answers_at_once_issue_one_copy_with_one_note(shelf: Shelf) -> None:
    """Approved on one page and issued on another: what names the person is written once."""
    for person in (shelf.captain, shelf.member):
        asked = issues.request(actor=person, pack=shelf.pack, typed_name="N", now=NOW)
        ends = together(
            [
                lambda asked=asked: issues.approve(actor=None, issue=asked, now=NOW),  # type: ignore[misc]
                lambda person=person: issues.issue_to(  # type: ignore[misc]
                    actor=None, pack=shelf.pack, person=person, now=LATER
                ),
            ]
            * (CROWD // 2)
        )
        issue = PackIssue.objects.get(pk=asked.pk)
        assert issue.state == IssueState.ACTIVE
        assert issued_events(issue) == 1
        assert {bytes(one.note) for one in ends} == {bytes(issue.note)}  # type: ignore[attr-defined]


def test_once_a_revocation_stands_no_block_is_noted(shelf: Shelf) -> None:
    for _ in range(ROUNDS):
        copy = opened(issued(shelf))
        begun = downloads.begin(copy=copy, person=copy.issue.person, first=0, now=LATER)

        def send(begun: Download = begun) -> int:
            noted = 0
            while downloads.note(download=begun, size=10, now=LATER):
                noted += 10
            return noted

        def revoke(issue: PackIssue = copy.issue) -> int:
            issues.revoke(actor=None, issue=issue, reason="passed on", now=LATER)
            return PackIssue.objects.get(pk=issue.pk).sent

        noted, at_revocation = together([send, revoke])
        copy.issue.refresh_from_db()
        assert noted == at_revocation == copy.issue.sent


def test_one_of_many_requests_goes_on_with_an_attempt(shelf: Shelf) -> None:
    copy = opened(issued(shelf))
    first = downloads.begin(copy=copy, person=copy.issue.person, first=0, now=LATER)
    assert downloads.note(download=first, size=100, now=LATER)

    def go_on() -> Download:
        row = downloads.begin(copy=copy, person=copy.issue.person, first=100, now=LATER)
        noted = downloads.note(download=row, size=50, now=LATER)
        assert noted is not None
        downloads.end(download=noted, unsent=0, whole_size=copy.layout.size, now=LATER)
        return noted

    together([go_on] * CROWD)
    rows = list(Download.objects.values_list("low", "high", "sent"))
    assert all(high - low == sent for low, high, sent in rows), rows
    copy.issue.refresh_from_db()
    assert copy.issue.sent == sum(sent for _low, _high, sent in rows) == 100 + 50 * CROWD


def test_a_draw_never_comes_after_its_reveal() -> None:
    version = DatasetVersionFactory()
    for number in range(6):
        DatasetClipFactory(version=version, utt_id=f"c_{number}")
    for _ in range(ROUNDS):
        plan = draws.Plan(n=2, opens_at=NOW, closes_at=LATER)
        window = draws.commit(actor=None, version=version, plan=plan, now=NOW)
        ends = together(
            [
                lambda window=window: draws.draw(window=window, now=AFTER),  # type: ignore[misc]
                lambda window=window: draws.reveal(actor=None, window=window, now=AFTER),  # type: ignore[misc]
            ]
        )
        kinds = AuditEvent.objects.filter(target=f"window:{window.code}").order_by("number")
        told = list(kinds.values_list("kind", flat=True))
        if Draw.objects.filter(window=window).exists():
            assert told == ["window.committed", "draw.made", "window.revealed"]
        else:
            assert told == ["window.committed", "window.revealed"]
            assert ends[0] == "WINDOW_REFUSED"
