from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts import triggers
from accounts.chain import GENESIS, canonical_json, instant, link_hash, link_pieces
from accounts.models import AuditChain, AuditEvent, AuditPrivate
from accounts.services import audit
from tests.factories.accounts import UserFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def record(number: int = 1, scope: str = audit.SITE) -> None:
    audit.record(
        kind="thing.done",
        actor=None,
        target=f"thing:{number}",
        payload={"number": number},
        now=NOW + timedelta(seconds=number),
        scope=scope,
    )


def record_many(count: int, scope: str = audit.SITE) -> None:
    for number in range(1, count + 1):
        record(number, scope)


def test_events_form_a_chain_from_the_first_one() -> None:
    record_many(3)
    events = list(AuditEvent.objects.order_by("number"))
    assert [event.number for event in events] == [1, 2, 3]
    assert [event.previous for event in events] == [GENESIS, events[0].hash, events[1].hash]
    assert audit.head() == (3, events[2].hash)
    assert audit.verify().ok


def test_a_link_hash_can_be_recomputed_from_an_export() -> None:
    record(1)
    event = AuditEvent.objects.get()
    assert event.hash == link_hash(
        {
            "scope": "site",
            "number": 1,
            "kind": "thing.done",
            "actor": "",
            "target": "thing:1",
            "payload": '{"number":1}',
            "at": "2026-12-01T12:00:01.000000Z",
            "previous": GENESIS,
        }
    )


def test_each_competition_has_a_chain_of_its_own() -> None:
    record(1)
    record(2, scope="competition:abc")
    assert [(c.scope, c.count) for c in audit.verify().chains] == [
        ("competition:abc", 1),
        ("site", 1),
    ]


def test_the_actor_is_a_pseudonym_and_the_address_lies_beside_the_chain() -> None:
    user = UserFactory()
    with audit.origin(address="192.0.2.7", user_agent="Browser/1"):
        audit.record(kind="thing.done", actor=user, target="thing:1", payload={}, now=NOW)
    event = AuditEvent.objects.get()
    assert event.actor == user.code
    assert (event.private.address, event.private.user_agent) == ("192.0.2.7", "Browser/1")
    AuditPrivate.objects.all().delete()
    assert audit.verify().ok


def test_a_long_user_agent_is_cut() -> None:
    with audit.origin(address="192.0.2.7", user_agent="x" * 9000):
        record(1)
    assert len(AuditPrivate.objects.get().user_agent) == 256


def test_a_payload_with_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        audit.record(kind="a.b", actor=None, target="", payload={"x": float("nan")}, now=NOW)
    assert not AuditEvent.objects.exists()


def test_canonical_json_is_ascii_with_sorted_keys() -> None:
    assert canonical_json({"b": "é\x00", "a": [1, None]}) == '{"a":[1,null],"b":"\\u00e9\\u0000"}'


def test_events_of_a_failed_block_leave_no_trace() -> None:
    with pytest.raises(RuntimeError):
        record_and_fail(1)
    assert not AuditEvent.objects.exists()
    assert audit.head() == (0, GENESIS)


def test_events_of_a_failed_inner_block_are_dropped_and_the_outer_ones_kept() -> None:
    with audit.audited():
        record(1)
        with pytest.raises(RuntimeError):
            record_and_fail(2)
        record(3)
    assert list(AuditEvent.objects.values_list("target", flat=True)) == ["thing:1", "thing:3"]


def test_the_append_comes_last_in_its_transaction(django_assert_num_queries) -> None:
    record(1)
    with audit.audited():
        record(2)
        assert AuditEvent.objects.count() == 1
        UserFactory()
    assert AuditEvent.objects.count() == 2


def test_appends_to_an_existing_chain_take_few_statements_and_a_savepoint(
    django_assert_num_queries,
) -> None:
    record(1)
    with django_assert_num_queries(3 if connection.vendor == "postgresql" else 5):
        record(2)


@pytest.mark.slow
@given(st.text(), st.text(), st.integers(1, 2**62), st.datetimes(timezones=st.just(UTC)), st.text())
def test_pieces_with_number_and_hash_between_them_are_what_is_hashed(
    actor: str, target: str, number: int, at: datetime, text: str
) -> None:
    link = {"scope": "site", "kind": "x.y", "actor": actor, "target": target}
    payload, previous = canonical_json({"text": text}), GENESIS
    before, between, after = link_pieces(**link, payload=payload, at=at)
    whole = {**link, "payload": payload, "at": instant(at), "number": number, "previous": previous}
    assert f"{before}{number}{between}{previous}{after}" == canonical_json(whole)


@audit.audited()
def record_and_fail(number: int) -> None:
    record(number)
    raise RuntimeError


CHANGES = [
    pytest.param("UPDATE accounts_auditevent SET kind = 'x'", id="update"),
    pytest.param("DELETE FROM accounts_auditevent", id="delete"),
    pytest.param("DELETE FROM accounts_auditchain", id="delete-head"),
    pytest.param("UPDATE accounts_auditchain SET scope = 'other'", id="rename-head"),
]


@pytest.mark.parametrize("sql", CHANGES)
def test_raw_changes_of_evidence_are_refused(sql: str) -> None:
    record(1)
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        connection.cursor().execute(sql)
    assert audit.verify().ok


def test_changes_through_the_orm_are_refused() -> None:
    record(1)
    event = AuditEvent.objects.get()
    event.kind = "x"
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        event.save()
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        AuditEvent.objects.all().update(kind="x")
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        AuditEvent.objects.all()._raw_delete("default")
    assert audit.verify().ok


