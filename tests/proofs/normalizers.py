"""Every normalizer on 100,000 random texts, on every code point, and on every short numeral.

What is shown: no text raises; normalizing twice, or what was normalized with its blanks, changes
nothing; blanks carry nothing where a normalizer removes them. `./run prove normalizers`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterable

from grading.scoring.normalizers import Normalizer, get, names
from tests.scoring.normalizers import texts

LONGEST = {"numeral": 5, "word": 4}
SHOWN = 5


def faults(normalizer: Normalizer, raws: Iterable[str]) -> list[str]:
    """Return the texts on which a promise fails, escaped."""
    found = []
    for raw in raws:
        spaced, text = normalizer.spaced(raw), normalizer.text(raw)
        # Nothing of most code points stays: then there is nothing to normalize again.
        held = (spaced == text == "") or (
            normalizer.spaced(spaced) == spaced
            and normalizer.text(text) == text
            and normalizer.text(spaced) == text
            and "  " not in spaced
        )
        if not held:
            found.append(ascii(raw))
    return found


def parted(normalizer: Normalizer, raws: Iterable[str]) -> list[str]:
    """Return the texts that become another with blanks between their characters."""
    return [ascii(raw) for raw in raws if normalizer.text(raw) != normalizer.text(" ".join(raw))]


def run(count: int, seed: int) -> dict[str, dict[str, object]]:
    """Return, for each normalizer, how many texts were tried and those that failed."""
    rng = random.Random(seed)  # noqa: S311 - texts of a proof
    given = [texts.random_text(rng) for _ in range(count)]
    given += map(chr, range(sys.maxunicode + 1))
    numerals = [one for n in range(1, LONGEST["numeral"] + 1) for one in texts.every_numeral(n)]
    words = [one for n in range(1, LONGEST["word"] + 1) for one in texts.every_number_word(n)]
    report: dict[str, dict[str, object]] = {}
    for name in names():
        normalizer = get(name)
        own = numerals if normalizer.removes_space else words
        started = time.process_time()
        failed = faults(normalizer, [*given, *own])
        if normalizer.removes_space:
            failed += parted(normalizer, numerals[::7])
        report[name] = {
            "texts": len(given) + len(own),
            "failed": len(failed),
            "first": failed[:SHOWN],
            "cpu_seconds": round(time.process_time() - started, 1),
        }
    return report


def main() -> int:
    """Return 1 when a promise fails on any text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    found = run(given.count, given.seed)
    print(json.dumps(found, indent=1))  # noqa: T201
    return int(any(one["failed"] for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
