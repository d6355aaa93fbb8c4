"""Whole marks whose scores are known exactly, for the tests of the final board."""

from __future__ import annotations

from fractions import Fraction

from grading.scoring.rating.final import System
from grading.scoring.rating.panel import Rating
from grading.scoring.tracks.nvv_t2_marks import Marks

JUDGED = 125
RATED = 25
RATERS = 5
LANGUAGES = ("en", "zh")
POINTS = {"A": 6, "P": 5, "N": 3, "Q": 3, "E": 3}
"""What one mark more of 125 is worth in hundredths of a point of the score: its weight, 25 / 125."""


def marks_for(score: str) -> list[Marks]:
    """Return 125 whole marks, none of them 0, whose mean gives exactly this score of two decimals."""
    left = int(Fraction(score) * 100) - 5000
    steps = dict.fromkeys(POINTS, 0)
    for name in ("A", "P", "N"):
        most = 240
        steps[name] = max(-most, min(most, round(left / POINTS[name])))
        left -= steps[name] * POINTS[name]
    for name, more in {1: {"P": 2, "N": -3}, 2: {"P": 1, "N": -1}}.get(left % 3, {}).items():
        steps[name] += more
        left -= more * POINTS[name]
    steps["Q"] += left // 3
    columns = [_column(steps[name]) for name in POINTS]
    return [Marks(*map(Fraction, row)) for row in zip(*columns, strict=True)]


def _column(steps: int) -> list[int]:
    """Return 125 marks of 3 on the mean, moved by so many steps in all, each by two at most.

    What was not moved is 2 and 4 in turn: nobody marks everything alike.
    """
    sign, size = (1, steps) if steps >= 0 else (-1, -steps)
    marks = [3 + sign * max(0, min(2, size - 2 * place)) for place in range(JUDGED)]
    same = [place for place, mark in enumerate(marks) if mark == 3]
    for low, high in zip(same[::2], same[1::2], strict=False):
        marks[low], marks[high] = 2, 4
    return marks


def utterances(language: str, count: int = JUDGED) -> list[str]:
    return [f"{language}_{number:03d}" for number in range(count)]


def judged(scores: dict[str, str]) -> dict[str, dict[str, Marks]]:
    """Return the judge's marks of one system by language, 125 utterances each."""
    return {
        name: dict(zip(utterances(name), marks_for(score), strict=True))
        for name, score in scores.items()
    }


def rated(system: str, scores: dict[str, str]) -> list[Rating]:
    """Return five ratings of each of 25 utterances by language; raters are of one language."""
    rows = []
    for language, score in scores.items():
        for place, marks in enumerate(marks_for(score)):
            utt_id = utterances(language)[place % RATED]
            rows.append(Rating(system, language, utt_id, f"{language}-r{place // RATED}", marks))
    return rows


def both(score: str) -> dict[str, str]:
    return dict.fromkeys(LANGUAGES, score)


def system(name: str, score: str, *, is_rated: bool = True, official: bool = True) -> System:
    return System(name, judged(both(score)), is_rated=is_rated, official=official)
