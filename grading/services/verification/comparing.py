"""What held-out clips say of a public score: differences with intervals, and one rule for the verdict.

Held-out clips and those of the pool are different clips, so the difference is unpaired: both are
resampled on their own, 10,000 times, and the differences of the replicates are sorted (design A26). A
dozen clips cannot rank systems anew; they can say whether a score is lower than the pool promised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grading.enums import Verdict, VerificationState
from grading.models import (
    Evaluation,
    EvaluationTallies,
    Recipe,
    Verification,
    VerificationRun,
    VerifiedEntrant,
)
from grading.ordering import score_key
from grading.scoring import bootstrap, registry
from grading.scoring.recipe import canonical_json
from grading.scoring.tracks.base import Difference
from grading.scoring.tracks.columns import Column
from grading.services import recipes
from grading.services.differences import SIGNIFICANT

PUBLIC, ROTATION = "public", "rotation"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A score with its 95 % interval, each None where there is none."""

    score: float | None
    low: float | None
    high: float | None

    def as_json(self) -> Json:
        """Return the numbers by name."""
        return {"score": self.score, "low": self.low, "high": self.high}


NOTHING = Figure(None, None, None)


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant's row: its scores, the difference held-out minus pool, places, and the verdict.

    `place` is that on the board; `held_out_place` orders the verified entrants by held-out score alone,
    equal scores sharing one. `pool` says which score stands for the pool.
    """

    named: VerifiedEntrant
    run: VerificationRun | None
    latest: VerificationRun | None
    public: Figure
    rotation: Figure
    held_out: Figure
    pool: str
    difference: Figure
    held_out_place: int | None
    verdict: Verdict

    @property
    def figures(self) -> Json:
        """All numbers as they are published."""
        return {
            "public": self.public.as_json(),
            "rotation": self.rotation.as_json(),
            "held_out": self.held_out.as_json(),
            "difference": self.difference.as_json(),
            "pool": self.pool,
        }


def compare(verification: Verification) -> list[Line]:
    """Return a line for each entrant, in the order of the board: from stored numbers alone."""
    named = list(verification.entrants.select_related("entrant__team", "evaluation", "rotation"))
    by_entrant: dict[int, list[VerificationRun]] = {one.pk: [] for one in named}
    runs = VerificationRun.objects.filter(named__in=named).defer("tallies", "problems")
    for run in runs.order_by("-received_at", "-pk"):
        by_entrant[run.named_id].append(run)
    counted = {key: _counting(found) for key, found in by_entrant.items()}
    places = _places(verification.recipe, counted)
    return [
        _line(verification.recipe, one, counted[one.pk], by_entrant[one.pk], places)
        for one in named
    ]


def digest(lines: Sequence[Line]) -> str:
    """Return the SHA-256 of what would be published: who, which output, every number, the verdict."""
    rows = [
        [one.named.code, one.run.code if one.run else None, one.figures, str(one.verdict)]
        for one in lines
    ]
    return hashlib.sha256(canonical_json(rows)).hexdigest()


def verdict_of(difference: Figure, *, lower_is_better: bool) -> Verdict:
    """Return what a difference says: lower where its whole interval lies on the worse side of zero."""
    if difference.low is None or difference.high is None:
        return Verdict.OPEN
    is_worse = difference.low > 0 if lower_is_better else difference.high < 0
    return Verdict.LOWER if is_worse else Verdict.CONSISTENT


def from_pool(named: VerifiedEntrant, tallies: bytes, score: float | None, seed: int) -> Json:
    """Return the difference of a held-out score and the pool's, with its interval, as it is stored.

    The pool's score is the rotation's where there is one, else the public one. Bounds are None where
    either side has none.
    """
    recipe = named.verification.recipe
    pool = named.rotation or named.evaluation
    stored = EvaluationTallies.objects.filter(evaluation=pool).first()
    low = high = None
    if stored is not None and pool.seed:
        low, high = _bounds(recipe, tallies, bytes(stored.data), seed, int(pool.seed))
    delta = None
    if score is not None and pool.score is not None:
        delta = round(score - pool.score, bootstrap.DECIMALS)
    return {
        "score": delta,
        "low": low if delta is not None else None,
        "high": high if delta is not None else None,
        "pool": ROTATION if named.rotation_id else PUBLIC,
    }


def from_first(verification: Verification, lines: Sequence[Line]) -> dict[str, Difference]:
    """Return each other entrant's paired difference from the first one's on the same held-out clips.

    By the entrant's code; empty where fewer than two have a score. It tells a hard set from a weak system.
    """
    ready = [one for one in lines if one.run is not None]
    if len(ready) < 2:  # noqa: PLR2004  nobody to compare with
        return {}
    track = registry.get(verification.recipe.scorer)
    stored = dict(
        VerificationRun.objects.filter(pk__in=[one.run.pk for one in ready if one.run]).values_list(
            "named_id", "tallies"
        )
    )
    tallies = [track.tallies(bytes(stored[one.named.pk] or b"")) for one in ready]
    first = ready[0].run
    found = track.paired(
        tallies[0],
        tallies[1:],
        verification.recipe.read_params,
        seed=int(first.seed) if first is not None and first.seed else 0,
    )
    return {
        one.named.entrant.code: difference for one, difference in zip(ready[1:], found, strict=True)
    }


def differs(difference: Difference) -> bool | None:
    """Return whether a paired difference is told from zero at 0.05; None where it cannot be told."""
    return None if difference.p_value is None else difference.p_value < SIGNIFICANT


def is_outdated(verification: Verification) -> bool:
    """Return whether the phase is scored by another recipe by now: then a new verification is due."""
    live = recipes.live_recipe(verification.phase)
    return live is not None and live.pk != verification.recipe_id


def column_of(recipe: Recipe) -> Column:
    """Return the column of the recipe's score: how it is shown, and which way is better."""
    column: Column = registry.get(recipe.scorer).columns_of(recipe.read_params)[0]
    return column


