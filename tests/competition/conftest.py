from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def hidden_area(settings, tmp_path: Path) -> Path:
    """A hidden area of the test's own."""
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return tmp_path / "hidden"
