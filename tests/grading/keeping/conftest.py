from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as django_settings

from accounts.models import ApiToken, User
from grading.models import Submission
from grading.services.keeping import backups, exports
from tests.factories.accounts import UserFactory
from tests.grading.keeping import stage
from tests.grading.keeping.stage import EXPORTED, LATER


@pytest.fixture(autouse=True)
def _own_installation(settings, tmp_path: Path) -> Iterator[None]:
    for name, place in stage.places(tmp_path / "var").items():
        setattr(settings, name, place)
    with time_machine.travel(EXPORTED, tick=False):
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where an archive is written."""
    return tmp_path / "kept.zip"


@dataclass(slots=True)
class Original:
    """An installation that is gone: its archives, and what it said of itself."""

    backup: Path
    competition: Path
    second: Path
    slug: str
    told: dict[str, Any]
    head: tuple[int, str]
    tables: dict[str, str]
    files: dict[str, str]
    receipts: list[str]
    secrets: list[str]
    codes: set[str]
    shared: tuple[str, str]


@pytest.fixture(scope="session")
def original(tmp_path_factory, django_db_setup, django_db_blocker) -> Original:
    """Fill an installation once, keep it in every way, and let it go."""
    folder = tmp_path_factory.mktemp("original")
    with (
        django_db_blocker.unblock(),
        time_machine.travel(LATER, tick=False),
        stage.elsewhere(folder / "var"),
    ):
        UserFactory()  # of no competition
        arena = stage.fill()
        second, entrant = stage.second_of(arena)
        saved = stage.saved_receipts()
        lost = Submission.objects.filter(state="rejected").get().storage_key
        made = Original(
            backup=folder / "backup.zip",
            competition=folder / "competition.zip",
            second=folder / "second.zip",
            slug=arena.competition.slug,
            told=stage.told(arena.competition.slug),
            head=stage.chain_head(arena.competition.slug),
            tables=stage.tables(),
            files=stage.stored_files(),
            receipts=saved,
            secrets=_secrets(),
            codes=set(User.objects.values_list("code", flat=True)),
            shared=(arena.entrant.code, entrant.code),
        )
        backups.make(path=made.backup, now=EXPORTED, portable=True)
        exports.export(competition=second, path=made.second, now=EXPORTED)
        (django_settings.PUBLIC_FILES / lost).unlink()
        found = exports.export(competition=arena.competition, path=made.competition, now=EXPORTED)
        assert found.missing == (lost,)
    return made


def _secrets() -> list[str]:
    """Return what must never be in an export."""
    people = User.objects.values_list("email", "name", "password")
    digests = ApiToken.objects.values_list("digest", flat=True)
    assert digests
    key = django_settings.RECEIPT_KEY_FILE.read_text()
    return [*(text for person in people for text in person), *digests, key]
