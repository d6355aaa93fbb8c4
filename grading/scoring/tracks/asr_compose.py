"""From tallies of `asr` to the pillar's score, and the same from resampled utterances."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.metrics.error_rates import Unit
from grading.scoring.tracks import asr_params
from grading.scoring.tracks.asr_rates import Resampled, as_float, as_number
from grading.scoring.tracks.asr_tallies import ErrorTallies, add
from grading.scoring.tracks.asr_wer_compose import REFERENCE_WITHOUT_TOKENS
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Composed, Interval

if TYPE_CHECKING:
    from grading.scoring.tracks.asr_params import PillarParams


def compose(tallies: ErrorTallies, params: PillarParams) -> Composed:
    """Return score, components and the one language from tallies."""
    score = exact(tallies, params)
    reason = REFERENCE_WITHOUT_TOKENS if tallies.parts else LANGUAGE_WITHOUT_UTTERANCES
    reason = "" if score is not None else reason
    part: dict[str, Any] = {
        "score": as_number(score),
        "utterances": sum(len(one.utt_ids) for one in tallies.parts),
        "normalizer": params.normalizer,
    }
    for unit in asr_params.UNITS:
        total = add(tallies.parts, unit)
        part[str(unit)] = as_float(total.rate)
        part |= {f"{unit}_{name}": value for name, value in total._asdict().items()}
    if reason:
        part["withheld_reason"] = reason
    components = {str(unit): part[str(unit)] for unit in asr_params.UNITS}
    return Composed(as_number(score), reason, components, {params.language: part})


def points(languages: Mapping[str, Mapping[str, Any]], params: PillarParams) -> dict[str, float]:
    """Return what each rate brings to the score, in points: together the score."""
    part = languages.get(params.language, {})
    rates = {name: part.get(name) for name in params.weights}
    if any(rate is None for rate in rates.values()):
        return {}
    return {
        name: round(100 * float(params.weights[name]) * max(0.0, 1 - float(rate or 0)), 12)
        for name, rate in rates.items()
    }


def intervals(
    tallies: ErrorTallies, params: PillarParams, *, seed: int, replicates: int
) -> dict[str, Interval]:
    """Return the 95 % interval of `final` and of the language, or the reason for none."""
    if not tallies.parts:
        found = Interval(None, None, bootstrap.FEWER_THAN_TWO_CLIPS)
    else:
        drawn = Resampled([tallies], params.measures, seed=seed, replicates=replicates)
        degenerate = drawn.rates(0).degenerate | drawn.rates(1).degenerate
        found = bootstrap.interval(replicated(drawn, params)[0], degenerate[0], drawn.fewest())
    return {"final": found, params.language: found}


def pillar_score(cer: Fraction, mer: Fraction, weights: Mapping[str, Fraction]) -> Fraction:
    """Return 100·(w·max(0, 1−CER) + w·max(0, 1−MER)), exact, in 0 … 100.

    Each rate is held within 1 before they are weighted, so that one bad rate cannot eat the
    other's credit. The weights 0.7 and 0.3 are the source's.

    >>> tenths = {"cer": Fraction(7, 10), "mer": Fraction(3, 10)}
    >>> pillar_score(Fraction(14, 10), Fraction(1, 2), tenths)
    Fraction(15, 1)
    """
    zero = Fraction(0)
    return 100 * (weights["cer"] * max(zero, 1 - cer) + weights["mer"] * max(zero, 1 - mer))


def exact(tallies: ErrorTallies, params: PillarParams) -> Fraction | None:
    """Return the score from pooled tallies; None where the references hold no token."""
    cer, mer = (add(tallies.parts, unit).rate for unit in (Unit.CER, Unit.MER))
    return None if cer is None or mer is None else pillar_score(cer, mer, params.weights)


def replicated(drawn: Resampled, params: PillarParams) -> bootstrap.Floats:
    """Return the score of every replicate of each system, element by element."""
    kept = [
        float(params.weights[str(unit)]) * np.maximum(0.0, 1 - drawn.rates(place).values)
        for place, unit in enumerate(asr_params.UNITS)
    ]
    scores: bootstrap.Floats = 100 * (kept[0] + kept[1])
    return scores
