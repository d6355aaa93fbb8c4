"""The scorer as one file for participants: the same bytes for the same source, on any machine."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from grading.scoring import __version__

_PACKAGE = Path(__file__).parent / "scoring"
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip archive can hold
_MODE = 0o100644
_UNIX = 3
_MAIN = b'''"""Runs the scorer: python plaudit-scorer.zip --help"""

from __future__ import annotations

import sys

try:
    from grading.scoring.cli.main import main
except ModuleNotFoundError as missing:
    if missing.name not in ("numpy", "rapidfuzz"):
        raise
    print(
        f"The scorer needs {missing.name}: python -m pip install numpy rapidfuzz", file=sys.stderr
    )
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main())
'''
_README = f"""Plaudit scorer {__version__}

Needs Python 3.11 to 3.13 with numpy and rapidfuzz:

    python -m pip install numpy rapidfuzz

Run it as it is, or unpack it and run the package:

    python plaudit-scorer-{__version__}.zip check nvv-t1 --manifest IDS.json --submission FILE
    python plaudit-scorer-{__version__}.zip score nvv-t1 --reference REF.jsonl --submission FILE
    python plaudit-scorer-{__version__}.zip check nvv-t2 --manifest IDS.json --submission FILE.zip
    python plaudit-scorer-{__version__}.zip score nvv-t2 --reference TEXTS.jsonl --marks MARKS.jsonl
    python -m grading.scoring methodology nvv-t1

It is the code that the server runs: the same problems, the same digits.
"""


def file_name() -> str:
    """Return the name of the archive; it carries the scorer's version."""
    return f"plaudit-scorer-{__version__}.zip"


def build_scorer() -> bytes:
    """Return the archive: sorted members, fixed dates and modes, stored without compression.

    Nothing in it depends on the clock, the file system or the version of zlib.
    """
    members = {
        "LICENSE": (_PACKAGE.parents[1] / "LICENSE").read_bytes(),
        "README.txt": _README.encode(),
        "__main__.py": _MAIN,
        "grading/__init__.py": (_PACKAGE.parent / "__init__.py").read_bytes(),
    }
    for path in _PACKAGE.rglob("*.py"):
        members[f"grading/scoring/{path.relative_to(_PACKAGE).as_posix()}"] = path.read_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(members.items()):
            archive.writestr(_entry(name), data)
    return stream.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _FIRST_DATE)
    entry.create_system = _UNIX
    entry.external_attr = _MODE << 16
    return entry


def write_scorer(folder: Path) -> Path:
    """Write the archive into a folder, which is made if need be; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name()
    path.write_bytes(build_scorer())
    return path
