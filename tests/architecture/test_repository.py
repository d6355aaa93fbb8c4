from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, modules, name

READ = re.compile(
    r"""(?:\benv(?:\.\w+)?\(|environ(?:\.get|\.setdefault)?[(\[])\s*["']([A-Z][A-Z0-9_]+)"""
)
OF_OTHERS = {"DJANGO_SETTINGS_MODULE", "PYTEST_XDIST_WORKER"}
MACHINE_PATHS = re.compile(r"(?<![\w.~])/(?:home|Users|root|work)/[\w.]")
UNFINISHED = re.compile(r"#\s*TODO\b|\bTODO:|\bFIXME\b|\bXXX\b")
FOREIGN = ("tests/cases/", "tests/golden/")


def repository_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [ROOT / path for path in listed.stdout.split("\0") if path]
    return [path for path in found if path.is_file() and not name(path).startswith(FOREIGN)]


def texts() -> list[tuple[str, str]]:
    return [
        (name(path), content.decode("utf-8"))
        for path in repository_files()
        if b"\0" not in (content := path.read_bytes())
    ]


def test_every_setting_read_from_the_environment_is_in_the_example() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    listed = set(re.findall(r"^#?\s?([A-Z][A-Z0-9_]+)=", example, re.MULTILINE))
    read = {
        variable
        for path in modules()
        if name(path).partition("/")[0] not in {"plaudit", "scripts"}
        for variable in READ.findall(path.read_text(encoding="utf-8"))
    }
    assert read - listed - OF_OTHERS == set()
    assert listed - read == set()


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, UNFINISHED], ids=["paths", "unfinished"])
def test_no_file_names_a_machine_or_is_unfinished(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line) and path != name(Path(__file__))
    ]
    assert found == []


def test_the_locks_name_no_index() -> None:
    for lock in ROOT.glob("requirements*.txt"):
        assert re.findall(r"index-url|find-links|https?://", lock.read_text(encoding="utf-8")) == []


def test_every_locked_requirement_has_hashes() -> None:
    for lock in ROOT.glob("requirements*.txt"):
        blocks = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
        pinned = [block for block in blocks if re.match(r"[\w.\[\]-]+==", block)]
        assert pinned
        assert [block for block in pinned if "--hash=sha256:" not in block] == []
