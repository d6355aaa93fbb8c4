"""Where acts came from is kept for a year; the log holds without it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import AuditPrivate
from accounts.services import audit, retention

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def act(days: int) -> None:
    with audit.origin(address="203.0.113.7", user_agent="A browser"):
        audit.record(
            kind="notices.chosen",
            actor=None,
            target="x",
            payload={},
            now=NOW - timedelta(days=days),
        )


def test_after_a_year_nobody_reads_where_an_act_came_from() -> None:
    for days in (400, 366, 364, 0):
        act(days)
    assert retention.forget_origins(now=NOW) == 2
    assert retention.forget_origins(now=NOW) == 0
    kept = AuditPrivate.objects.order_by("event__number").values_list("address", "user_agent")
    assert list(kept) == [("", "")] * 2 + [("203.0.113.7", "A browser")] * 2
    assert not any(chain.broken for chain in audit.verify().chains)


def test_no_call_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    for _ in range(3):
        act(500)
    assert [retention.forget_origins(now=NOW) for _ in range(3)] == [2, 1, 0]
