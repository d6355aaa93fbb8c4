"""Simulated raters for quality control: honest ones with noise, and those who click at random."""

from __future__ import annotations

import numpy as np

from grading.scoring.rating.plans import session_layout
from grading.scoring.rating.quality import Answer
from grading.scoring.rating.settings import DEFAULTS

LOW = np.array([0, 0, 1, 1, 1])
SOUND_MS = 4_000


def rated(true: np.ndarray, noise: float, rng: np.random.Generator) -> tuple[int, ...]:
    """Return marks of somebody who hears `true` with some noise; what is not there is not heard."""
    marks = np.clip(np.rint(true + rng.normal(0, noise, 5)), LOW, 5).astype(int)
    if true[0] == 0:
        marks[:2] = 0
    elif marks[0] == 0 or marks[1] == 0:
        marks[:2] = 0 if marks[:2].sum() <= 1 else np.maximum(marks[:2], 1)
    return tuple(int(mark) for mark in marks)


def clicked(rng: np.random.Generator) -> tuple[int, ...]:
    """Return marks of somebody who clicks anywhere that the form allows."""
    if rng.random() < 1 / 6:
        return (0, 0, *(int(mark) for mark in rng.integers(1, 6, 3)))
    return tuple(int(mark) for mark in rng.integers(1, 6, 5))


def truth(rng: np.random.Generator) -> np.ndarray:
    """Return the marks that a stimulus deserves."""
    marks = rng.integers(LOW, 6).astype(float)
    if marks[0] == 0 or marks[1] == 0:
        marks[:2] = 0
    return marks


class Panel:
    """A pool of stimuli with their truths, controls among them, the same for all raters."""

    def __init__(self, seed: int, stimuli: int = 400) -> None:
        self.rng = np.random.default_rng(seed)
        self.truths = {f"s{number}": truth(self.rng) for number in range(stimuli)}
        self.known = [truth(self.rng) for _ in range(8)]
        self.traps = [truth(self.rng) for _ in range(8)]

    def sessions(self, rater: str, *, noise: float | None, count: int = 2) -> list[Answer]:
        """Return a rater's sessions; without `noise` they click at random, and take their time."""
        order = self.rng.permutation(list(self.truths))
        made: list[Answer] = []
        for number in range(count):
            texts = order[number * DEFAULTS.scored : (number + 1) * DEFAULTS.scored]
            made += self._session(f"{rater}.{number}", rater, list(texts), noise)
        return made

    def _session(
        self, session: str, rater: str, stimuli: list[str], noise: float | None
    ) -> list[Answer]:
        layout = session_layout(
            scored=DEFAULTS.scored,
            traps=DEFAULTS.traps,
            known=DEFAULTS.known,
            repeats=DEFAULTS.repeats,
            seed=session,
        )
        made: list[Answer] = []
        waiting = iter(stimuli)
        for place, kind in enumerate(layout):
            first: tuple[int, ...] = ()
            expected: tuple[int, ...] = ()
            name = ""
            if kind == "scored":
                name = next(waiting)
                true = self.truths[name]
            elif kind == "repeat":
                old = next(one for one in made if one.kind == "scored")
                name, first, true = old.stimulus, old.marks, self.truths[old.stimulus]
            else:
                pool = self.traps if kind == "trap" else self.known
                true = pool[int(self.rng.integers(len(pool)))]
                expected = tuple(int(mark) for mark in true)
            made.append(
                Answer(
                    key=f"{session}.{place}",
                    rater=rater,
                    session=session,
                    kind=kind,
                    stimulus=name,
                    marks=self._marks(kind, true, noise),
                    took_ms=SOUND_MS + int(self.rng.integers(4_000, 20_000)),
                    sound_ms=SOUND_MS,
                    day="2026-12-01",
                    expected=expected,
                    first=first,
                )
            )
        return made

    def _marks(self, kind: str, true: np.ndarray, noise: float | None) -> tuple[int, ...]:
        if noise is None:
            return clicked(self.rng)
        # A trap says what to answer; whoever listens does, but for a slip now and then.
        if kind == "trap":
            return (
                tuple(int(mark) for mark in true) if self.rng.random() > 0.01 else clicked(self.rng)
            )
        return rated(true, noise, self.rng)
