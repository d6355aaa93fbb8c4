"""Organizers who load at the same moment: one is first, the others look again."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import AuditEvent
from competition.models import Competition
from grading.models import Board
from grading.services import doorbell, loading
from tests.factories.competition import REFERENCES
from tests.grading.test_loading import DEFINITION, NOW
from tests.grading.test_races import together

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 6


@pytest.fixture
def home(settings, tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    settings.HIDDEN_FILES = tmp_path / "hidden"
    for name in ("dev.jsonl", "final.jsonl"):
        (tmp_path / name).write_bytes(REFERENCES)
    return tmp_path


def titled(title: str, version: int) -> str:
    text = DEFINITION.replace("title: {en: Challenge}", f"title: {{en: {title}}}")
    return text.replace("version: 1\n", f"version: {version}\n", 1)


def load_all(home: Path, version: int) -> list[object]:
    texts = [titled(f"Challenge {number}", version) for number in range(CROWD)]
    plans = [loading.plan(definition_text=text, base_dir=home, now=NOW) for text in texts]
    return together(lambda n: loading.apply(actor=None, plan=plans[n], now=NOW), CROWD)


@pytest.mark.parametrize("is_new", [True, False])
def test_of_plans_for_the_same_state_one_is_written(home, is_new):
    if not is_new:
        made = loading.plan(definition_text=titled("First", 1), base_dir=home, now=NOW)
        loading.apply(actor=None, plan=made, now=NOW)
    before = AuditEvent.objects.filter(kind="competition.loaded").count()
    found = load_all(home, version=2)
    assert found.count("DEFINITION_STALE") == CROWD - 1
    written = Competition.objects.get()
    assert written in found
    assert str(written.texts["en"]["title"]) in written.definition
    assert AuditEvent.objects.filter(kind="competition.loaded").count() == before + 1


def test_a_load_marks_every_board_in_its_own_transaction(home):
    made = loading.plan(definition_text=titled("First", 1), base_dir=home, now=NOW)
    loading.apply(actor=None, plan=made, now=NOW)
    assert set(Board.objects.values_list("wanted", flat=True)) == {0}
    for _twice in range(2):
        made = loading.plan(definition_text=titled("Second", 2), base_dir=home, now=NOW)
        loading.apply(actor=None, plan=made, now=NOW)
        assert set(Board.objects.values_list("wanted", flat=True)) == {1}
