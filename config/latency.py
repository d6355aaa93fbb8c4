"""How long this process' requests took: a histogram by kind of address and class of status."""

from __future__ import annotations

import threading
from bisect import bisect_left

from grading.services.measures import Measure, Sample

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
AREAS = (("/api/", "api"), ("/static/", "static"))
Key = tuple[str, str]


class Latencies:
    """Counts requests in buckets of seconds; safe with threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Key, list[int]] = {}
        self._sums: dict[Key, float] = {}

    def note(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        key = (_area(path), f"{status // 100}xx")
        with self._lock:
            counts = self._counts.setdefault(key, [0] * (len(BOUNDS) + 1))
            counts[bisect_left(BOUNDS, seconds)] += 1
            self._sums[key] = self._sums.get(key, 0.0) + seconds

    def measure(self) -> Measure:
        """Return the histogram as it stands."""
        with self._lock:
            found = [(key, list(counts), self._sums[key]) for key, counts in self._counts.items()]
        samples = [sample for one in sorted(found) for sample in _samples(*one)]
        says = "Seconds of server time of this process' requests"
        return Measure("request_seconds", "histogram", says, tuple(samples))


def _samples(key: Key, counts: list[int], total: float) -> list[Sample]:
    labels = (("area", key[0]), ("status", key[1]))
    samples, so_far = [], 0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
        so_far += count
        samples.append(Sample(so_far, (*labels, ("le", bound)), "_bucket"))
    return [*samples, Sample(total, labels, "_sum"), Sample(so_far, labels, "_count")]


def _area(path: str) -> str:
    if path.endswith(("/board/", "/board.json", "/board.csv", "/data.json")):
        return "board"
    return next((area for prefix, area in AREAS if path.startswith(prefix)), "page")


LATENCIES = Latencies()
