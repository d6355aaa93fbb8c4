"""One evaluation from end to end: tallies, score, interval, recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring import __version__, recipe
from grading.scoring.text.normalize import UNICODE_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grading.scoring.tracks.base import Interval, References, Tallies, Track
    from grading.scoring.types import Progress


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Everything one evaluation found.

    `score` is None when it is withheld, for `withheld_reason`; `interval` is None for
    `interval_reason`. `languages` holds the JSON of each language, its interval included.
    """

    track: str
    version: str
    score: float | None
    withheld_reason: str
    interval: tuple[float, float] | None
    interval_reason: str
    seed: int
    phase_code: str
    recipe_digest: str
    components: Mapping[str, float]
    languages: Mapping[str, Mapping[str, Any]]
    tallies: Tallies

    def as_json(self) -> dict[str, Any]:
        """Return the part of the JSON of `score` that comes from scoring."""
        return {
            "track": self.track,
            "version": self.version,
            "scorer": __version__,
            "unicode": dict(UNICODE_VERSIONS),
            "score": self.score,
            "withheld_reason": self.withheld_reason,
            "interval": _interval_json(self.interval),
            "interval_reason": self.interval_reason,
            "seed": self.seed,
            "phase_code": self.phase_code,
            "recipe_digest": self.recipe_digest,
            "components": dict(self.components),
            "languages": {name: dict(part) for name, part in self.languages.items()},
        }


def _interval_json(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def evaluate(
    *,
    track: Track,
    params: Any,
    references: References,
    given: Mapping[str, Any],
    phase_code: str = "",
    seed: int | None = None,
    progress: Progress | None = None,
) -> Evaluated:
    """Score what was `given`: checked predictions, or marks where the track needs them. The seed follows from the recipe and the phase unless it is given.

    A withheld score has no interval; its `interval_reason` is then the reason it is withheld.
    """
    tallies = track.score(references, given, params, progress)
    composed = track.compose(tallies, params)
    digest = recipe.digest(
        track=track.name,
        version=track.version,
        params=track.params_json(params),
        reference_sha256=references.sha256,
    )
    used = recipe.seed(digest, phase_code) if seed is None else seed
    intervals = track.interval(tallies, params, seed=used)
    whole, reason = _pair(intervals["final"])
    if composed.score is None:
        whole, reason = None, composed.withheld_reason
    return Evaluated(
        track=track.name,
        version=track.version,
        score=composed.score,
        withheld_reason=composed.withheld_reason,
        interval=whole,
        interval_reason=reason,
        seed=used,
        phase_code=phase_code,
        recipe_digest=digest,
        components=composed.components,
        languages={
            name: _with_interval(part, intervals[name]) for name, part in composed.languages.items()
        },
        tallies=tallies,
    )


def _pair(interval: Interval) -> tuple[tuple[float, float] | None, str]:
    if interval.low is None or interval.high is None:
        return None, interval.reason
    return (interval.low, interval.high), ""


def _with_interval(part: Mapping[str, Any], interval: Interval) -> dict[str, Any]:
    found, reason = _pair(interval)
    return {**part, "interval": _interval_json(found), "interval_reason": reason}