REPLACEMENTS = [
    pytest.param("id, number, hash", "{id}, 9, 'other'", id="same-id"),
    pytest.param("id, number, hash", "999, 1, 'other'", id="same-number"),
    pytest.param("id, number, hash", "999, 9, '{hash}'", id="same-hash"),
]


@pytest.mark.sqlite
@pytest.mark.parametrize(("columns", "values"), REPLACEMENTS)
def test_an_insert_over_an_existing_event_is_refused(columns: str, values: str) -> None:
    record(1)
    event = AuditEvent.objects.get()
    filled = values.format(id=event.id, hash=event.hash)
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        connection.cursor().execute(
            f"INSERT OR REPLACE INTO accounts_auditevent"  # noqa: S608
            f" ({columns}, chain_id, kind, actor, target, payload, at, previous)"
            f" VALUES ({filled}, {event.chain_id}, 'x', '', '', '', '2026-01-01', '')"
        )
    assert AuditEvent.objects.get().kind == "thing.done"


@pytest.mark.postgres
def test_truncate_is_refused_also_from_a_session_that_poses_as_a_replica() -> None:
    record(1)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for mode in ("origin", "replica"):
            cursor.execute(f"SET LOCAL session_replication_role = {mode}")
            with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
                cursor.execute("TRUNCATE accounts_auditevent CASCADE")
    assert AuditEvent.objects.count() == 1


def altered(sql: str) -> audit.Verdict:
    record_many(5)
    triggers.drop()
    connection.cursor().execute(sql)
    return audit.verify(audit.SITE)


ALTERATIONS = [
    ("UPDATE accounts_auditevent SET payload = '{\"number\":7}' WHERE number = 3", 3, "content"),
    ("UPDATE accounts_auditevent SET actor = 'someone' WHERE number = 2", 2, "content"),
    (
        "UPDATE accounts_auditevent SET at = '2026-12-01 13:00:00+00:00' WHERE number = 2",
        2,
        "content",
    ),
    ("DELETE FROM accounts_auditevent WHERE number = 4", 4, "missing"),
    ("DELETE FROM accounts_auditevent WHERE number = 5", 5, "missing"),
    ("DELETE FROM accounts_auditevent", 1, "missing"),
    ("UPDATE accounts_auditchain SET count = 4", 6, "head"),
]


@pytest.mark.parametrize(("sql", "number", "reason"), ALTERATIONS)
def test_verify_names_the_first_broken_event(sql: str, number: int, reason: str) -> None:
    broken = altered(sql).chains[0].broken
    assert broken is not None
    assert broken.number == number
    assert reason in broken.reason


def test_a_chain_rewritten_as_a_whole_is_told_by_a_pin() -> None:
    record_many(3)
    count, digest = audit.head()
    triggers.drop()
    AuditEvent.objects.all()._raw_delete("default")
    AuditChain.objects.all()._raw_delete("default")
    record_many(2)
    record(7)
    assert audit.verify().ok
    broken = audit.verify(pin=audit.Pin(count, digest)).chains[0].broken
    assert broken == audit.Break(3, "its hash is not the pinned one")


def test_a_pin_holds_while_the_chain_grows() -> None:
    record_many(2)
    pin = audit.Pin(*audit.head())
    record(3)
    assert audit.verify(pin=pin).ok
    assert audit.verify(pin=audit.Pin(0, GENESIS)).ok


def test_a_pin_beyond_the_end_is_a_break() -> None:
    record(1)
    assert not audit.verify(pin=audit.Pin(5, "a" * 64)).ok
    assert not audit.verify("competition:none", audit.Pin(1, "a" * 64)).ok


@pytest.mark.parametrize("text", ["", "3", "x:" + "a" * 64, "3:abc", "-1:" + "a" * 64])
def test_a_pin_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="COUNT:HASH"):
        audit.Pin.parse(text)


def test_the_command_prints_each_chain_with_its_head(capsys) -> None:
    record(1)
    count, digest = audit.head()
    call_command("verify_audit", "--pin", f"{count}:{digest}")
    assert capsys.readouterr().out == f"site: 1 events hold, head 1:{digest}\n"


def test_the_command_ends_with_an_error_at_a_break_or_a_missing_trigger(capsys) -> None:
    altered("DELETE FROM accounts_auditevent WHERE number = 2")
    with pytest.raises(CommandError):
        call_command("verify_audit")
    out = capsys.readouterr().out
    assert "site: BROKEN at event 2: the event is missing" in out
    assert "missing trigger: plaudit_keep_accounts_auditevent_delete" in out


def test_nothing_readable_is_in_a_keyed_hash() -> None:
    assert audit.keyed_hash("a@example.org") == audit.keyed_hash("a@example.org")
    assert audit.keyed_hash("a@example.org") != audit.keyed_hash("b@example.org")
    assert len(audit.keyed_hash("a@example.org")) == 32


def test_payload_text_is_the_hashed_text() -> None:
    audit.record(kind="a.b", actor=None, target="", payload={"b": 1, "a": "é"}, now=NOW)
    assert json.loads(AuditEvent.objects.get().payload) == {"a": "é", "b": 1}


def test_the_command_refuses_a_pin_that_is_none() -> None:
    with pytest.raises(CommandError, match="COUNT:HASH"):
        call_command("verify_audit", "--pin", "3")
