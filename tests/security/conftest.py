"""The world of these tests, made once per process and module, as it was before each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.security.stage import Stage, make_stage
from tests.security.worlds import kept_in, taken_back


@pytest.fixture(scope="module")
def _standing(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with django_db_blocker.unblock(), kept_in(tmp_path_factory.mktemp("stage")):
        yield make_stage()


@pytest.fixture
def db(_standing: Stage) -> Iterator[None]:
    """The world's own transaction, in which every test gets a savepoint.

    The framework's fixture would close the connection, and with it the world, after each test.
    """
    with taken_back():
        yield


@pytest.fixture
def stage(_standing: Stage, db: None) -> Stage:
    """The world; what a test writes is taken back after it."""
    return _standing
