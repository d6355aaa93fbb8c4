"""From tallies of `asr-wer` to rates by language and corpus, and to the one that ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap
from grading.scoring.methodology import N_
from grading.scoring.tracks import asr_rates
from grading.scoring.tracks.asr_rates import (
    CORPUS,
    UTTERANCES,
    Measure,
    Replicates,
    as_float,
    as_number,
)
from grading.scoring.tracks.asr_tallies import add
from grading.scoring.tracks.asr_wer_params import CORPORA, LANGUAGES, POOLED, beside_key
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Composed, Interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grading.scoring.metrics.error_rates import Unit
    from grading.scoring.tracks.asr_tallies import ErrorTallies, Part
    from grading.scoring.tracks.asr_wer_params import ErrorParams

LANGUAGES_INCOMPLETE = "LANGUAGES_INCOMPLETE"
REFERENCE_WITHOUT_TOKENS = "REFERENCE_WITHOUT_TOKENS"
CORPUS_WITHOUT_INTERVAL = "CORPUS_WITHOUT_INTERVAL"
CORPUS_LEVEL, MEAN_OF_UTTERANCES = "corpus-level", "mean-of-utterances"

REASONS: dict[str, str] = {
    LANGUAGES_INCOMPLETE: N_(
        "Results are missing for a language: only systems with every language take a place."
    ),
    REFERENCE_WITHOUT_TOKENS: N_(
        "Nothing is left of the references after normalization, so there is nothing to divide by."
    ),
    CORPUS_WITHOUT_INTERVAL: N_("A corpus has no interval, so the mean has none."),
}


def compose(tallies: ErrorTallies, params: ErrorParams) -> Composed:
    """Return score, components, and the parts: every language, and every corpus that has a name."""
    parts = dict(_parts(tallies, params))
    score = overall(tallies, params)
    components = {
        **{key: part["score"] for key, part in parts.items()},
        **{key: value for part in parts.values() for key, value in part.pop("beside").items()},
        POOLED: as_number(_pooled(tallies, params)),
        CORPUS_LEVEL: as_number(overall(tallies, params, CORPUS)),
        MEAN_OF_UTTERANCES: as_number(overall(tallies, params, UTTERANCES)),
    }
    reason = "" if score is not None else _why_withheld(tallies, params)
    return Composed(as_number(score), reason, components, parts)


def _parts(tallies: ErrorTallies, params: ErrorParams) -> Iterator[tuple[str, dict[str, Any]]]:
    for language, rule in params.languages.items():
        parts = tallies.of(language)
        found = _part_json(parts, params.measure(language))
        found["normalizer"] = rule.normalizer
        found["beside"] = {}
        for unit in rule.beside:
            found |= _beside_json(parts, unit)
            found["beside"][beside_key(language, unit)] = found[str(unit)]
        yield language, found
    first = next(iter(params.languages), "")
    for corpus in params.corpora:
        found = _part_json(tallies.of(corpus=corpus), params.measure(first))
        yield corpus, {**found, "beside": {}}


def _part_json(parts: Sequence[Part], measure: Measure) -> dict[str, Any]:
    total = add(parts, measure.unit)
    rate = asr_rates.rate(parts, measure)
    found: dict[str, Any] = {
        "score": as_number(rate),
        "unit": str(measure.unit),
        "utterances": sum(len(part.utt_ids) for part in parts),
        "error_rate": as_float(total.rate),
        "mean_of_utterances": as_float(asr_rates.rate(parts, Measure(measure.unit, UTTERANCES))),
        **total._asdict(),
    }
    if rate is None:
        found["withheld_reason"] = (
            REFERENCE_WITHOUT_TOKENS if parts else LANGUAGE_WITHOUT_UTTERANCES
        )
    return found


def _beside_json(parts: Sequence[Part], unit: Unit) -> dict[str, Any]:
    total = add(parts, unit)
    counts = {f"{unit}_{name}": value for name, value in total._asdict().items()}
    return {str(unit): as_float(total.rate), **counts}


def overall(tallies: ErrorTallies, params: ErrorParams, kind: str = "") -> Fraction | None:
    """Return the rate that ranks, exact; None without every language or without any token."""
    if not all(tallies.of(language) for language in params.languages):
        return None
    rates = [asr_rates.rate(parts, measure) for parts, measure in _averaged(tallies, params, kind)]
    known = [rate for rate in rates if rate is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(rates) else None


def _averaged(
    tallies: ErrorTallies, params: ErrorParams, kind: str
) -> list[tuple[list[Part], Measure]]:
    """Return what the score is the mean of."""
    first = next(iter(params.languages))
    if params.overall == CORPORA:
        return [(tallies.of(corpus=key), params.measure(first, kind)) for key in params.corpora]
    if params.overall == LANGUAGES:
        return [(tallies.of(code), params.measure(code, kind)) for code in params.languages]
    return [(tallies.of(), params.measure(first, kind))]


def _pooled(tallies: ErrorTallies, params: ErrorParams) -> Fraction | None:
    """Return all edits over all tokens; None where units differ or a language is missing."""
    whole = all(tallies.of(language) for language in params.languages)
    return add(tallies.parts, params.unit).rate if params.unit is not None and whole else None


def _why_withheld(tallies: ErrorTallies, params: ErrorParams) -> str:
    there = [language for language in params.languages if tallies.of(language)]
    if len(there) == len(params.languages):
        return REFERENCE_WITHOUT_TOKENS
    return LANGUAGES_INCOMPLETE if there else LANGUAGE_WITHOUT_UTTERANCES


def exact(tallies: ErrorTallies, params: ErrorParams) -> Fraction | None:
    """Return the score; None without every language or without any token."""
    return overall(tallies, params)


def replicated(drawn: asr_rates.Resampled, params: ErrorParams) -> bootstrap.Floats:
    """Return the score of every replicate of each system; every language must be there."""
    return _replicated(drawn, params).values


def _replicated(resampled: asr_rates.Resampled, params: ErrorParams) -> Replicates:
    if params.overall == CORPORA:
        return asr_rates.mean([resampled.rates(corpus=key) for key in params.corpora])
    if params.overall == LANGUAGES:
        return asr_rates.mean([resampled.rates(language=code) for code in params.languages])
    return resampled.rates()


def intervals(
    tallies: ErrorTallies, params: ErrorParams, *, seed: int, replicates: int
) -> dict[str, Interval]:
    """Return the interval of `final` and of each language and corpus, or the reason for none."""
    resampled = asr_rates.Resampled([tallies], params.measures, seed=seed, replicates=replicates)
    none = Interval(None, None, bootstrap.FEWER_THAN_TWO_CLIPS)
    found = {
        code: _interval(resampled.rates(language=code), resampled.fewest(language=code))
        if tallies.of(code)
        else none
        for code in params.languages
    }
    found |= {
        key: _interval(resampled.rates(corpus=key), resampled.fewest(corpus=key))
        if tallies.of(corpus=key)
        else none
        for key in params.corpora
    }
    found["final"] = _final(tallies, params, resampled, found)
    return found


def _final(
    tallies: ErrorTallies,
    params: ErrorParams,
    resampled: asr_rates.Resampled,
    found: dict[str, Interval],
) -> Interval:
    absent = [code for code in params.languages if not tallies.of(code)]
    averaged = {CORPORA: params.corpora, LANGUAGES: params.languages}.get(params.overall, ())
    if absent or any(found[key].low is None for key in averaged):
        reason = (
            CORPUS_WITHOUT_INTERVAL
            if params.overall == CORPORA and not absent
            else bootstrap.LANGUAGE_WITHOUT_INTERVAL
        )
        return Interval(None, None, reason)
    return _interval(_replicated(resampled, params), resampled.fewest())


def _interval(replicates: Replicates, clips: int) -> Interval:
    return bootstrap.interval(replicates.values[0], replicates.degenerate[0], clips)
