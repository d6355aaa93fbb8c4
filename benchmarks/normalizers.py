"""Cost of each normalizer on 10,000 utterances of its language, in CPU seconds; at most 0.5.

Two corpora: ordinary utterances, and `dense` ones, of which every third word is a number. Beside
it, as the peer, the plain rule of the A5S protocol: a loop over the characters with the
interpreter's own tables. Best of five turns; ratios hold on a busy machine too. Prints a table;
--out FILE writes the same as JSON; --check ends with 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.track1 import cpu_seconds
from grading.scoring import normalizers

SEED = 20_261_130
COUNT = 10_000
LIMIT = 0.5
WORDS = {
    "en": [
        "Hello,",
        "world!",
        "don’t",
        "the",
        "people",
        "of",
        "New",
        "York's",
        "well-known",
        "harbor",
        "went",
        "there",
        "and",
        "came",
        "back",
        "after",
        "it",
        "was",
        "all",
        "over,",
        "e.g.",
        "by",
        "train",
    ],
    "yue": [*"我你佢係唔喺度食飯今日去邊呀呢個好多謝，。", " ok ", "meeting", "先"],
    "zh": [*"我们今天去哪里吃饭这是一个很好的问题臺灣，。"],
    "ms": [
        "Buku-buku",
        "itu",
        "dibaca",
        "oleh",
        "orang",
        "Malaysia,",
        "pergi",
        "ke",
        "sekolah",
        "al-Qur'an",
    ],
    "ta": ["அது", "ஒரு", "நாள்", "வேகவைக்கப்பட்ட", "கொ", "மக்கள்", "வந்தனர்.", "இல்", "என்று,", "வெள்ளை"],
}
NUMBERS = {
    "en": ["twenty", "one", "hundred", "thousand", "first", "1,000", "20th", "1.5", "point"],
    "yue": ["三百五", "廿", "千五", "3百", "百分之五十", "十二蚊", "$300"],
    "zh": ["三百五", "两千六", "十三万五", "二零二四", "百分之五十"],
    "ms": ["1,000", "25%", "RM3.50", "2024"],
    "ta": ["1,000", "௧௦", "1999", "3.5", "௲", "1,00,000"],
}
LENGTHS = {"en": 20, "yue": 30, "zh": 30, "ms": 15, "ta": 12}
GLUE = {"yue": "", "zh": ""}


def make_texts(language: str, *, dense: bool) -> list[str]:
    """Return utterances; a number stands for every third word, or every twentieth."""
    rng = random.Random(SEED)  # noqa: S311 - a benchmark's corpus
    share = 1 / 3 if dense else 1 / 20
    return [
        GLUE.get(language, " ").join(
            rng.choice((NUMBERS if rng.random() < share else WORDS)[language])
            for _ in range(LENGTHS[language])
        )
        for _ in range(COUNT)
    ]


def plain(text: str) -> str:
    """Return what the rule of the A5S protocol gives, written plainly."""
    text = unicodedata.normalize("NFKC", text).lower()
    kept = (" " if not (c.isalnum() or c.isspace()) else c for c in text if c not in "'’`")
    return " ".join("".join(kept).split())


def work(change: Callable[[str], str], texts: Iterable[str]) -> Callable[[], object]:
    """Return the work of one turn."""
    return lambda: [change(text) for text in texts]


def run() -> dict[str, dict[str, float]]:
    """Return CPU seconds per normalizer: ordinary, dense, and the plain rule on the same texts."""
    found = {}
    for name in normalizers.names():
        normalizer = normalizers.get(name)
        language = normalizer.languages[0]
        ordinary, dense = make_texts(language, dense=False), make_texts(language, dense=True)
        seconds = cpu_seconds(
            work(normalizer.text, ordinary), work(normalizer.text, dense), work(plain, ordinary)
        )
        found[name] = dict(zip(("ordinary", "dense", "plain"), seconds, strict=True))
    return found


def main() -> None:
    """Run, print the table, write JSON where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--check", action="store_true", help="end with 1 when a bound is missed")
    options = parser.parse_args()
    found = run()
    print(f"{COUNT:,} utterances, CPU s (bound {LIMIT}), Python {platform.python_version()}")
    print(f"{'normalizer':<14}{'ordinary':>9}{'dense':>9}{'plain':>9}{'ratio':>9}")
    for name, row in found.items():
        ratio = row["ordinary"] / row["plain"]
        print(f"{name:<14}" + "".join(f"{s:>9.3f}" for s in (*row.values(), ratio)))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    worst = max(seconds for row in found.values() for seconds in (row["ordinary"], row["dense"]))
    if options.check and worst > LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
