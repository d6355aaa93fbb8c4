"""The world of these tests, made once per process and module, as it was before each test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import time_machine
from django.conf import settings
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.factories.grading import NOW
from tests.security.stage import Stage, make_stage


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def _standing(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("stage")
    with (
        pytest.MonkeyPatch.context() as patch,
        django_db_blocker.unblock(),
        time_machine.travel(NOW, tick=False),
        taken_back(),
    ):
        patch.setattr(settings, "PUBLIC_FILES", folder / "files")
        patch.setattr(settings, "HIDDEN_FILES", folder / "hidden")
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
