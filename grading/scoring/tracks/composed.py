"""Values of a board whose rows are made of the rows of other boards of its competition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from grading.scoring.tracks.base import Track
    from grading.scoring.tracks.columns import Column

PILLAR_WITHOUT_INTERVAL = "PILLAR_WITHOUT_INTERVAL"
HIGHEST_POINTS = 100
_POINTS = frozenset({"points", "0–100"})


@dataclass(frozen=True, slots=True)
class Pillar:
    """One board that a composed one is made of: `track` is the slug of a track in the competition."""

    key: str
    track: str


@dataclass(frozen=True, slots=True)
class PillarScore:
    """What an entrant has on a pillar's board; score None is entered and not final.

    `replicates` are the scores of the bootstrap's replicates, None where the track has none.
    """

    score: float | None
    withheld_reason: str = ""
    low: float | None = None
    high: float | None = None
    replicates: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Entered:
    """An entrant by name, with the pillars that it has entered: a key that is missing was not."""

    name: str
    pillars: Mapping[str, PillarScore]


@dataclass(frozen=True, slots=True)
class ComposedRow:
    """One row of a composed table; score None is withheld for `withheld_reason`."""

    name: str
    score: float | None
    withheld_reason: str
    low: float | None
    high: float | None
    interval_reason: str
    components: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a composed board, its rows in any order. The first one has the key `final`."""

    key: str
    label: str
    columns: tuple[Column, ...]
    rows: tuple[ComposedRow, ...]


def gives_points(track: Track) -> bool:
    """Return whether a track's score can be a pillar's: 0 to 100, more is better, not composed."""
    score = track.columns[0]
    is_better = score.lower_is_better is False
    return is_better and score.unit in _POINTS and not track.is_composed
