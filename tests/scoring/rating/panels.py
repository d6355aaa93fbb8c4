"""Makers of panels for the tests of their statistics."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from grading.scoring.rating.panel import LanguagePanel, Panel, Rating, SystemRatings
from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.tracks.nvv_t2_marks import Marks

PARAMS = TRACK.params({})
ONE_MARK = TRACK.params({"weights": {"A": 0, "P": 0, "N": 1, "Q": 0, "E": 0}})
TRUE_SCORE = 50.0


def rated(
    seed: int,
    *,
    systems: tuple[str, ...] = ("x", "y"),
    utterances: int = 6,
    raters: int = 5,
    ratings: int = 3,
    both: bool = False,
) -> list[Rating]:
    """Return whole marks of a panel in both languages; `both` lets every rater do both."""
    rng = np.random.default_rng(seed)
    rows = []
    for language in ("en", "zh"):
        for system in systems:
            for number in range(utterances):
                for place in rng.permutation(raters)[:ratings]:
                    a, p = rng.integers(0, 6, 2)
                    rest = rng.integers(1, 6, 3)
                    marks = Marks(*(Fraction(int(mark)) for mark in (a, p, *rest)))
                    rater = f"r{place}" if both else f"{language}-r{place}"
                    rows.append(Rating(system, language, f"{language}{number}", rater, marks))
    return rows


def simulated(
    seed: int,
    *,
    raters: int = 24,
    utterances: int = 80,
    ratings: int = 5,
    spread: tuple[float, float, float] = (0.5, 0.5, 0.8),
) -> tuple[Panel, np.ndarray]:
    """Return a panel of one system whose true mean is 3, and its English marks.

    `spread` is the standard deviation of raters, of utterances, and of what is left.
    """
    rng = np.random.default_rng(seed)
    parts, drawn = [], []
    for place, language in enumerate(("en", "zh")):
        severity = rng.normal(0, spread[0], raters)
        ease = rng.normal(0, spread[1], utterances)
        who = (np.arange(utterances)[:, None] * ratings + np.arange(ratings)) % raters
        noise = rng.normal(0, spread[2], who.shape)
        drawn.append(3 + severity[who] + ease[:, None] + noise)
        marks = np.zeros((*who.shape, 5), dtype=np.int64)
        marks[:, :, 2] = np.rint(100 * drawn[-1])
        names = tuple(f"{number:03d}" for number in range(utterances))
        parts.append(
            LanguagePanel(language, names, {"s": SystemRatings(who + place * raters, marks)})
        )
    groups = tuple(tuple(f"{name}{n}" for n in range(raters)) for name in ("en", "zh"))
    return Panel(groups, tuple(parts)), drawn[0]
