"""From pooled tallies of `nvv-t1` to the score, and the same from resampled sums."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.metrics.events import Counts
from grading.scoring.tally import NvvTallies, Pooled, UtteranceTally, pool
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Composed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from grading.scoring.tracks.nvv_params import NvvParams

STORED_DECIMALS = 12
NTD_SCALE = 2**32
COLUMNS = 6


def language_score(f1: Fraction, mntd: Fraction, error: Fraction, params: NvvParams) -> Fraction:
    """Return 100·(w·F1 + w·(1−mNTD) + w·(1−min(Err, 1))), exact, in 0 … 100.

    The formula and its weights 0.70, 0.20, 0.10 are the challenge's.
    """
    weights = params.weights
    return 100 * (
        weights["f1"] * f1
        + weights["mntd"] * (1 - mntd)
        + weights["error"] * (1 - min(error, Fraction(1)))
    )


def compose(tallies: NvvTallies, params: NvvParams) -> Composed:
    """Return score, components and languages; withheld when a language has no utterance.

    Each language is rounded to 12 decimals, then their mean again: half to even on exact
    fractions. Components are the exact means over the languages.
    """
    pooled = {language: pool(tallies.of_language(language)) for language in params.languages}
    languages = {language: _language_json(part, params) for language, part in pooled.items()}
    if not all(part.utterances for part in pooled.values()):
        return Composed(None, LANGUAGE_WITHOUT_UTTERANCES, {}, languages)
    scores = [_rounded_score(part, params) for part in pooled.values()]
    components = {
        "f1": float(_mean([part.counts.f1 for part in pooled.values()])),
        "mntd": float(_mean([part.mntd for part in pooled.values()])),
        "error_rate": float(_mean([part.error_rate for part in pooled.values()])),
    }
    final = float(round(_mean(scores), STORED_DECIMALS))
    return Composed(final, "", components, languages)


def points(languages: Mapping[str, Mapping[str, Any]], params: NvvParams) -> dict[str, float]:
    """Return what each weighted part brings to the final score, in points: together the score.

    From the JSON of `compose`; empty while a language has no utterance.
    """
    parts = [languages.get(language, {}) for language in params.languages]
    if not all(part.get("utterances") for part in parts):
        return {}
    shares = {
        "f1": [part["f1"] for part in parts],
        "mntd": [1 - part["mntd"] for part in parts],
        "error": [1 - min(part["error_rate"], 1.0) for part in parts],
    }
    return {
        name: round(100 * float(params.weights[name]) * sum(values) / len(values), STORED_DECIMALS)
        for name, values in shares.items()
    }


def _rounded_score(pooled: Pooled, params: NvvParams) -> Fraction:
    exact = language_score(pooled.counts.f1, pooled.mntd, pooled.error_rate, params)
    return round(exact, STORED_DECIMALS)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, start=Fraction(0)) / len(values)


def _language_json(pooled: Pooled, params: NvvParams) -> dict[str, Any]:
    counts = pooled.counts
    return {
        "score": float(_rounded_score(pooled, params)) if pooled.utterances else None,
        "utterances": pooled.utterances,
        "f1": float(counts.f1),
        "precision": float(counts.precision),
        "recall": float(counts.recall),
        **counts._asdict(),
        "mntd": float(pooled.mntd),
        "ntd_utterances": pooled.ntd_utterances,
        "error_rate": float(pooled.error_rate),
        "edits": pooled.edits,
        "reference_tokens": pooled.tokens,
        "labels": {label: _label_json(pooled.labels.get(label)) for label in params.labels},
    }


def _label_json(counts: Counts | None) -> dict[str, Any]:
    """Return the counts of one label; F1 is null for a label that occurs on neither side."""
    if counts is None:
        return {"tp": 0, "fp": 0, "fn": 0, "f1": None}
    return {**counts._asdict(), "f1": float(counts.f1)}


def integer_columns(rows: Sequence[UtteranceTally]) -> bootstrap.Integers:
    """Return what is resampled, one row per tally: TP, FP + FN, round(NTD·2³²), NTD defined,
    edits, tokens."""
    fixed: dict[Fraction | None, int] = {None: 0}
    for row in rows:
        if row.ntd is not None and row.ntd not in fixed:
            fixed[row.ntd] = round(row.ntd * NTD_SCALE)
    return bootstrap.as_columns(
        [(r.tp, r.fp + r.fn, fixed[r.ntd], int(r.ntd is not None), r.edits, r.tokens) for r in rows]
    )


class Replicates(NamedTuple):
    """Scores of the replicates of one language, and which of them met a ratio 0/0."""

    scores: NDArray[np.float64]
    degenerate: NDArray[np.bool_]


def replicate_scores(sums: bootstrap.Integers, params: NvvParams) -> Replicates:
    """Return the language's score of each replicate from its resampled sums.

    A ratio 0/0 takes its worst value: F1 0, mNTD 1, error 1. Element-wise arithmetic only, so
    the bytes do not depend on the machine.
    """
    tp, missed, distance, defined, edits, tokens = sums
    weights = {name: float(weight) for name, weight in params.weights.items()}
    f1 = _divide(2 * tp, 2 * tp + missed, worst=0.0)
    mntd = _divide(distance, defined * NTD_SCALE, worst=1.0)
    error = np.minimum(_divide(edits, tokens, worst=1.0), 1.0)
    scores = 100 * (
        weights["f1"] * f1 + weights["mntd"] * (1 - mntd) + weights["error"] * (1 - error)
    )
    return Replicates(scores, (tp + missed == 0) | (defined == 0) | (tokens == 0))


def _divide(
    numerator: bootstrap.Integers, denominator: bootstrap.Integers, *, worst: float
) -> NDArray[np.float64]:
    empty = denominator == 0
    quotient = numerator / np.where(empty, 1, denominator)
    return np.where(empty, worst, quotient)