def _line(
    recipe: Recipe,
    named: VerifiedEntrant,
    run: VerificationRun | None,
    runs: Sequence[VerificationRun],
    places: dict[int, int],
) -> Line:
    told = run.difference if run is not None else {}
    difference = Figure(told.get("score"), told.get("low"), told.get("high"))
    verdict = verdict_of(difference, lower_is_better=bool(column_of(recipe).lower_is_better))
    return Line(
        named=named,
        run=run,
        latest=runs[0] if runs else None,
        public=_figure(named.evaluation),
        rotation=_figure(named.rotation),
        held_out=_figure(run),
        pool=ROTATION if named.rotation_id else PUBLIC,
        difference=difference,
        held_out_place=places.get(named.pk),
        verdict=verdict,
    )


def _counting(runs: Sequence[VerificationRun]) -> VerificationRun | None:
    scored = [one for one in runs if one.state == VerificationState.SCORED]
    return scored[0] if scored else None


def _figure(found: Evaluation | VerificationRun | None) -> Figure:
    return Figure(found.score, found.low, found.high) if found is not None else NOTHING


def _places(recipe: Recipe, counted: dict[int, VerificationRun | None]) -> dict[int, int]:
    keys = {
        key: score_key(recipe, run.score, run.withheld_reason, run.components)
        for key, run in counted.items()
        if run is not None and run.score is not None
    }
    return {key: 1 + sum(other < own for other in keys.values()) for key, own in keys.items()}


def _bounds(
    recipe: Recipe, held_out: bytes, pool: bytes, seed: int, pool_seed: int
) -> tuple[float | None, float | None]:
    """Return the 95 % bounds of the unpaired difference, None where a side cannot be resampled."""
    track, params = registry.get(recipe.scorer), recipe.read_params
    replicated = [
        track.replicates(track.tallies(data), params, seed=one)
        for data, one in ((held_out, seed), (pool, pool_seed))
    ]
    if any(values is None for values in replicated):
        return None, None
    return bootstrap.bounds(replicated[0] - replicated[1])
