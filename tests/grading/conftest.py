"""Every test of grading keeps its files to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories.grading import Arena, make_arena


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path: Path) -> None:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"


@pytest.fixture
def arena(db) -> Arena:
    """An open phase with hidden references and one accepted entrant."""
    return make_arena()
