"""Runs the command line: `python -m grading.scoring`."""

from __future__ import annotations

import sys

try:
    from grading.scoring.cli.main import main
except ModuleNotFoundError as missing:
    if missing.name not in ("numpy", "rapidfuzz"):
        raise
    sys.stderr.write(f"The scorer needs {missing.name}: python -m pip install numpy rapidfuzz\n")
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main())
