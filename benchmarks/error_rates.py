"""Cost of error rates and of their bootstrap, each against the plain thing, in one run.

CPU seconds of this process, every ratio over works that take turns, so it holds on a busy machine:
  - counts and totals of 10,000 pairs of 20 words, and of their characters,
    against plain rapidfuzz on the same tokens                              at most 1.3
  - 100 systems compared on 10,000 clips, 10,000 resamples, against drawing,
    counting and one floating-point product in numpy                        at most 1.5
  - one pair of 10,000 words: seconds, and memory of a process of its own   under 1 s, 200 MB
Prints a table; --out FILE writes the same as JSON; --check ends with 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from grading.scoring.metrics.error_rates import Column, Unit, count_all
from grading.scoring.tracks.asr_tallies import ErrorTallies, Part
from grading.scoring.tracks.asr_wer import TRACK

SEED = 20_261_130
ROOT = Path(__file__).resolve().parent.parent
LIMITS = {"words": 1.3, "characters": 1.3, "paired": 1.5, "meeting_s": 1.0, "meeting_mb": 200.0}
PAIRS, WORDS = 10_000, 20
SYSTEMS, CLIPS, REPLICATES = 100, 10_000, 10_000
PLAIN_ROWS = 100  # replicates counted before each product
Pairs = tuple[list[Any], list[Any]]


def make_texts(count: int, words: int) -> tuple[list[str], list[str]]:
    """Return references and what was heard of them: one word in ten is another one."""
    rng = random.Random(SEED)  # noqa: S311 - a benchmark's corpus
    known = [a + b + c for a in "bdfgk" for b in ("a", "en", "iro") for c in ("t", "lu", "")]
    wanted = [[rng.choice(known) for _ in range(words)] for _ in range(count)]
    heard = [[w if rng.random() > 0.1 else rng.choice(known) for w in text] for text in wanted]
    return [" ".join(text) for text in wanted], [" ".join(text) for text in heard]


def plain_distances(pairs: Pairs) -> tuple[int, int]:
    """Add up distances and lengths as anybody would."""
    edits = length = 0
    for reference, hypothesis in zip(*pairs, strict=True):
        edits += Levenshtein.distance(reference, hypothesis)
        length += len(reference)
    return edits, length


def our_counts(pairs: Pairs) -> tuple[int, int]:
    """Count as the tracks do."""
    total = count_all(*pairs).total
    return total.edits, total.reference_length


def cpu_seconds(*works: Callable[[], object], repeats: int) -> list[float]:
    """Return the least CPU time of each work; they take turns, so that a busy spell hits all."""
    best = [math.inf] * len(works)
    for _ in range(repeats):
        for index, work in enumerate(works):
            start = time.process_time()
            work()
            best[index] = min(best[index], time.process_time() - start)
    return best


def against_rapidfuzz(pairs: Pairs) -> dict[str, float]:
    """Return seconds of both ways and their ratio; both must give the same totals."""
    if plain_distances(pairs) != our_counts(pairs):
        sys.exit("the totals differ")
    plain, ours = cpu_seconds(lambda: plain_distances(pairs), lambda: our_counts(pairs), repeats=15)
    return {"plain_s": plain, "ours_s": ours, "ratio": ours / plain}


def make_systems() -> list[ErrorTallies]:
    """Return tallies of systems on the same clips."""
    rng = np.random.default_rng(SEED)
    lengths = rng.integers(5, 60, CLIPS).tolist()
    utt_ids = [f"u{index:05d}" for index in range(CLIPS)]
    rates = np.linspace(0.05, 0.4, SYSTEMS)
    columns = [Column(rng.binomial(lengths, rate).tolist(), lengths, lengths) for rate in rates]
    return [ErrorTallies((Part("en", "", utt_ids, {Unit.WER: one}),)) for one in columns]


def plain_product(
    edits: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return resampled rates by a plain product of counts: numpy's own draws, floats throughout."""
    rng = np.random.default_rng(SEED)
    columns = np.vstack([edits, lengths]).T.astype(np.float64)
    found = []
    for _ in range(0, REPLICATES, PLAIN_ROWS):
        drawn = rng.integers(0, CLIPS, (PLAIN_ROWS, CLIPS), dtype=np.int32)
        counts = [np.bincount(row, minlength=CLIPS) for row in drawn]
        found.append(np.array(counts, dtype=np.float64) @ columns)
    sums = np.concatenate(found)
    return sums[:, :-1] / sums[:, -1:]


