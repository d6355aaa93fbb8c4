"""Copies of packs together with what follows from them: people are told, and zips get their hashes."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Concat

from accounts.enums import NoticeKind
from accounts.models import User
from accounts.services import audit
from competition.enums import IssueState
from competition.models import Pack, PackIssue
from competition.services import issues, zips
from grading.models import Notice
from grading.services import news

WARN_BEFORE: Final = timedelta(days=3)
TELL_WITHIN: Final = timedelta(hours=1)
"""A copy that was issued on its recipient's own page is told of by the next round."""
HASHING_SECONDS: Final = 3600

log = logging.getLogger(__name__)


def request(*, actor: User, pack: Pack, typed_name: str, now: datetime) -> PackIssue:
    """Ask for a copy; refuses what competition.services.issues.request does."""
    with audit.audited():
        issue = issues.request(actor=actor, pack=pack, typed_name=typed_name, now=now)
        if issue.state == IssueState.ACTIVE:
            news.copy_changed(issue=issue, act="issued", now=now)
    return issue


def issue_to(*, actor: User | None, pack: Pack, person: User, now: datetime) -> PackIssue:
    """Issue a copy to a person who did not ask; refuses what issues.issue_to does."""
    with audit.audited():
        issue = issues.issue_to(actor=actor, pack=pack, person=person, now=now)
        news.copy_changed(issue=issue, act="issued", now=now)
    return issue


def approve(*, actor: User | None, issue: PackIssue, now: datetime) -> PackIssue:
    """Issue a copy that was asked for; refuses what issues.approve does."""
    with audit.audited():
        issued = issues.approve(actor=actor, issue=issue, now=now)
        news.copy_changed(issue=issued, act="issued", now=now)
    return issued


def refuse(*, actor: User | None, issue: PackIssue, reason: str, now: datetime) -> PackIssue:
    """Refuse a copy that was asked for; refuses what issues.refuse does."""
    with audit.audited():
        refused = issues.refuse(actor=actor, issue=issue, reason=reason, now=now)
        news.copy_changed(issue=refused, act="refused", now=now)
    return refused


def revoke(*, actor: User | None, issue: PackIssue, reason: str, now: datetime) -> PackIssue:
    """Take a copy back; refuses what issues.revoke does."""
    with audit.audited():
        revoked = issues.revoke(actor=actor, issue=issue, reason=reason, now=now)
        news.copy_changed(issue=revoked, act="revoked", now=now)
    return revoked


def look_after(*, now: datetime) -> dict[str, int]:
    """Tell people what they were not told yet, and hash the zips of new copies; return how many."""
    return {"told": tell_due(now=now), "hashed": _hash_due(now)}


def tell_due(*, now: datetime) -> int:
    """Tell of copies just issued, and of those that expire within three days; return of how many.

    A copy that was given for no more than these days is not warned of.
    """
    active = PackIssue.objects.filter(state=IssueState.ACTIVE).select_related(
        "competition", "pack", "person"
    )
    fresh = active.filter(decided_at__gt=now - TELL_WITHIN, decided_at__lte=now)
    ending = active.filter(
        expires_at__gt=now,
        expires_at__lte=now + WARN_BEFORE,
        pack__valid_days__gt=WARN_BEFORE.days,
    )
    return _tell(fresh, "issued", now) + _tell(ending, "expires", now)


def _tell(rows: QuerySet[PackIssue], act: str, now: datetime) -> int:
    told = Notice.objects.filter(
        recipient=OuterRef("person"),
        kind=NoticeKind.COPY,
        subject=Concat(Value("copy:"), OuterRef("code"), Value(f":{act}")),
    )
    waiting = list(rows.exclude(Exists(told)).order_by("pk"))
    for issue in waiting:
        news.copy_changed(issue=issue, act=act, now=now)
    return len(waiting)


def _hash_due(now: datetime) -> int:
    """Hash what waits, in one process at a time: a large pack is read for minutes."""
    if not zips.unhashed().exists() or not cache.add("zips", 1, timeout=HASHING_SECONDS):
        return 0
    try:
        return zips.hash_due(now=now)
    except OSError as error:
        log.warning("zips.storage_down", extra={"error": type(error).__name__})
        return 0
    finally:
        cache.delete("zips")
