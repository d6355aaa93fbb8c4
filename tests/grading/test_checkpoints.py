"""Signed heads: once per growth, and a log that was written anew does not get past them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from accounts import triggers
from accounts.chain import GENESIS, instant, link_hash
from accounts.models import AuditChain, AuditCheckpoint, AuditEvent
from accounts.services import audit
from competition.enums import BoardAct
from competition.models import BoardChange
from grading import tasks
from grading.models import Board
from grading.services import administration, checkpoints, standings
from tests.factories.competition import NOW, PhaseFactory, RoleGrantFactory
from tests.factories.grading import make_arena

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings, tmp_path) -> None:
    settings.RECEIPT_KEY_FILE = tmp_path / "key"


SCOPE = "competition:abc"


def record(number: int, scope: str = SCOPE) -> None:
    audit.record(
        kind="thing.done", actor=None, target=f"thing:{number}", payload={}, now=NOW, scope=scope
    )


def write_anew(first: int, scope: str = SCOPE) -> None:
    """Change an event and compute every hash after it anew, as somebody with all rights could."""
    connection.check_constraints()  # PostgreSQL alters no table while checks wait for the commit
    triggers.drop()
    try:
        chain = AuditChain.objects.get(scope=scope)
        previous = GENESIS
        for row in chain.events.order_by("number"):
            if row.number == first:
                row.target = "thing:forged"
            row.previous = previous
            row.hash = previous = link_hash(
                {
                    "scope": scope,
                    "number": row.number,
                    "kind": row.kind,
                    "actor": row.actor,
                    "target": row.target,
                    "payload": row.payload,
                    "at": instant(row.at),
                    "previous": row.previous,
                }
            )
            row.save()
        AuditChain.objects.filter(pk=chain.pk).update(head=previous)
        connection.check_constraints()
    finally:
        triggers.install()


def test_a_head_is_signed_once_per_growth() -> None:
    # Making the key is the site's first event.
    assert [one.chain.scope for one in checkpoints.take(now=NOW)] == ["site"]
    record(1)
    record(2, scope="competition:another")
    assert [one.count for one in checkpoints.take(now=NOW)] == [1, 1]
    assert checkpoints.take(now=NOW + timedelta(minutes=10)) == []
    record(3)
    assert [one.chain.scope for one in checkpoints.take(now=NOW)] == [SCOPE]
    newest = checkpoints.latest(SCOPE)
    assert newest is not None
    assert (newest.count, newest.head) == audit.head(SCOPE)
    assert checkpoints.doubtful() == []


def test_a_log_written_anew_does_not_get_past_a_signed_head() -> None:
    for number in range(1, 6):
        record(number)
        if number == 3:
            checkpoints.take(now=NOW)
    write_anew(first=2)
    (chain,) = audit.verify(SCOPE).chains
    assert chain.broken is not None
    assert (chain.broken.number, chain.broken.reason) == (3, "its hash is not the pinned one")


def test_what_came_after_the_last_signed_head_is_all_that_could_be_forged() -> None:
    for number in range(1, 4):
        record(number)
    checkpoints.take(now=NOW)
    record(4)
    write_anew(first=4)
    assert audit.verify(SCOPE).ok
    write_anew(first=3)
    assert not audit.verify(SCOPE).ok


def test_events_that_are_cut_off_are_missed() -> None:
    for number in range(1, 4):
        record(number)
    checkpoints.take(now=NOW)
    connection.check_constraints()
    triggers.drop()
    events = AuditEvent.objects.filter(chain__scope=SCOPE)
    events.filter(number=3).delete()
    second = events.get(number=2)
    AuditChain.objects.filter(scope=SCOPE).update(count=2, head=second.hash)
    connection.check_constraints()
    triggers.install()
    (chain,) = audit.verify(SCOPE).chains
    assert chain.broken is not None
    assert "the pin names 3 events" in chain.broken.reason


def test_a_checkpoint_that_says_otherwise_is_doubtful() -> None:
    record(1)
    checkpoints.take(now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditCheckpoint.objects.update(head="0" * 64)
    row = AuditCheckpoint.objects.get(chain__scope=SCOPE)
    row.head = "0" * 64
    assert [one.outcome for one in checkpoints.doubtful([row])] == ["says_otherwise"]
    row.signed["statement"]["head"] = "0" * 64
    assert [one.outcome for one in checkpoints.doubtful([row])] == ["wrong_signature"]


def test_publishing_a_board_signs_the_log() -> None:
    phase = PhaseFactory()
    organizer = RoleGrantFactory(competition=phase.track.competition).user
    administration.change_board(
        actor=organizer, phase=phase, act=BoardAct.FREEZE, reason="the end is near", now=NOW
    )
    scope = phase.track.competition.audit_scope
    newest = checkpoints.latest(scope)
    assert newest is not None
    assert (newest.count, newest.head) == audit.head(scope)
    assert BoardChange.objects.count() == 1


def test_a_board_shows_the_head_that_anybody_can_pin_and_the_newest_signed_one(client):
    arena = make_arena()
    standings.rebuild(board_id=Board.objects.get_or_create(phase=arena.phase)[0].pk, now=NOW)
    scope = arena.competition.audit_scope
    record(1, scope)
    signed = audit.head(scope)
    checkpoints.take(now=NOW, scope=scope)
    record(2, scope)
    names = [arena.competition.slug, arena.track.slug, arena.phase.slug]
    text = client.get(reverse("grading:board", args=names)).content.decode()
    for count, head in (signed, audit.head(scope)):
        assert f"{count}:{head}" in text
        audit.Pin.parse(f"{count}:{head}")


def test_every_ten_minutes_the_heads_are_asked_for(settings) -> None:
    plan = settings.CELERY_BEAT_SCHEDULE["checkpoint"]
    assert (plan["task"], plan["schedule"]) == ("grading.checkpoint", 600.0)
    record(1)
    assert tasks.sign_heads() >= 1
    assert AuditCheckpoint.objects.filter(chain__scope=SCOPE).count() == 1
    assert tasks.sign_heads() == 0
