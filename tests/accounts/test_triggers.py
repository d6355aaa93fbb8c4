from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection, connections, models

from accounts import guards, triggers
from accounts.evidence import tables
from accounts.models import AuditChain, AuditEvent
from accounts.services import audit

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def record() -> None:
    audit.record(kind="thing.done", actor=None, target="thing:1", payload={}, now=NOW)


@pytest.mark.django_db
def test_migrate_has_installed_every_trigger() -> None:
    assert triggers.triggers_missing() == []


@pytest.mark.django_db
def test_dropped_triggers_are_named_and_installed_again() -> None:
    triggers.drop()
    guarded = len(list(guards.triggers(connection)))
    assert guarded
    assert len(triggers.triggers_missing()) == 3 * len(list(tables())) + guarded
    triggers.install()
    assert triggers.triggers_missing() == []


@pytest.mark.django_db
def test_installing_twice_changes_nothing(django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(len(list(tables())) + 3) as queries:
        triggers.install()
    assert not [query for query in queries if "CREATE" in query["sql"]]


@pytest.mark.django_db
@pytest.mark.postgres
def test_a_trigger_that_is_switched_off_is_missing_and_comes_back() -> None:
    name = "plaudit_keep_accounts_auditevent_delete"
    connection.cursor().execute(f"ALTER TABLE accounts_auditevent DISABLE TRIGGER {name}")
    assert triggers.triggers_missing() == [name]
    triggers.install()
    assert triggers.triggers_missing() == []


@pytest.mark.django_db
@pytest.mark.sqlite
def test_a_trigger_that_does_nothing_is_missing_and_comes_back() -> None:
    name = "plaudit_keep_accounts_auditevent_delete"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}")
        cursor.execute(
            f"CREATE TRIGGER {name} BEFORE DELETE ON accounts_auditevent BEGIN SELECT 1; END"
        )
    assert triggers.triggers_missing() == [name]
    triggers.install()
    assert triggers.triggers_missing() == []


@pytest.mark.django_db(transaction=True)
def test_triggers_survive_a_table_rebuilding_migrate() -> None:
    record()
    field = models.CharField(max_length=65, blank=True)
    field.set_attributes_from_name("kind")
    old = AuditEvent._meta.get_field("kind")
    with connection.schema_editor() as editor:
        editor.alter_field(AuditEvent, old, field, strict=True)
    if connection.vendor == "sqlite":
        assert triggers.triggers_missing() != []
    call_command("migrate", verbosity=0)
    assert triggers.triggers_missing() == []
    with connection.schema_editor() as editor:
        editor.alter_field(AuditEvent, field, old, strict=True)
    call_command("migrate", verbosity=0)
    assert triggers.triggers_missing() == []
    assert audit.verify().ok


@pytest.mark.django_db(transaction=True)
def test_a_transactional_test_may_leave_evidence_behind() -> None:
    record()
    assert AuditChain.objects.get().count == 1


@pytest.mark.django_db(transaction=True)
def test_the_next_one_finds_none_and_every_trigger() -> None:
    assert not AuditEvent.objects.exists()
    assert triggers.triggers_missing() == []


@pytest.mark.postgres
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_concurrent_appends_give_one_unbroken_chain() -> None:
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        try:
            for _ in range(10):
                record()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verdict = audit.verify()
    assert verdict.ok
    assert [chain.count for chain in verdict.chains] == [80]
