"""What a simulated rater thinks of a clip: the stand-in's ear, other weights, and a temper of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grading.demo.draws import fraction
from grading.judges.hearing_marks import Fault, Heard
from grading.scoring.tracks.nvv_t2_marks import HIGHEST, LOWEST

# What people mind beside what the ear marks: noise and a flat voice spoil the whole clip for them,
# and a faint sound is still heard by somebody who listens for it.
_MINDED: Mapping[Fault, Mapping[str, float]] = {
    Fault.NOISE: {"P": -0.8, "N": -0.9, "E": -0.9},
    Fault.CLIPPING: {"P": -0.5, "N": -0.6, "E": -0.6},
    Fault.MONOTONE: {"N": -0.4, "E": -0.8},
    Fault.WEAK: {"P": 1.0, "E": 0.4},
    Fault.WRONG_PLACE: {"N": -0.3},
}
_SEVERITY, _NOISE = 0.8, 1.6


@dataclass(frozen=True, slots=True)
class Temper:
    """A simulated rater: the name that their severity and slips follow from, and whether they listen."""

    name: str
    listens: bool = True

    @property
    def severity(self) -> float:
        """How much lower (or higher) than others they mark, within ± 0.4."""
        return _SEVERITY * (fraction(self.name, "severity") - 0.5)

    def marks(self, heard: Heard, *names: str | int) -> dict[str, int]:
        """Return whole marks of a clip; `names` (of the clip, of the time it is heard) fix the slips.

        Who does not listen marks by chance. A is 0 exactly when P is.
        """
        if not self.listens:
            return self._clicked(names)
        marks = {name: self._mark(name, mark, heard, names) for name, mark in heard.marks.items()}
        if heard.marks["A"] == 0:
            return marks | {"A": 0, "P": 0}
        return marks | {"A": max(marks["A"], 1), "P": max(marks["P"], 1)}

    def near(self, expected: Mapping[str, int], *names: str | int) -> dict[str, int]:
        """Return marks of a clip whose marks are known: those, now and then one off."""
        if not self.listens:
            return self._clicked(names)
        return {name: self._near(name, mark, names) for name, mark in expected.items()}

    def exactly(self, asked: Mapping[str, int], *names: str | int) -> dict[str, int]:
        """Return the marks that a trap asks for; who does not listen does not read either."""
        return dict(asked) if self.listens else self._clicked(names)

    def _mark(self, name: str, mark: int, heard: Heard, names: tuple[str | int, ...]) -> int:
        minded = sum(_MINDED.get(fault, {}).get(name, 0.0) for fault, _ in heard.faults)
        slip = _NOISE * (self._turn(name, 1, names) + self._turn(name, 2, names) - 1)
        return _held(name, round(mark + minded - self.severity + slip))

    def _near(self, name: str, mark: int, names: tuple[str | int, ...]) -> int:
        turn = self._turn(name, 0, names)
        if mark == 0 or turn < 0.7:  # noqa: PLR2004  seven of ten are right on it
            return mark
        return _held(name, max(mark + (1 if turn < 0.85 else -1), 1))  # noqa: PLR2004  up or down alike

    def _clicked(self, names: tuple[str | int, ...]) -> dict[str, int]:
        return {name: 1 + int(self._turn(name, 3, names) * HIGHEST) for name in LOWEST}

    def _turn(self, name: str, number: int, names: tuple[str | int, ...]) -> float:
        return fraction(self.name, name, number, *names)


def _held(name: str, mark: int) -> int:
    return min(max(mark, LOWEST[name]), HIGHEST)
