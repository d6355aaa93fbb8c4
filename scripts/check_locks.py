"""Whether the locked requirements still belong to the .in files; offline. `--write` after locking.

Each lock ends with the SHA-256 of the .in file (and of what it includes) that it was made from.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("requirements", "requirements-dev")
MARK = "# made from: "


def wanted(source: Path) -> str:
    """Return the digest of a .in file's requirements and of the files that it includes."""
    lines = sorted(
        line for raw in source.read_text().splitlines() if (line := raw.split("#")[0].strip())
    )
    parts = [
        wanted(ROOT / included[1])
        if (included := re.fullmatch(r"-r (\S+)", line)) is not None
        else line
        for line in lines
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def stored(lock: Path) -> str:
    """Return the digest that a lock says it was made from, or nothing."""
    last = lock.read_text().rstrip().rsplit("\n", 1)[-1]
    return last.removeprefix(MARK) if last.startswith(MARK) else ""


def write(lock: Path, digest: str) -> None:
    """Note in a lock what it was made from."""
    lines = [line for line in lock.read_text().rstrip().splitlines() if not line.startswith(MARK)]
    lock.write_text("\n".join([*lines, MARK + digest]) + "\n")


def main() -> int:
    """Return 1 when a lock is older than its .in file."""
    stale = []
    for name in NAMES:
        digest, lock = wanted(ROOT / f"{name}.in"), ROOT / f"{name}.txt"
        if "--write" in sys.argv:
            write(lock, digest)
        elif stored(lock) != digest:
            stale.append(lock.name)
    if stale:
        print(f"{', '.join(stale)}: not made from the .in file as it is. Run ./run lock.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
