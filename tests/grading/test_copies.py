"""People are told of their copies: issued, refused, revoked, about to expire; each once."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from competition.enums import IssueState
from competition.models import CopyHash, PackIssue
from competition.services import entry, issues
from competition.services.errors import TermsNotAccepted
from grading.models import Notice
from grading.services import copies
from tests.competition.shelf import Shelf, make_shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import NOW, RoleGrantFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def told() -> list[tuple[str, str]]:
    rows = Notice.objects.filter(kind="copy").order_by("pk")
    return [(row.context["act"], row.recipient.code) for row in rows]


def asked(shelf: Shelf) -> PackIssue:
    return copies.request(actor=shelf.member, pack=shelf.pack, typed_name="A Member", now=NOW)


def test_a_request_is_answered_by_mail_once(shelf):
    organizer = RoleGrantFactory(competition=shelf.competition).user
    issue = asked(shelf)
    assert told() == []
    for _ in range(2):
        copies.approve(actor=organizer, issue=issue, now=NOW)
    copies.revoke(actor=organizer, issue=issue, reason="It was passed on.", now=NOW)
    code = shelf.member.code
    assert told() == [("issued", code), ("revoked", code)]
    assert Notice.objects.last().context["reason"] == "It was passed on."
    again = asked(shelf)
    copies.refuse(actor=organizer, issue=again, reason="Not again.", now=NOW)
    assert told()[-1] == ("refused", code)


def test_the_next_round_tells_what_a_page_did_and_what_ends_soon(shelf):
    issue = asked(shelf)
    issues.approve(actor=None, issue=issue, now=NOW)
    assert copies.tell_due(now=NOW) == 1
    assert copies.tell_due(now=NOW) == 0
    soon = NOW + timedelta(days=shelf.pack.valid_days) - copies.WARN_BEFORE
    assert copies.tell_due(now=soon - timedelta(minutes=1)) == 0
    assert copies.look_after(now=soon) == {"told": 1, "hashed": 1}
    assert copies.look_after(now=soon) == {"told": 0, "hashed": 0}
    assert [act for act, _ in told()] == ["issued", "expires"]
    assert CopyHash.objects.get().issue == issue


def test_the_command_issues_to_people_who_have_accepted_the_terms(shelf):
    with pytest.raises(CommandError, match="TERMS_NOT_ACCEPTED"):
        run(shelf, shelf.member.email)
    entry.accept_terms(
        actor=shelf.member, competition=shelf.competition, typed_name="A Member", now=NOW
    )
    for _ in range(2):
        assert "copy 1 of dev v1" in run(shelf, shelf.member.email)
    issue = PackIssue.objects.get()
    assert (issue.state, issue.person, issue.decided_by) == (IssueState.ACTIVE, shelf.member, None)
    assert told() == [("issued", shelf.member.code)]
    with pytest.raises(CommandError, match="NOT_A_MEMBER"):
        run(shelf, UserFactory().email)
    with pytest.raises(CommandError, match="no pack"):
        run(shelf, shelf.member.email, pack="other")


def test_nobody_is_given_a_copy_on_terms_that_they_have_not_accepted(shelf):
    with pytest.raises(TermsNotAccepted):
        copies.issue_to(actor=None, pack=shelf.pack, person=shelf.member, now=NOW)
    assert not PackIssue.objects.exists()


def run(shelf: Shelf, email: str, pack: str = "dev") -> str:
    out = StringIO()
    call_command("issue_pack", shelf.competition.slug, pack, email, stdout=out)
    return out.getvalue()
