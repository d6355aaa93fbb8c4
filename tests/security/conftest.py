"""The world of these tests, made once per process and module, as it was before each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import time_machine
from django.conf import settings
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.factories.grading import NOW
from tests.security.stage import Stage, make_stage


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
        transaction.atomic(),
    ):
        patch.setattr(settings, "PUBLIC_FILES", folder / "files")
        patch.setattr(settings, "HIDDEN_FILES", folder / "hidden")
        yield make_stage()
        transaction.set_rollback(True)


@pytest.fixture
def stage(_standing: Stage, db: None) -> Stage:
    """The world; what a test writes is taken back after it."""
    return _standing
