"""What requests are counted by: kinds, bounds in seconds, and how many numbers that makes."""

from __future__ import annotations

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PREFIXES = (("/api/", "api"), ("/static/", "static"))
KEYS = tuple(
    (area, f"{digit}xx") for area in ("api", "board", "page", "static") for digit in "12345"
)
BUCKETS = len(BOUNDS) + 1
CELLS = len(KEYS) * (BUCKETS + 1)
"""The numbers of one process: of each kind its buckets, then the sum of its seconds."""
