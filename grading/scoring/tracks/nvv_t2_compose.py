"""From tallies of `nvv-t2` to the score that the judge's marks give, and the same from resampled sums."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.tracks.base import (
    LANGUAGE_WITHOUT_UTTERANCES,
    ClipsDiffer,
    Composed,
    Difference,
    Interval,
)
from grading.scoring.tracks.nvv_t2_marks import NORM_LOWEST, NORM_SPAN, Marks
from grading.scoring.tracks.nvv_t2_scores import SpeechScore, language_score, speech_score, stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.tracks.nvv_t2_marks import LanguageMarks
    from grading.scoring.tracks.nvv_t2_params import SpeechParams
    from grading.scoring.tracks.nvv_t2_tallies import ClipTally, SpeechTallies


def judge_score(tallies: SpeechTallies, params: SpeechParams) -> SpeechScore:
    """Return the exact score that the judge's marks alone give, or why it is withheld."""
    return speech_score(tallies.language_marks(params.languages), params)


def compose(tallies: SpeechTallies, params: SpeechParams) -> Composed:
    """Return score, components and languages; withheld as soon as one clip lacks a mark.

    Components are the shares A, P, N, Q, E (0 to 1), means over the languages. Everything is an
    exact fraction until it is rounded to 12 decimals, half to even.
    """
    marks = tallies.language_marks(params.languages)
    score = speech_score(marks, params)
    languages = {name: _language_json(part, params) for name, part in marks.items()}
    if score.score is None or score.norms is None:
        reason = next(part["withheld_reason"] for part in languages.values() if not _has(part))
        return Composed(None, reason, {}, languages)
    components = {name: stored(share) for name, share in score.norms._asdict().items()}
    return Composed(stored(score.score), "", components, languages)


def _has(part: Mapping[str, Any]) -> bool:
    return part["score"] is not None


def _language_json(part: LanguageMarks, params: SpeechParams) -> dict[str, Any]:
    """Return a language's score, the shares under their letters, mean marks and what is missing."""
    told: dict[str, Any] = {
        "score": None,
        "withheld_reason": part.withheld_reason if part.utterances else LANGUAGE_WITHOUT_UTTERANCES,
        "utterances": part.utterances,
        "missing": len(part.missing),
        **dict.fromkeys(Marks._fields),
        "means": dict.fromkeys(Marks._fields),
    }
    if part.means is None or part.norms is None:
        return told
    return {
        **told,
        "score": stored(language_score(part.norms, params)),
        **{name: stored(share) for name, share in part.norms._asdict().items()},
        "means": {name: stored(mark) for name, mark in part.means._asdict().items()},
    }


def points(languages: Mapping[str, Mapping[str, Any]], params: SpeechParams) -> dict[str, float]:
    """Return what each dimension brings to the final score, in points: together the score.

    From the JSON of `compose`; empty while a language has no score.
    """
    parts = [languages.get(language, {}) for language in params.languages]
    if any(part.get("score") is None for part in parts):
        return {}
    return {
        name: round(100 * float(weight) * sum(part[name] for part in parts) / len(parts), 12)
        for name, weight in params.weights.items()
    }


def interval(
    tallies: SpeechTallies, params: SpeechParams, *, seed: int, replicates: int
) -> dict[str, Interval]:
    """Return the 95 % interval of `final` and of each language, or the reason for none.

    Utterances are drawn within each language; a replicate's score is made of its mean marks as the
    score is. It tells what other texts would have given, not what other listeners would.
    """
    marks = tallies.language_marks(params.languages)
    lacking = [part for part in marks.values() if part.means is None]
    if lacking:
        reasons = {name: _no_interval(part) for name, part in marks.items()}
        return {**reasons, "final": Interval(None, None, bootstrap.LANGUAGE_WITHOUT_INTERVAL)}
    parts = _resample([tallies], params, seed, replicates)
    found = {name: _of(part.scores[0], part.clips) for name, part in parts.items()}
    if any(one.low is None for one in found.values()):
        found["final"] = Interval(None, None, bootstrap.LANGUAGE_WITHOUT_INTERVAL)
    else:
        found["final"] = _of(_final(parts, 0), len(tallies.clips))
    return found