def against_product() -> dict[str, float]:
    """Return seconds of both comparisons and their ratio."""
    systems = make_systems()
    params = TRACK.params({})
    counts = [system.parts[0].counts[Unit.WER] for system in systems]
    edits, lengths = np.array([one.edits for one in counts]), np.array(counts[0].reference_lengths)
    plain, ours = cpu_seconds(
        lambda: plain_product(edits, lengths),
        lambda: TRACK.paired(systems[0], systems[1:], params, seed=SEED),
        repeats=3,
    )
    return {"plain_s": plain, "ours_s": ours, "ratio": ours / plain}


# The peak since the program began, not since its parent did, where Linux tells it.
MEETING = """
import pathlib, re, resource, sys, time
from grading.scoring.cli.main import main
start = time.process_time()
main(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = pathlib.Path("/proc/self/status")
if status.exists():
    peak = int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1])
print(time.process_time() - start, peak / 1024, file=sys.stderr)
"""


def meeting() -> dict[str, float]:
    """Score one pair of 10,000 words from files, in a process of its own."""
    wanted, heard = make_texts(1, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, (text,) in (("reference", wanted), ("submission", heard)):
            path = Path(folder) / f"{name}.jsonl"
            path.write_text(json.dumps({"utt_id": "meeting", "text": text}), encoding="utf-8")
            files += [f"--{name}", str(path)]
        words = ["score", "error-rate", *files, "--unit", "wer", "--with", "a5s-1", "--json"]
        runs = [_meeting(words) for _ in range(3)]
    return {
        "seconds": statistics.median(seconds for seconds, _ in runs),
        "megabytes": max(peak for _, peak in runs),
    }


def _meeting(words: Sequence[str]) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", MEETING, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    if json.loads(done.stdout)["reference_length"] != 10_000:
        sys.exit("the meeting was not scored")
    seconds, peak = map(float, done.stderr.split())
    return seconds, peak


def run() -> dict[str, Any]:
    """Measure everything; return figures, ratios and bounds."""
    texts = make_texts(PAIRS, WORDS)
    words: Pairs = tuple([text.split() for text in side] for side in texts)  # type: ignore[assignment]
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "words": against_rapidfuzz(words),
        "characters": against_rapidfuzz(texts),
        "paired": against_product(),
        "meeting": meeting(),
        "limits": LIMITS,
    }


def rows(found: dict[str, Any]) -> list[tuple[str, float, float, float]]:
    """Return (what, CPU seconds, figure, bound) per promise."""
    said = {
        "words": "10,000 pairs, words / rapidfuzz",
        "characters": "10,000 pairs, characters / rapidfuzz",
        "paired": "100 systems x 10,000 clips / product",
    }
    table = [
        (text, found[key]["ours_s"], found[key]["ratio"], LIMITS[key]) for key, text in said.items()
    ]
    seconds, peak = found["meeting"]["seconds"], found["meeting"]["megabytes"]
    return [
        *table,
        ("meeting of 10,000 words, s", seconds, seconds, LIMITS["meeting_s"]),
        ("meeting of 10,000 words, MB", seconds, peak, LIMITS["meeting_mb"]),
    ]


def main() -> None:
    """Run, print the table, write JSON where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--check", action="store_true", help="end with 1 when a bound is missed")
    options = parser.parse_args()
    found = run()
    print(f"{'what':<40}{'CPU s':>9}{'figure':>9}{'bound':>9}")
    for what, seconds, figure, bound in rows(found):
        print(f"{what:<40}{seconds:>9.4f}{figure:>9.3f}{bound:>9.2f}")
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if options.check and any(figure > bound for _, _, figure, bound in rows(found)):
        sys.exit(1)


if __name__ == "__main__":
    main()
