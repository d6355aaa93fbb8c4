"""Runs the command line: `python -m grading.scoring`."""

from __future__ import annotations

import sys

from grading.scoring.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
