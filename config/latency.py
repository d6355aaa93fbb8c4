"""How long the web server's requests took: a histogram by kind of address and class of status."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from mmap import mmap

from config.buckets import BOUNDS, BUCKETS, CELLS, KEYS, PREFIXES
from grading.services.measures import Measure, Sample

Key = tuple[str, str]


class Latencies:
    """Counts requests in buckets of seconds; safe with threads.

    With `table`, shared memory of CELLS doubles for each process, it writes at `place` and tells the
    sum of all: whichever process is asked, the answer is that of the whole server.
    """

    def __init__(self, table: memoryview[float] | None = None, place: int = 0) -> None:
        self._lock = threading.Lock()
        self._table = memoryview(bytearray(8 * CELLS)).cast("d") if table is None else table
        self._begin = place * CELLS

    def note(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        kind = KEYS.index((_area(path), f"{status // 100}xx"))
        first = self._begin + kind * (BUCKETS + 1)
        with self._lock:
            self._table[first + bisect_left(BOUNDS, seconds)] += 1
            self._table[first + BUCKETS] += seconds

    def measure(self) -> Measure:
        """Return the histogram as it stands."""
        samples = [
            sample
            for key, counts, total in map(self._told, range(len(KEYS)))
            if any(counts)
            for sample in _samples(key, counts, total)
        ]
        says = "Seconds of server time of this web server's requests"
        return Measure("request_seconds", "histogram", says, tuple(samples))

    def _told(self, kind: int) -> tuple[Key, list[int], float]:
        firsts = range(kind * (BUCKETS + 1), len(self._table), CELLS)
        counts = [int(sum(self._table[one + at] for one in firsts)) for at in range(BUCKETS)]
        return KEYS[kind], counts, sum(self._table[one + BUCKETS] for one in firsts)


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
    return next((area for prefix, area in PREFIXES if path.startswith(prefix)), "page")


def of_this_process() -> Latencies:
    """Return the counts of a web server of one process, or of one of several (config.processes)."""
    given = os.environ.pop("PLAUDIT_LATENCIES", "")
    if not given:
        return Latencies()
    handle, place = map(int, given.split(":"))
    return Latencies(memoryview(mmap(handle, 0)).cast("d"), place)


LATENCIES = of_this_process()
