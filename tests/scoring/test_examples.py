from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from grading import scoring

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/scoring.md"
MODULES = [
    found.name
    for found in pkgutil.walk_packages(scoring.__path__, "grading.scoring.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_page_on_scoring_holds() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.failed == 0
    assert found.attempted > 15
