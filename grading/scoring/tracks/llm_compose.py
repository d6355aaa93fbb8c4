"""From tallies of `llm` to the score, and the same from resampled sums."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.tracks import decimals
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Composed
from grading.scoring.tracks.decimals import mean, mean_of_stored, stored, stored_or_none
from grading.scoring.tracks.llm_params import EXTRACTION, JUDGE
from grading.scoring.tracks.llm_tallies import MARK_UNIT
from grading.scoring.tracks.pillars_strata import Replicated, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grading.scoring.tracks.llm_params import LlmParams
    from grading.scoring.tracks.llm_tallies import LlmTallies, Pooled
    from grading.scoring.tracks.pillars_reading import Scale

JUDGE_SCALE_NOT_SET = "JUDGE_SCALE_NOT_SET"
JUDGE_MARKS_MISSING = "JUDGE_MARKS_MISSING"


def judge_share(pooled: Pooled, params: LlmParams) -> Fraction | None:
    """Return what the mean mark is worth, 0 to 1; None without a scale or with a mark missing."""
    mean = pooled.mean_mark
    return None if mean is None or params.scale is None else params.scale.share(mean)


def language_score(pooled: Pooled, params: LlmParams) -> Fraction | None:
    """Return 100·(w·judge + w·F1), exact, in 0 … 100; None where a part that weighs is missing."""
    share = judge_share(pooled, params)
    if share is None and params.weights[JUDGE]:
        return None
    judged = params.weights[JUDGE] * (share or 0)
    return 100 * (judged + params.weights[EXTRACTION] * pooled.counts.f1)


def withheld_reason(pooled: Pooled, params: LlmParams) -> str:
    """Return why a language has no score, empty where it has one."""
    if not pooled.items:
        return LANGUAGE_WITHOUT_UTTERANCES
    if not params.weights[JUDGE]:
        return ""
    if params.scale is None:
        return JUDGE_SCALE_NOT_SET
    return JUDGE_MARKS_MISSING if pooled.missing else ""


def compose(tallies: LlmTallies, params: LlmParams) -> Composed:
    """Return score, components and languages; extraction is told also where the marks are missing.

    Everything is an exact fraction until it is rounded once, to 12 decimals, half to even.
    """
    pooled = {name: tallies.pool(name) for name in params.languages}
    languages = {name: _language_json(part, params) for name, part in pooled.items()}
    components = {
        key: mean_of_stored([part[key] for part in languages.values()])
        for key in (JUDGE, "f1", "precision", "recall")
    }
    reasons = [withheld_reason(part, params) for part in pooled.values()]
    if any(reasons):
        return Composed(None, next(filter(None, reasons)), components, languages)
    scores = [language_score(part, params) or Fraction(0) for part in pooled.values()]
    return Composed(stored(mean(scores)), "", components, languages)


def _language_json(pooled: Pooled, params: LlmParams) -> dict[str, Any]:
    score = language_score(pooled, params) if pooled.items else None
    share = judge_share(pooled, params)
    counts = pooled.counts
    return {
        "score": stored_or_none(score),
        "withheld_reason": withheld_reason(pooled, params),
        "utterances": pooled.items,
        JUDGE: stored_or_none(share),
        "mean_mark": stored_or_none(pooled.mean_mark),
        "marks_missing": pooled.missing,
        "f1": stored(counts.f1),
        "precision": stored(counts.precision),
        "recall": stored(counts.recall),
        **counts._asdict(),
    }


def points(languages: Mapping[str, Mapping[str, Any]], params: LlmParams) -> dict[str, float]:
    """Return what each part brings to the score, in points; empty while a language has no score."""
    factors = {name: 100 * float(params.weights[name]) for name in (JUDGE, EXTRACTION)}
    keys = {JUDGE: JUDGE, EXTRACTION: "f1"}
    return decimals.points(
        languages, params.languages, factors, lambda part, name: part[keys[name]]
    )


def strata(tallies: LlmTallies, params: LlmParams) -> dict[str, bootstrap.Integers] | None:
    """Return what is resampled of each language: TP, FP + FN, the mark above the scale's zero.

    None where the score is withheld.
    """
    if any(withheld_reason(tallies.pool(name), params) for name in params.languages):
        return None
    unit, zero = _unit(params.scale)
    step = unit // MARK_UNIT
    found = {}
    for name in params.languages:
        rows = tallies.of_language(name)
        found[name] = bootstrap.as_columns(
            [(r.tp, r.fp + r.fn, 0 if r.mark is None else r.mark * step - zero) for r in rows]
        )
    return found


def _unit(scale: Scale | None) -> tuple[int, int]:
    """Return how many parts of a mark are counted, and how many of them the scale's zero has."""
    zero = Fraction(0) if scale is None else scale.zero
    unit = lcm(MARK_UNIT, zero.denominator)
    return unit, int(zero * unit)


def score_of(params: LlmParams) -> Callable[[bootstrap.Integers, int], Replicated]:
    """Return what makes a language's score of resampled sums.

    Element-wise arithmetic only, so that the bytes do not depend on the machine.
    """
    unit, _ = _unit(params.scale)
    judge, extraction = (float(params.weights[name]) for name in (JUDGE, EXTRACTION))
    span = 1.0 if params.scale is None else float(params.scale.highest - params.scale.zero)

    def of(sums: bootstrap.Integers, items: int) -> Replicated:
        tp, missed, marks = sums
        f1, empty = ratio(2 * tp, 2 * tp + missed, worst=0.0)
        share = np.minimum(marks / (items * unit) / span, 1.0) if judge else 0 * f1
        degenerate = empty if extraction else np.zeros(len(f1), dtype=np.bool_)
        return Replicated(100 * (judge * share + extraction * f1), degenerate)

    return of
