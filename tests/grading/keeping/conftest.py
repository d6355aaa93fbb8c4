from __future__ import annotations

from pathlib import Path

import pytest
import time_machine

from tests.grading.keeping.stage import LATER


@pytest.fixture(autouse=True)
def _own_installation(settings, tmp_path: Path):
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    settings.PUBLIC_FILES = settings.VAR_DIR / "files"
    settings.HIDDEN_FILES = settings.VAR_DIR / "hidden"
    settings.RECEIPT_KEY_FILE = settings.VAR_DIR / "receipt-key"
    with time_machine.travel(LATER, tick=False):
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where an archive is written."""
    return tmp_path / "kept.zip"
