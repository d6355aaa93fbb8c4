"""Connections that requests hand on to each other: whole ones only, and no more than are wanted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection

from config.shared_postgresql.base import IDLE, DatabaseWrapper

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def opened(settings):
    """Return a function that opens a connection as a request does; nothing stays behind."""
    settings.DATABASE_POOL = 2

    def forget() -> None:
        while (one := IDLE.take()) is not None:
            one.close()

    forget()
    wrappers = []

    def open_one() -> DatabaseWrapper:
        wrappers.append(DatabaseWrapper({**connection.settings_dict}, alias="shared"))
        wrappers[-1].inc_thread_sharing()
        wrappers[-1].ensure_connection()
        return wrappers[-1]

    yield open_one
    for wrapper in wrappers:
        wrapper.close()
    forget()


def process_of(wrapper: DatabaseWrapper) -> int:
    """Return the server process that the connection leads to."""
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def test_the_next_request_gets_the_connection_also_in_another_thread(opened):
    first = opened()
    process = process_of(first)
    first.close()
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(opened).result(timeout=30)
        assert pool.submit(process_of, again).result(timeout=30) == process
    assert process_of(opened()) != process


def test_no_more_are_kept_than_are_wanted(opened):
    several = [opened() for _ in range(4)]
    raw = [one.connection for one in several]
    for one in several:
        one.close()
    assert [one.closed for one in raw] == [False, False, True, True]


def test_a_connection_that_the_server_has_ended_is_not_handed_on(opened):
    ended, other = opened(), opened()
    process = process_of(ended)
    ended.close()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
        assert cursor.fetchone() == (True,)
    assert process_of(opened()) != process


def test_an_open_transaction_goes_to_nobody(opened):
    one = opened()
    one.set_autocommit(False)
    process = process_of(one)
    one.close()
    again = opened()
    assert process_of(again) != process
    assert again.get_autocommit()


def test_a_server_that_is_not_there_is_known_at_once(opened):
    away = DatabaseWrapper({**connection.settings_dict, "PORT": "1"}, alias="away")
    with pytest.raises(OperationalError):
        away.ensure_connection()
