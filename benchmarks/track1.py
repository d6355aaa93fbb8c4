"""Cost of Track 1 and of its intervals, against jiwer on the same tagged tokens, in one run.

CPU seconds of this process (best of five turns), so ratios hold on a busy machine too:
  - 10,000 pairs: read and validate both files, align, F1, mNTD, error      at most 3.0 x jiwer
  - 10,000 resamples of the full score over 2,000 utterances                at most 0.6 x jiwer
  - growth of the whole from 1,000 to 100,000 utterances                    exponent at most 1
Prints a table; --out FILE writes the same as JSON; --check ends with 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jiwer

from grading.scoring import registry
from grading.scoring.text.nvv1 import read_transcript
from grading.scoring.tracks.base import Track
from grading.scoring.types import Limits

SEED = 20_250_101
WORDS = [
    a + b
    for a in ["ba", "de", "fi", "go", "hu", "ka", "lo", "mi", "nu", "pe"]
    for b in ["da", "ne", "ri", "so", "tu"]
]
CHARACTERS = [chr(point) for point in range(0x4E00, 0x4E00 + 1500)]
LIMITS = {"pairs": 3.0, "bootstrap": 0.6, "growth": 1.0}
# Timing itself wavers: a fit over three sizes is linear up to this much.
GROWTH_TOLERANCE = 0.05


def make_pairs(count: int, labels: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """Return (utt_id, language, reference, hypothesis): half English, half Mandarin."""
    rng = random.Random(SEED)  # noqa: S311 - a benchmark's corpus
    pairs = []
    for index in range(count):
        language = "en" if index < count // 2 else "zh"
        vocabulary, glue = (WORDS, " ") if language == "en" else (CHARACTERS, "")
        units = [rng.choice(vocabulary) for _ in range(20)]
        tags = sorted((rng.randrange(21), rng.choice(labels)) for _ in range(rng.choice((1, 1, 2))))
        heard = [other for unit in units for other in mishear(unit, rng, vocabulary)]
        guessed = sorted(perturb(tag, rng, labels) for tag in tags if rng.random() > 0.1)
        reference = render(units, tags, glue, "." if language == "en" else "。")
        pairs.append((f"u{index:06d}", language, reference, render(heard, guessed, glue, "")))
    return pairs


def mishear(unit: str, rng: random.Random, vocabulary: list[str]) -> list[str]:
    """Keep a unit, or substitute (5 %), delete (3 %) or double it with another (2 %)."""
    chance = rng.random()
    if chance < 0.05:
        return [rng.choice(vocabulary)]
    if chance < 0.08:
        return []
    return [unit, rng.choice(vocabulary)] if chance < 0.1 else [unit]


def perturb(tag: tuple[int, str], rng: random.Random, labels: tuple[str, ...]) -> tuple[int, str]:
    """Move a tag a little, and now and then take it for another."""
    place = min(20, max(0, tag[0] + rng.choice((-3, -1, 0, 0, 0, 0, 1, 3))))
    return place, tag[1] if rng.random() > 0.1 else rng.choice(labels)


def render(units: list[str], tags: list[tuple[int, str]], glue: str, stop: str) -> str:
    """Write a transcript with its tags."""
    parts: list[str] = []
    start = 0
    for place, label in tags:
        parts += [glue.join(units[start:place]), f"[{label}]"]
        start = place
    parts.append(glue.join(units[start:]) + stop)
    return " ".join(part for part in parts if part)


def as_lines(pairs: list[tuple[str, str, str, str]]) -> tuple[bytes, bytes]:
    """Return the reference file and the submission, as JSON Lines."""
    wanted = [
        {"utt_id": utt_id, "language": language, "text_with_nvvs": text}
        for utt_id, language, text, _ in pairs
    ]
    given = [{"utt_id": utt_id, "text_with_nvvs": text} for utt_id, _, _, text in pairs]
    return tuple(  # type: ignore[return-value]
        "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
        for rows in (wanted, given)
    )


def score_files(track: Track, reference: bytes, submission: bytes) -> Any:
    """Do all that a submission costs except its interval; return the tallies."""
    params = track.params({})
    references = track.references(reference, params)
    checked = track.check(
        submission, ids=dict(references.language_of), params=params, limits=Limits()
    )
    if not checked.report.accepted:
        sys.exit(f"the benchmark's own submission was refused: {checked.report.problems[:3]}")
    tallies = track.score(references, checked.predictions, params)
    track.compose(tallies, params)
    return tallies


def spaced_tokens(text: str, language: str, labels: frozenset[str]) -> str:
    """Return the tagged tokens joined by spaces, as jiwer wants them (a tag has no space)."""
    tokens = read_transcript(text, language, labels).tokens
    return " ".join(token.replace(" ", "_") for token in tokens)


def cpu_seconds(*works: Callable[[], object], repeats: int = 5) -> list[float]:
    """Return the least CPU time of each work; they take turns, so that a busy spell hits all."""
    best = [math.inf] * len(works)
    for _ in range(repeats):
        for index, work in enumerate(works):
            start = time.process_time()
            work()
            best[index] = min(best[index], time.process_time() - start)
    return best


def jiwer_work(
    pairs: list[tuple[str, str, str, str]], labels: frozenset[str]
) -> Callable[[], object]:
    """Return what jiwer has to do: the distances alone, tokens given."""
    wanted = [spaced_tokens(text, language, labels) for _, language, text, _ in pairs]
    given = [spaced_tokens(text, language, labels) for _, language, _, text in pairs]
    return lambda: jiwer.process_words(wanted, given)


def pairs_work(track: Track, pairs: list[tuple[str, str, str, str]]) -> Callable[[], object]:
    """Return reading, validating and scoring."""
    reference, submission = as_lines(pairs)
    return lambda: score_files(track, reference, submission)


def bootstrap_work(track: Track, pairs: list[tuple[str, str, str, str]]) -> Callable[[], object]:
    """Return the three intervals of one system, 10,000 resamples."""
    tallies = score_files(track, *as_lines(pairs))
    params = track.params({})
    return lambda: track.interval(tallies, params, seed=SEED)


def growth(sizes: list[int], seconds: list[float]) -> float:
    """Return the exponent of growth: slope of log seconds over log size, least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(s) for s in seconds]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def run() -> dict[str, Any]:
    """Measure everything; return figures, ratios and bounds."""
    track = registry.get("nvv-t1")
    params = track.params({})
    pairs = make_pairs(10_000, params.labels)
    jiwer_seconds, pair_seconds, bootstrap_seconds = cpu_seconds(
        jiwer_work(pairs, params.label_set),
        pairs_work(track, pairs),
        bootstrap_work(track, make_pairs(2_000, params.labels)),
    )
    sizes = [1_000, 10_000, 100_000]
    works = [pairs_work(track, make_pairs(size, params.labels)) for size in sizes]
    seconds = cpu_seconds(*works, repeats=2)
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "jiwer_seconds": jiwer_seconds,
        "pairs_seconds": pair_seconds,
        "pairs_ratio": pair_seconds / jiwer_seconds,
        "bootstrap_seconds": bootstrap_seconds,
        "bootstrap_ratio": bootstrap_seconds / jiwer_seconds,
        "growth_sizes": sizes,
        "growth_seconds": seconds,
        "growth_exponent": growth(sizes, seconds),
        "limits": LIMITS,
    }