def _no_interval(part: LanguageMarks) -> Interval:
    if not part.utterances:
        return Interval(None, None, bootstrap.FEWER_THAN_TWO_CLIPS)
    reason = part.withheld_reason or bootstrap.LANGUAGE_WITHOUT_INTERVAL
    return Interval(None, None, reason)


def _of(values: bootstrap.Floats, clips: int) -> Interval:
    # A mean over one clip or more is never 0/0.
    return bootstrap.interval(values, np.zeros(len(values), dtype=np.bool_), clips)


def paired(
    systems: Sequence[SpeechTallies], params: SpeechParams, *, seed: int, replicates: int
) -> list[Difference]:
    """Compare the other systems with the first on the same draws of the same utterances.

    Differences are other minus first, in points of the final score; None where a score is withheld
    or a language has fewer than two utterances. Raises ClipsDiffer.
    """
    if any(_clips(system) != _clips(systems[0]) for system in systems[1:]):
        raise ClipsDiffer("the systems were marked on different utterances")
    scores = [compose(system, params).score for system in systems]
    if scores[0] is None or any(len(systems[0].of_language(x)) < 2 for x in params.languages):  # noqa: PLR2004
        return [Difference(_delta(score, scores[0]), None, None, None) for score in scores[1:]]
    whole = [index for index, score in enumerate(scores) if score is not None]
    parts = _resample([systems[index] for index in whole], params, seed, replicates)
    values = {index: _final(parts, place) for place, index in enumerate(whole)}
    return [
        _difference(_delta(score, scores[0]), values.get(index), values[0])
        for index, score in enumerate(scores[1:], 1)
    ]


def _clips(tallies: SpeechTallies) -> list[tuple[str, str]]:
    return [(clip.utt_id, clip.language) for clip in tallies.clips]


def _delta(score: float | None, first: float | None) -> float | None:
    return None if score is None or first is None else round(score - first, 12)


def _difference(
    delta: float | None, values: bootstrap.Floats | None, first: bootstrap.Floats
) -> Difference:
    if values is None:
        return Difference(delta, None, None, None)
    low, high = bootstrap.bounds(values - first)
    return Difference(delta, low, high, bootstrap.p_value(values - first))


class _Part(NamedTuple):
    """One language: its number of utterances, and each system's score in each replicate."""

    clips: int
    scores: list[bootstrap.Floats]


def _resample(
    systems: Sequence[SpeechTallies], params: SpeechParams, seed: int, replicates: int
) -> dict[str, _Part]:
    """Resample all systems on the same draws. Every clip of every system has its marks."""
    unit = lcm(*(system.unit for system in systems))
    strata = [
        np.concatenate([integer_columns(system.of_language(name), unit) for system in systems])
        for name in params.languages
    ]
    sums = bootstrap.resample(strata, seed=seed, replicates=replicates)
    parts = {}
    for name, stratum, table in zip(params.languages, strata, sums, strict=True):
        clips = stratum.shape[1]
        tables = table.reshape(len(systems), len(Marks._fields), -1)
        parts[name] = _Part(clips, [replicate_scores(one, clips, unit, params) for one in tables])
    return parts


def integer_columns(clips: Sequence[ClipTally], unit: int) -> bootstrap.Integers:
    """Return the marks in parts of `unit`, an array (5, clips); every clip has its marks."""
    given = [clip.marks for clip in clips if clip.marks is not None]
    return bootstrap.as_columns([[int(mark * unit) for mark in marks] for marks in given])


def replicate_scores(
    sums: bootstrap.Integers, clips: int, unit: int, params: SpeechParams
) -> bootstrap.Floats:
    """Return a language's score of each replicate from its resampled sums of marks.

    Element-wise arithmetic only, so that the bytes do not depend on the machine.
    """
    means = sums / (clips * unit)
    shares = np.minimum(np.maximum((means - NORM_LOWEST) / NORM_SPAN, 0.0), 1.0)
    weighted = [float(params.weights[name]) * shares[i] for i, name in enumerate(Marks._fields)]
    total: bootstrap.Floats = weighted[0]
    for one in weighted[1:]:
        total = total + one
    scores: bootstrap.Floats = 100 * total
    return scores


def _final(parts: Mapping[str, _Part], index: int) -> bootstrap.Floats:
    chosen = [part.scores[index] for part in parts.values()]
    total = chosen[0]
    for scores in chosen[1:]:
        total = total + scores
    return total / len(chosen)
