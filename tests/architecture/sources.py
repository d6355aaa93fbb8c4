"""Where the code lies that the rules of these tests are about."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("config", "accounts", "competition", "grading", "scripts")
GENERATED = ("/migrations/", "unicode_tables.py")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> list[Path]:
    """Return the modules that people write, the client included, without tests."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    kept = [path for path in found if not any(part in path.as_posix() for part in GENERATED)]
    return sorted([*kept, ROOT / "plaudit", ROOT / "manage.py"])


def suite() -> list[Path]:
    """Return the modules of the tests and benchmarks."""
    return sorted(path for part in ("tests", "benchmarks") for path in (ROOT / part).rglob("*.py"))


def functions(path: Path) -> Iterator[Function]:
    """Yield every function and method of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield node


def name(path: Path) -> str:
    """Return a path as people speak of it."""
    return path.relative_to(ROOT).as_posix()


def templates() -> list[Path]:
    """Return every template."""
    return sorted((ROOT / "templates").rglob("*.html"))