def rows(found: dict[str, Any]) -> list[tuple[str, float, float, float]]:
    """Return (what, CPU seconds, figure, bound) per promise."""
    return [
        ("10,000 pairs / jiwer", found["pairs_seconds"], found["pairs_ratio"], LIMITS["pairs"]),
        (
            "10,000 resamples / jiwer",
            found["bootstrap_seconds"],
            found["bootstrap_ratio"],
            LIMITS["bootstrap"],
        ),
        (
            "growth 1,000 to 100,000",
            found["growth_seconds"][-1],
            found["growth_exponent"],
            LIMITS["growth"] + GROWTH_TOLERANCE,
        ),
    ]


def main() -> None:
    """Run, print the table, write JSON where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--check", action="store_true", help="end with 1 when a bound is missed")
    options = parser.parse_args()
    found = run()
    print(f"jiwer.process_words on 10,000 pairs: {found['jiwer_seconds']:.3f} CPU s")
    print(f"{'what':<28}{'CPU s':>9}{'figure':>9}{'bound':>9}")
    for what, seconds, figure, bound in rows(found):
        print(f"{what:<28}{seconds:>9.3f}{figure:>9.3f}{bound:>9.2f}")
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if options.check and any(figure > bound for _, _, figure, bound in rows(found)):
        sys.exit(1)


if __name__ == "__main__":
    main()
