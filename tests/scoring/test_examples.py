from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from grading import scoring

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
MODULES = [
    found.name
    for found in pkgutil.walk_packages(scoring.__path__, "grading.scoring.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("scoring.md", 15),
        ("error-rates.md", 8),
        ("latency.md", 20),
        ("selections.md", 12),
        ("pillars.md", 10),
        ("rating.md", 5),
    ],
)
def test_the_pages_on_scoring_hold(page: str, examples: int) -> None:
    found = doctest.testfile(str(DOCS / page), module_relative=False)
    assert found.failed == 0
    assert found.attempted > examples
